/**
 * Random facts folded into the store, in frames and folds of any size, with merges and starts between: each row is found
 * that a plain account of the facts has, and the state is the one that all facts come to.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { apply } from '../../../src/engine/apply/apply.ts';
import { NO_KEY } from '../../../src/engine/orders.ts';
import { keyHash } from '../../../src/engine/recent/key-hash.ts';
import { refOfOrder } from '../../../src/engine/recent/key-ref.ts';
import { State } from '../../../src/engine/state.ts';
import { loadState } from '../../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../../src/persistence/checkpoint/checkpoint-fold.ts';
import { recipientHash } from '../../../src/persistence/checkpoint/order-entries.ts';
import { readOrderRow } from '../../../src/persistence/checkpoint/order-row.ts';
import { TABLES } from '../../../src/persistence/checkpoint/tables.ts';
import { ByteReader } from '../../../src/persistence/codec/byte-reader.ts';
import { ByteWriter } from '../../../src/persistence/codec/byte-writer.ts';
import { unsigned } from '../../../src/persistence/codec/varint.ts';
import { GENESIS, type LogHead, type LogReader } from '../../../src/persistence/journal/frame-log.ts';
import { encodeFrame, frameHash } from '../../../src/persistence/journal/journal-frame.ts';
import { canonicalTables } from '../../../src/persistence/state-tables.ts';
import { createStore } from '../../../src/persistence/store/file-list.ts';
import { StoreReader } from '../../../src/persistence/store/store-reader.ts';
import type { StoreTable } from '../../../src/persistence/store/store-table.ts';
import { OrderScene } from '../../http/operator/order-scene.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const EVENTS = roundsOr(2_000);

class MemoryLog implements LogReader {
  readonly frames: Buffer[] = [];
  head: LogHead = GENESIS;
  *read(position: number): IterableIterator<Buffer> {
    for (const frame of this.frames) if (frame.readDoubleLE(8) > position) yield frame;
  }
  async close(): Promise<void> {}
}

test('random facts come to their rows and their state, wherever folds and merges stop', async (context) => {
  const random = randomFromEnvironment();
  const folder = await createTemporaryFolder('store-fold');
  context.after(() => folder.remove());
  const place = join(folder.path, 'store');
  const scenePlace = join(folder.path, 'scene');
  for (const path of [place, scenePlace]) mkdirSync(path);
  createStore(place);
  const scene = await OrderScene.open(scenePlace, random);
  context.after(() => scene.close());
  for (let count = EVENTS; count > 0; count -= 1) scene.happen();
  const { facts } = scene;
  const log = new MemoryLog();
  let fold = new CheckpointFold(place, log, { stepBytes: 2_000 });
  for (let at = 0; at < facts.length; ) {
    const frame = encodeFrame(
      new ByteWriter(),
      at + 1,
      facts.slice(at, at + random.between(1, 60)),
      log.head.hash,
    );
    at += frame.readUInt32LE(16);
    log.frames.push(frame);
    log.head = { position: at, hash: frameHash(frame) };
    if (random.chance(0.5)) fold.foldThrough(at);
    for (let parts = random.between(0, 3); parts > 0; parts -= 1) fold.mergePart();
    if (random.chance(0.1)) fold = new CheckpointFold(place, log, { stepBytes: 2_000 });
  }
  fold.foldThrough(facts.length);
  while (fold.mergePart());

  const reader = new StoreReader(place);
  context.after(() => reader.close());
  const state = new State();
  for (const fact of facts) apply(state, fact);
  assert.deepEqual(canonicalTables(loadState(reader)), canonicalTables(state));
  const orders = [...scene.orders.values()].sort((x, y) => x.orderId - y.orderId);
  const stored = Array.from(reader.range(TABLES.orders, { fromA: 0, toA: 1e15 }), ({ a, value }) =>
    readOrderRow(a, value),
  );
  assert.deepEqual(stored, orders);
  const listed = (table: StoreTable, id: number): number[] =>
    Array.from(reader.range(table, { fromA: id, toA: id + 1 }), ({ b }) => b);
  for (const { accountId, idempotencyKey, orderId } of orders) {
    const refs = listed(TABLES.keys, keyHash(accountId, idempotencyKey));
    assert.deepEqual(refs, idempotencyKey === NO_KEY ? [] : [refOfOrder(orderId)]);
  }
  const idsOf = (isOne: (order: (typeof orders)[number]) => boolean): number[] =>
    orders.filter(isOne).map(({ orderId }) => orderId);
  for (let id = 1; id <= 4; id += 1) {
    assert.deepEqual(
      listed(TABLES.accountOrders, id),
      idsOf(({ accountId }) => accountId === id),
      `account ${id}`,
    );
    assert.deepEqual(
      listed(TABLES.productOrders, id),
      idsOf(({ productId }) => productId === id),
      `product ${id}`,
    );
  }
  for (const [number, status] of (
    ['processing', 'pending_delivery', 'completed', 'failed', 'refunded'] as const
  ).entries())
    assert.deepEqual(
      listed(TABLES.statuses, number),
      status === 'completed' ? [] : idsOf((order) => order.status === status),
      status,
    );
  const hash = recipientHash('@anna');
  assert.deepEqual(
    listed(TABLES.recipients, hash),
    idsOf(({ recipientUsername }) => recipientUsername?.toLowerCase() === '@anna'),
  );
  const wallets = new Map<number, number>();
  for (const { a, value } of reader.range(TABLES.movements, { fromA: 0, toA: 1e15 })) {
    const input = new ByteReader(value);
    input.skip(1);
    for (const _ of ['time', 'amount']) input.varint();
    wallets.set(a, unsigned(input.varint()));
  }
  for (const [accountId, walletMicros] of wallets)
    assert.equal(
      walletMicros,
      state.accounts.get(accountId)?.walletMicros,
      `the wallet after account ${accountId}'s last movement`,
    );
  assert.equal(wallets.size, 4);
});
