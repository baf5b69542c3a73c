/**
 * The store under the journal by itself: facts of so many orders are folded, files merged between folds, and then read
 * as a node reads them. Figures are processor time of the whole process; making the facts isn't counted.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from '../../src/engine/accounts.ts';
import { NO_ADJUSTMENTS } from '../../src/engine/adjustments.ts';
import { apply } from '../../src/engine/apply/apply.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { keyHash } from '../../src/engine/recent/key-filter.ts';
import { EPOCH_MS, PER_MS } from '../../src/engine/request-number.ts';
import { State } from '../../src/engine/state.ts';
import { CheckpointFold } from '../../src/persistence/checkpoint/checkpoint-fold.ts';
import {
  CHECKPOINT_FILE,
  CHECKPOINT_TABLES,
  openCheckpoint,
} from '../../src/persistence/checkpoint/checkpoint-tables.ts';
import { ByteWriter } from '../../src/persistence/codec/byte-writer.ts';
import { GENESIS, type LogReader } from '../../src/persistence/journal/frame-log.ts';
import { encodeFrame, frameHash } from '../../src/persistence/journal/journal-frame.ts';
import { createEnvironment } from '../../src/persistence/lmdb/lmdb-environment.ts';
import { Purchases } from '../shop/purchases.ts';
import { FactRows } from '../store/fact-rows.ts';
import { createStore } from '../store/file-list.ts';
import { readOrderRow } from '../store/order-row.ts';
import { StoreFiles } from '../store/store-files.ts';
import { StoreFold } from '../store/store-fold.ts';
import { StoreReader } from '../store/store-reader.ts';
import { STORE } from '../store/tables.ts';

const accounts = 1_000;
const products = 100;
const factsPerFold = 50_000;
const factsPerFrame = 250;
const startMs = 1_764_000_000_000;
const ordersPerMs = 5;

class MemoryLog implements LogReader {
  frames: Buffer[] = [];
  *read(position: number): IterableIterator<Buffer> {
    for (const frame of this.frames) if (frame.readDoubleLE(8) > position) yield frame;
  }
  async close(): Promise<void> {}
}

class RandomPurchases {
  readonly #balances = new Float64Array(accounts + 1).fill(1e12);
  readonly #next = new Float64Array(products + 1);
  orders = 0;
  readonly samples: { orderId: number; accountId: number; key: string }[] = [];

  buy(): Fact {
    const orderId = ++this.orders;
    const accountId = 1 + Math.floor(Math.random() * accounts);
    const productId = 1 + Math.floor(Math.random() * products);
    const idempotencyKey = randomBytes(16).toString('hex');
    const firstItem = this.#next[productId] ?? 0;
    this.#next[productId] = firstItem + 1;
    const balanceAfterMicros = (this.#balances[accountId] ?? 0) - 10_000;
    this.#balances[accountId] = balanceAfterMicros;
    const atMs = startMs + Math.floor(orderId / ordersPerMs);
    const requestNumber = (atMs - 2 - EPOCH_MS) * PER_MS + (orderId % 50);
    if (orderId <= 10 || orderId % 9_973 === 0)
      this.samples.push({ orderId, accountId, key: idempotencyKey });
    const order = {
      orderId,
      accountId,
      idempotencyKey,
      productId,
      quantity: 1,
      expectedPriceUsdt: 0.01,
      recipientUsername: null,
      requestNumber,
      status: 'completed',
      totalMicros: 10_000,
      balanceAfterMicros,
      firstItem,
      fileId: null,
      textCount: 0,
      createdAtMs: atMs,
      adjustments: NO_ADJUSTMENTS,
    } as const;
    return { kind: 'OrderPlaced', order, atMs };
  }
}

export function processorMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What is measured: the store, or the checkpoint as it is today. */
interface Folding {
  foldThrough(position: number): void;
  /** A part of what may wait; false when nothing is left. */
  part(): boolean;
}

export function storeFolding(folder: string, log: LogReader, filesPerMerge: number): Folding {
  const fold = new StoreFold(folder, log, { filesPerMerge });
  return { foldThrough: (position) => fold.foldThrough(position), part: () => fold.mergePart() };
}

export async function todaysFolding(folder: string, log: LogReader): Promise<Folding> {
  await createEnvironment(join(folder, CHECKPOINT_FILE), CHECKPOINT_TABLES);
  const fold = new CheckpointFold(openCheckpoint(folder), log);
  return { foldThrough: (position) => fold.foldThrough(position), part: () => fold.compact() !== false };
}

/** Folds `orders` into `folder`. */
export async function foldOrders(
  folder: string,
  orders: number,
  open: (log: LogReader) => Folding | Promise<Folding>,
): Promise<void> {
  const log = new MemoryLog();
  const fold = await open(log);
  const scratch = new ByteWriter();
  let head = GENESIS;
  const append = (facts: readonly Fact[]): void => {
    const frame = encodeFrame(scratch, head.position + 1, facts, head.hash);
    head = { position: head.position + facts.length, hash: frameHash(frame) };
    log.frames.push(frame);
  };
  append(new Purchases().setup);
  fold.foldThrough(head.position);
  const purchases = new RandomPurchases();
  let foldMicros = 0;
  let mergeMicros = 0;
  let lastMs = performance.now();
  let longestPartMs = 0;
  const best: number[] = [];
  for (let done = 0; done < orders; done += factsPerFold) {
    log.frames = [];
    for (let made = 0; made < factsPerFold; made += factsPerFrame)
      append(Array.from({ length: factsPerFrame }, () => purchases.buy()));
    const began = processorMicros();
    fold.foldThrough(head.position);
    const folded = processorMicros();
    for (;;) {
      const beganMs = performance.now();
      if (!fold.part()) break;
      longestPartMs = Math.max(longestPartMs, performance.now() - beganMs);
    }
    foldMicros += folded - began;
    mergeMicros += processorMicros() - folded;
    best.push((folded - began) / factsPerFold);
    const so = done + factsPerFold;
    if (so % 1_000_000 !== 0 && so !== orders) continue;
    best.sort((a, b) => a - b);
    const files = readdirSync(folder).filter((name) => !name.endsWith('-lock'));
    const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    say(
      `${so}: fold ${(foldMicros / so).toFixed(2)} µs (median of folds since ${best[best.length >> 1]?.toFixed(2)}), merges ${(mergeMicros / so).toFixed(2)} µs, ${(bytes / so).toFixed(1)} B an order, ${files.length} files, longest part ${longestPartMs.toFixed(0)} ms, RssAnon ${anonymous()} MiB, ${((performance.now() - lastMs) / 1000).toFixed(0)} s`,
    );
    best.length = 0;
    lastMs = performance.now();
  }
  writeFileSync(`${folder}.samples`, JSON.stringify(purchases.samples));
}

function anonymous(): number {
  return Math.round(Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024);
}

/** One look-up's processor time and time, in microseconds: of the first one, and of the median of many. */
function timed(name: string, many: number, look: (index: number) => void): void {
  const beganMs = performance.now();
  const beganMicros = processorMicros();
  look(0);
  const firstMs = performance.now() - beganMs;
  const firstMicros = processorMicros() - beganMicros;
  const times: number[] = [];
  const processor = processorMicros();
  for (let index = 1; index <= many; index += 1) {
    const start = performance.now();
    look(index);
    times.push((performance.now() - start) * 1000);
  }
  const each = many === 0 ? 0 : (processorMicros() - processor) / many;
  times.sort((a, b) => a - b);
  say(
    `${name}: first ${firstMs.toFixed(2)} ms, ${(firstMicros / 1000).toFixed(2)} of processor; then median ${(times[times.length >> 1] ?? 0).toFixed(1)} µs, mean of processor ${each.toFixed(1)} µs`,
  );
}

/** A store that has nothing but keys, and what a new key costs there. */
function measureKeys(folder: string, keys: number): void {
  const files = new StoreFiles(folder);
  const rows = new FactRows();
  const hashOf = (): number =>
    Math.floor(Math.random() * 2 ** 21) * 2 ** 32 + Math.floor(Math.random() * 2 ** 32);
  const began = processorMicros();
  for (let done = 0; done < keys; done += 100_000) {
    for (let count = 0; count < 100_000; count += 1) rows.of(STORE.keys).add(hashOf(), 2 * (done + count));
    files.add({ position: done + 100_000, journalHash: '' }, (writer) => rows.write(writer));
    while (files.mergePart());
  }
  say(`${keys} keys written, ${((processorMicros() - began) / keys).toFixed(2)} µs each`);
  const reader = new StoreReader(folder);
  const openMs = performance.now();
  for (const file of reader.files) file.mayHave(STORE.keys, 99);
  const bytes = reader.files.reduce((sum, file) => sum + file.filterBytes, 0);
  say(
    `${reader.files.length} files, filters ${(bytes / 2 ** 20).toFixed(1)} MiB, loaded in ${(performance.now() - openMs).toFixed(1)} ms`,
  );
  for (let round = 0; round < 3; round += 1) {
    const hashes = Float64Array.from({ length: 500_000 }, hashOf);
    let found = 0;
    const start = processorMicros();
    for (const hash of hashes) found += reader.refs(STORE.keys, hash).length;
    const each = (processorMicros() - start) / hashes.length;
    let perhaps = 0;
    for (const hash of hashes) if (reader.mayHave(STORE.keys, hash)) perhaps += 1;
    say(
      `a new key's look-up: ${each.toFixed(2)} µs of processor; read for in vain ${((100 * perhaps) / hashes.length).toFixed(2)} %, found ${found}`,
    );
  }
  const { bytes: rowBytes } = files.list.files.reduce((sum, file) => ({ bytes: sum.bytes + file.bytes }), {
    bytes: 0,
  });
  say(`${(rowBytes / keys).toFixed(1)} B a key, RssAnon ${anonymous()} MiB`);
}

/** A start with so many accounts: their rows are read and decoded. */
function measureAccounts(folder: string, accountCount: number): void {
  const files = new StoreFiles(folder);
  const rows = new FactRows();
  const state = new State();
  const profile = { name: 'buyer', rateLimitPerMinute: null, webhookConcurrency: 1 };
  for (let accountId = 1; accountId <= accountCount; accountId += 1)
    apply(state, { kind: 'AccountCreated', accountId, profile, atMs: startMs });
  for (let fold = 0; fold < 20; fold += 1) {
    const count = fold === 0 ? accountCount : 40_000;
    for (let at = 0; at < count; at += 1) {
      const id = fold === 0 ? at + 1 : 1 + Math.floor(Math.random() * accountCount);
      rows.putState(STORE.accounts, id, state.accounts.get(id));
      if (at % 100_000 !== 99_999 && at !== count - 1) continue;
      files.add({ position: 1, journalHash: '' }, (writer) => rows.write(writer));
    }
    while (files.mergePart());
  }
  const began = processorMicros();
  const beganMs = performance.now();
  const reader = new StoreReader(folder);
  const loaded = new State();
  for (const { value } of reader.range(STORE.accounts, { fromA: 0, toA: Number.MAX_SAFE_INTEGER })) {
    const row = JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.length).toString()) as Account;
    loaded.accounts.load(row.accountId, row);
  }
  say(
    `${accountCount} accounts loaded from ${reader.files.length} files in ${(performance.now() - beganMs).toFixed(0)} ms, ${((processorMicros() - began) / 1000).toFixed(0)} of processor`,
  );
}

/** One page in a process that was just started. */
function firstPage(folder: string, name: string): void {
  const reader = new StoreReader(folder);
  const table = name === 'account' ? STORE.accountOrders : STORE.productOrders;
  timed(`first page of ${name}`, 3, (index) => {
    let count = 0;
    const id = 37 + index;
    for (const { b } of reader.range(table, { fromA: id, toA: id, toB: 0, reverse: true })) {
      reader.get(STORE.orders, b, 0, (value) => readOrderRow(b, value));
      count += 1;
      if (count === 1_000) break;
    }
  });
}

/** Reads a folder that `foldStore` made, as a process that was just started does. */
export function readStore(folder: string, samplesText: string): void {
  const samples = JSON.parse(samplesText) as { orderId: number; accountId: number; key: string }[];
  const beforeAnon = anonymous();
  let began = performance.now();
  const reader = new StoreReader(folder);
  say(`open: ${(performance.now() - began).toFixed(2)} ms, ${reader.files.length} files`);
  const order = (orderId: number) => {
    const found = reader.get(STORE.orders, orderId, 0, (value) => readOrderRow(orderId, value));
    if (found === undefined) throw new Error(`order ${orderId} is missing`);
    return found;
  };
  timed('oldest order', 0, () => order(1));
  began = performance.now();
  reader.mayHave(STORE.keys, 12345);
  for (const file of reader.files) file.mayHave(STORE.keys, 99);
  say(
    `filters: loaded in ${(performance.now() - began).toFixed(1)} ms, ${(reader.files.reduce((sum, file) => sum + file.filterBytes, 0) / 2 ** 20).toFixed(1)} MiB`,
  );
  const byKey = (accountId: number, key: string) => {
    for (const ref of reader.refs(STORE.keys, keyHash(accountId, key))) {
      const found = order(ref / 2);
      if (found.accountId === accountId && found.idempotencyKey === key) return found.orderId;
    }
    return undefined;
  };
  timed('oldest key, then random keys', samples.length - 1, (index) => {
    const { accountId, key, orderId } = samples[index] as (typeof samples)[number];
    if (byKey(accountId, key) !== orderId) throw new Error(`the key of order ${orderId} is missing`);
  });
  const newKeys = Array.from({ length: 200_001 }, () => randomBytes(16).toString('hex'));
  timed('a key that is nowhere', 200_000, (index) => {
    if (byKey(7, newKeys[index] as string) !== undefined) throw new Error('found what is nowhere');
  });
  let wrong = 0;
  for (let index = 0; index < 200_000; index += 1)
    if (reader.mayHave(STORE.keys, keyHash(8, newKeys[index] as string))) wrong += 1;
  say(`filters say wrongly "perhaps" of ${((wrong / 200_000) * 100).toFixed(3)} %`);
  const page = (table: typeof STORE.accountOrders, id: number, from = Number.MAX_SAFE_INTEGER): number => {
    let count = 0;
    for (const { b } of reader.range(table, { fromA: id, fromB: from, toA: id, toB: 0, reverse: true })) {
      order(b);
      count += 1;
      if (count === 1_000) break;
    }
    return count;
  };
  timed("newest 1,000 orders of an account, then of others'", 50, (index) =>
    page(STORE.accountOrders, 500 + index),
  );
  timed('newest 1,000 orders of a product, then of others', 50, (index) =>
    page(STORE.productOrders, 10 + index),
  );
  const fresh = new StoreReader(folder);
  timed('oldest 1,000 of an account', 20, (index) => {
    let count = 0;
    for (const { b } of fresh.range(STORE.accountOrders, { fromA: 300 + index, toA: 301 + index })) {
      fresh.get(STORE.orders, b, 0, (value) => readOrderRow(b, value));
      count += 1;
      if (count === 1_000) break;
    }
  });
  timed('a statement: 10,000 movements of an account', 10, (index) => {
    let count = 0;
    for (const _ of fresh.range(STORE.movements, { fromA: 300 + index, toA: 301 + index })) {
      count += 1;
      if (count === 10_000) break;
    }
  });
  let sales = 0;
  let count = 0;
  for (const _ of reader.range(STORE.daySums, { fromA: 0, toA: Number.MAX_SAFE_INTEGER })) {
    sales += 1;
  }
  began = performance.now();
  let states = 0;
  for (const { value } of reader.range(STORE.accounts, { fromA: 0, toA: Number.MAX_SAFE_INTEGER })) {
    JSON.parse(Buffer.from(value).toString());
    states += 1;
  }
  say(
    `${states} accounts' rows read in ${(performance.now() - began).toFixed(1)} ms; ${sales} rows of day sums`,
  );
  began = performance.now();
  const cpu = processorMicros();
  for (const _ of reader.range(STORE.orders, { fromA: 0, toA: Number.MAX_SAFE_INTEGER })) count += 1;
  say(
    `all ${count} orders walked in ${((performance.now() - began) / 1000).toFixed(1)} s, ${((processorMicros() - cpu) / count).toFixed(2)} µs each`,
  );
  say(`RssAnon ${beforeAnon} → ${anonymous()} MiB`);
}

const [, , command, folder = '', argument = '', third = '4'] = process.argv;
if (command !== 'read' && command !== 'page') {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  createStore(folder);
}
if (command === 'keys') measureKeys(folder, Number(argument));
if (command === 'accounts') measureAccounts(folder, Number(argument));
if (command === 'fold' || command === 'today') {
  await foldOrders(folder, Number(argument), (log) =>
    command === 'fold' ? storeFolding(folder, log, Number(third)) : todaysFolding(folder, log),
  );
}
if (command === 'read') readStore(folder, readFileSync(`${folder}.samples`, 'utf8'));
if (command === 'page') firstPage(folder, argument);
