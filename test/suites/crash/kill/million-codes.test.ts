/**
 * `purser stock add` of a file with a great many codes, while buyers buy: memory stays small, no code is lost or doubled,
 * also when the upload is cut off on either side and simply repeated.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../../support/eventually.ts';
import { type RunningCommand, runCommand, startCommand } from '../../../support/nodes/purser-command.ts';
import { ok } from '../../../support/operator-client.ts';
import { roundsOr } from '../../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import type { LedgerBuyer, LedgerProduct } from '../shop/ledger.ts';
import { type ServerUnderTest, startServer } from '../shop/server-under-test.ts';
import { assertSound } from '../shop/sound-folder.ts';
import { addProduct, openAccount } from '../shop/stage.ts';

const LINES = roundsOr(200_000);
const MOST_GROWTH_MB = 150;
const WITHDRAWN_AT_ONCE = 10_000;
/** Before the upload, and at least while it is under way. */
const PURCHASES = 500;

describe(`an upload of ${LINES} codes`, { timeout: 1_800_000 }, () => {
  const codes = Array.from({ length: LINES }, (_, index) => `CODE-${index}-${randomUUID()}`);
  /** Cut inside a line. */
  const half = Buffer.from(codes.slice(0, LINES / 2).join('\n')).subarray(0, -7);
  let folder: TemporaryFolder;
  let file: string;
  let server: ServerUnderTest;
  let buyer: LedgerBuyer;

  before(async () => {
    folder = await createTemporaryFolder('million');
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
    const others = Array.from({ length: 2 * PURCHASES }, (_, index) => `OTHER-${index}`);
    await ok(server.operator.addStock(other.productId, others));
    // What a server needs after its first purchases, upload or not, is no growth.
    await buy(other, PURCHASES);
    const beforeMb = anonymousMb();
    let mostMb = beforeMb;
    const watching = setInterval(() => {
      mostMb = Math.max(mostMb, anonymousMb());
    }, 20);
    // The upload is under way for as long as its sender holds the rest back.
    const sender = await sendHalf(product);
    await buy(other, PURCHASES);
    sender.child.stdin.end(readFileSync(file).subarray(half.length));
    const { code, stdout, stderr } = await sender.ended;
    clearInterval(watching);
    assert.equal(code, 0, stderr);
    assertAdded(stdout, LINES, 0);
    t.diagnostic(`at most ${mostMb - beforeMb} MB more than before`);
    assert.ok(mostMb - beforeMb < MOST_GROWTH_MB, `memory grew by ${mostMb - beforeMb} MB`);
    await repeat(product, LINES);
    await assertHoldsEachCodeOnce(product);
  });

  test('can be repeated after its sender, and then the server, was killed midway', async () => {
    const product = await addProduct(server, 1);
    const killed = await sendHalf(product);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const sender = await sendHalf(product);
    await server.kill();
    const { code, stderr } = await sender.ended;
    assert.equal(code, 1);
    assert.equal(stderr.trim().split('\n').length, 1, `not one line: ${stderr}`);
    await assertSound(join(folder.path, 'data'));
    server = await startServer({ dataDir: join(folder.path, 'data') });
    await repeat(product);
    await assertHoldsEachCodeOnce(product);
  });

  function addStockArguments({ productId }: LedgerProduct, source: string): string[] {
    const { operatorUrl, operatorToken } = server.process;
    const target = ['--operator', new URL(operatorUrl).origin, '--token', operatorToken];
    return ['stock', 'add', String(productId), source, '--json', ...target];
  }

  /** A sender that has sent half of the file, of which some is written to the disk, and is still connected. */
  async function sendHalf(product: LedgerProduct): Promise<RunningCommand> {
    const changedMs = () => statSync(join(folder.path, 'data', 'stock.mdb')).mtimeMs;
    const before = changedMs();
    const sender = startCommand(addStockArguments(product, '-'));
    sender.child.stdin.write(half);
    await eventually('some of it is written', () => changedMs() !== before);
    return sender;
  }

  /** All lines, of which so many are there: an upload shows when it is complete. */
  async function repeat(product: LedgerProduct, duplicates = 0): Promise<void> {
    const { availableStock } = await ok(server.operator.getProduct(product.productId));
    assert.equal(availableStock, duplicates);
    const { code, stdout, stderr } = await runCommand(addStockArguments(product, file));
    assert.equal(code, 0, stderr);
    assertAdded(stdout, LINES - duplicates, duplicates);
  }

  /** Takes all codes out, oldest first, and compares them with the file. */
  async function assertHoldsEachCodeOnce({ productId }: LedgerProduct): Promise<void> {
    const held: string[] = [];
    for (let isMore = true; isMore && held.length <= LINES; ) {
      const { items = [] } = await ok(server.operator.withdrawStock(productId, WITHDRAWN_AT_ONCE));
      held.push(...items);
      isMore = items.length > 0;
    }
    assert.equal(held.length, LINES);
    const different = held.findIndex((code, index) => code !== codes[index]);
    assert.equal(different, -1, `code ${different} is ${held[different]}, not ${codes[different]}`);
  }

  /** One after the other; each must succeed. */
  async function buy({ productId, priceCents }: LedgerProduct, count: number): Promise<void> {
    const body = { productId, expectedPriceUsdt: priceCents / 100 };
    for (let bought = 0; bought < count; bought += 1) {
      const reply = await server.buyers.purchase(buyer.apiKey, randomUUID(), body);
      assert.equal(reply.status, 201, reply.text);
    }
  }

  /** Memory, in MB, that only the server holds: pages of mapped files the system takes back. */
  function anonymousMb(): number {
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
    return Math.round(Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) / 1_024);
  }
});

function assertAdded(stdout: string, added: number, duplicates: number): void {
  const answer = JSON.parse(stdout) as { added?: unknown; duplicates?: unknown };
  assert.deepEqual({ added: answer.added, duplicates: answer.duplicates }, { added, duplicates });
}
