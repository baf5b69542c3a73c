/**
 * `purser stock add` of a file with a great many codes, while buyers buy: memory stays small, no code is lost
 * or doubled, also when the upload is cut off on either side and simply repeated.
 *
 * The short form has 12,500 lines, the long one (PURSER_TEST_LONG) a million.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ok } from '../../support/operator-client.ts';
import {
  type CommandOutcome,
  type RunningCommand,
  runCommand,
  startCommand,
} from '../../support/purser-command.ts';
import { isLongRun } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import type { LedgerBuyer, LedgerProduct } from './ledger.ts';
import { type ServerUnderTest, startServer } from './server-under-test.ts';
import { assertSound } from './sound-folder.ts';
import { addProduct, openAccount } from './stage.ts';

const lineCount = isLongRun() ? 1_000_000 : 12_500;
const mostGrowthBytes = 200 * 1024 * 1024;
const withdrawnAtOnce = 10_000;
/** As many purchases as are made at most while the codes go in. */
const otherStock = isLongRun() ? 150_000 : 5_000;

describe(`an upload of ${lineCount} codes`, { timeout: isLongRun() ? 1_800_000 : 240_000 }, () => {
  let folder: TemporaryFolder;
  let codes: readonly string[];
  let file: string;
  let server: ServerUnderTest;
  let buyer: LedgerBuyer;

  before(async () => {
    folder = await createTemporaryFolder('million');
    codes = Array.from({ length: lineCount }, (_, index) => `CODE-${index}-${randomUUID()}`);
    file = join(folder.path, 'codes.txt');
    writeFileSync(file, `${codes.join('\n')}\n`);
    server = await startServer({ dataDir: join(folder.path, 'data') });
    buyer = await openAccount(server, 'buyer');
    await ok(server.operator.credit(buyer.accountId, 1_000_000, 'deposit'));
  });
  after(async () => {
    await server.kill();
    await folder.remove();
  });

  test('goes in while purchases go on, in little memory, and again is all duplicates', async (t) => {
    const product = await addProduct(server, 1);
    const other = await addProduct(server, 1);
    await ok(server.operator.addStock(other.productId, numbered(otherStock).join('\n')));
    // What a server needs after its first purchases, upload or not, is no growth.
    await buyWhile(other, delay(isLongRun() ? 2_000 : 500));

    const memory = watchMemory(server.process.pid);
    const sender = await sendHalf(product);
    // The upload is under way for as long as its sender holds the rest back.
    await buy(other, 10);
    sender.child.stdin.end(readFileSync(file).subarray(halfBytes()));
    const bought = await buyWhile(other, sender.ended);
    assertAdded(await sender.ended, lineCount, 0);
    const growth = memory.stop();
    // The short form's may be over before the next purchase.
    if (isLongRun()) assert.ok(bought > 0, 'nobody could buy while the codes were taken in');
    t.diagnostic(`${10 + bought} purchases meanwhile; at most ${inWords(growth)} more than before`);
    assert.ok(growth.residentBytes < mostGrowthBytes, `memory grew by ${inWords(growth)}`);

    await addAgain(product, lineCount);
    assert.equal(await available(product), lineCount);
    await assertHoldsEachCodeOnce(product);
  });

  test('can be repeated after its sender was killed midway', async () => {
    const product = await addProduct(server, 1);
    const sender = await sendHalf(product);
    sender.child.kill('SIGKILL');
    await sender.ended;
    await repeat(product);
    await assertHoldsEachCodeOnce(product);
  });

  test('can be repeated after the server was killed midway', async () => {
    const product = await addProduct(server, 1);
    const sender = await sendHalf(product);
    await server.kill();
    const outcome = await sender.ended;
    assert.equal(outcome.code, 1, `${outcome.stdout}${outcome.stderr}`);
    assert.equal(outcome.stderr.trim().split('\n').length, 1, `not one line: ${outcome.stderr}`);
    await assertSound(join(folder.path, 'data'));
    server = await startServer({ dataDir: join(folder.path, 'data') });
    await repeat(product);
    await assertHoldsEachCodeOnce(product);
  });

  function addStockArguments(product: LedgerProduct, source: string): string[] {
    const { operatorUrl, operatorToken } = server.process;
    const target = ['--operator', new URL(operatorUrl).origin, '--token', operatorToken];
    return ['stock', 'add', String(product.productId), source, '--json', ...target];
  }

  /** All lines, of which so many are there; in the short form what the command sends, without the command. */
  async function addAgain(product: LedgerProduct, duplicates: number): Promise<void> {
    const added = lineCount - duplicates;
    if (isLongRun())
      return assertAdded(await runCommand(addStockArguments(product, file)), added, duplicates);
    const answer = await ok(server.operator.addStock(product.productId, readFileSync(file, 'utf8')));
    assert.deepEqual({ added: answer.added, duplicates: answer.duplicates }, { added, duplicates });
  }

  function halfBytes(): number {
    return Math.floor(lineCount / 2) * (codes[0]?.length ?? 0) + 7;
  }

  /** A sender that has sent half of the file, cut inside a line, and is still connected. */
  async function sendHalf(product: LedgerProduct): Promise<RunningCommand> {
    const sender = startCommand(addStockArguments(product, '-'));
    const half = readFileSync(file).subarray(0, halfBytes());
    await new Promise<void>((resolve) => sender.child.stdin.write(half, () => resolve()));
    for (let waits = 0; waits < 20 && (await available(product)) === 0; waits += 1) await delay(50);
    return sender;
  }

  async function repeat(product: LedgerProduct): Promise<void> {
    const there = await available(product);
    assert.ok(there < lineCount, 'the upload was over before it could be cut off');
    await addAgain(product, there);
  }

  async function available(product: LedgerProduct): Promise<number> {
    return Number((await ok(server.operator.getProduct(product.productId))).availableStock);
  }

  /** Takes all codes out, oldest first, and compares them with the file. */
  async function assertHoldsEachCodeOnce(product: LedgerProduct): Promise<void> {
    const held: string[] = [];
    for (;;) {
      const { items = [] } = await ok(server.operator.withdrawStock(product.productId, withdrawnAtOnce));
      if (items.length === 0) break;
      held.push(...items);
      assert.ok(held.length <= lineCount, 'there are more codes than were put in');
    }
    assert.equal(held.length, lineCount);
    const different = held.findIndex((code, index) => code !== codes[index]);
    assert.equal(different, -1, `code ${different} is ${held[different]}, not ${codes[different]}`);
  }

  /** One after the other; each must succeed. */
  async function buy(product: LedgerProduct, count: number): Promise<void> {
    const body = { productId: product.productId, expectedPriceUsdt: product.priceCents / 100 };
    for (let bought = 0; bought < count; bought += 1) {
      const reply = await server.buyers.purchase(buyer.apiKey, randomUUID(), body);
      assert.equal(reply.status, 201, reply.text);
    }
  }

  /** Buys one after the other until `upload` has ended, or there is hardly any stock left; returns how many. */
  async function buyWhile(product: LedgerProduct, upload: Promise<unknown>): Promise<number> {
    let isOver = false;
    const noteEnd = () => {
      isOver = true;
    };
    upload.then(noteEnd, noteEnd);
    let bought = 0;
    for (; !isOver && (await available(product)) > 0; bought += 1) await buy(product, 1);
    await upload;
    return bought;
  }
});

function assertAdded(outcome: CommandOutcome, added: number, duplicates: number): void {
  assert.equal(outcome.code, 0, `${outcome.stdout}${outcome.stderr}`);
  const answer = JSON.parse(outcome.stdout) as { added?: unknown; duplicates?: unknown };
  assert.deepEqual({ added: answer.added, duplicates: answer.duplicates }, { added, duplicates });
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `OTHER-${index}`);
}

interface Memory {
  readonly residentBytes: number;
  /** The part of it that is pages of mapped files, which the system takes back when it needs them. */
  readonly mappedFileBytes: number;
}

interface MemoryWatch {
  /** How much more than at the beginning it was at the worst moment. */
  stop(): Memory;
}

/** Where the system doesn't tell, growth is reported as none. */
function watchMemory(pid: number): MemoryWatch {
  const start = memoryOf(pid);
  let worst = start;
  const look = () => {
    const now = memoryOf(pid);
    if (now.residentBytes > worst.residentBytes) worst = now;
  };
  const timer = setInterval(look, 20);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return {
        residentBytes: worst.residentBytes - start.residentBytes,
        mappedFileBytes: worst.mappedFileBytes - start.mappedFileBytes,
      };
    },
  };
}

function memoryOf(pid: number): Memory {
  if (process.platform !== 'linux') return { residentBytes: 0, mappedFileBytes: 0 };
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytesOf = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { residentBytes: bytesOf('VmRSS'), mappedFileBytes: bytesOf('RssFile') };
}

function inWords({ residentBytes, mappedFileBytes }: Memory): string {
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
  return `${megabytes(residentBytes)} (of it ${megabytes(mappedFileBytes)} pages of files)`;
}
