/**
 * The folder is lost, again and again: a node that ships its backup is killed under load, its folder removed, and the
 * shop restored from what the target has. Everything that the backup had is exact. Everything that it lacked lies in
 * the stated gap: sales are closed until the operator has entered again what is in his own books, and the buyers'
 * receipts have put their orders back. Then nothing is sold twice, no money is wrong, and every key is answered as
 * before. At random the node stops cleanly, and nothing is lost.
 */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { purser } from '../../../cli/fake-operator.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Random, randomFromEnvironment } from '../../../support/random.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { audit, inParallel } from '../shop/audit.ts';
import { type Attempt, Ledger } from '../shop/ledger.ts';
import { type ServerUnderTest, startServer } from '../shop/server-under-test.ts';
import { setStage } from '../shop/stage.ts';
import { Traffic } from '../shop/traffic.ts';

/** Answered in every round before the folder is lost. */
const purchasesPerRound = 12;
/** Older attempts of which a sample is looked at in every round; all of them are at the end. */
const sampleOfOlder = 150;
/** The restored node may have sold as many items of a product as this, of which nobody has a receipt. */
const mostUnproved = 60;

/** How a round ends for the folder. */
const ENDS = ['killed', 'killed', 'killed', 'stopped'] as const;

interface Gap {
  readonly sales: 'open' | 'closed';
  readonly epoch: number;
  readonly gap: { readonly orders: number | null } | null;
}

export async function loseFolders(t: TestContext, rounds: number, maxPurchases: number): Promise<void> {
  const random = randomFromEnvironment();
  const folder = await createTemporaryFolder('restore');
  const path = (name: string) => join(folder.path, name);
  t.diagnostic(`seed ${random.seed}, folder ${folder.path} (kept when this fails)`);
  const ledger = new Ledger();
  const shop: Shop = {
    maxPurchases,
    dataDir: path('data'),
    target: path('target'),
    receipts: path('receipts'),
    masterKey: randomBytes(32).toString('base64'),
    proved: new Set(),
  };
  writeFileSync(shop.receipts, '');
  let server = await startNode(shop);
  t.after(() => server.kill());
  await setStage(server, ledger, 200);
  for (let round = 0; round < rounds; round += 1) {
    const end = round === 0 ? 'killed' : random.pick(ENDS);
    const known = ledger.attempts.length;
    await eventually('all so far is in the backup', async () => {
      const { text } = await server.operator.json('GET', '/backups/status');
      return JSON.parse(text).lagSeconds === 0;
    });
    await loseUnderLoad(server, ledger, random, shop, end);
    rmSync(shop.dataDir, { recursive: true });
    await succeeds(['restore', shop.target, '--data', shop.dataDir], shop.masterKey);
    server = await startNode(shop);
    const status = await restoreStatus(server);
    t.diagnostic(
      `round ${round + 1}, ${end}: ${ledger.attempts.length - known} purchases, ${JSON.stringify(status)}`,
    );
    if (end === 'stopped') assert.equal(status.sales, 'open');
    else {
      assert.equal(status.sales, 'closed');
      const settled = ledger.attempts.slice(0, known).filter(({ answer }) => answer !== undefined);
      await auditKnown(server, random.sample(settled, sampleOfOlder));
      await closeGap(server, ledger, shop, ledger.attempts.slice(known));
    }
    const older = random.sample(ledger.attempts.slice(0, known), sampleOfOlder);
    await audit(server, ledger, [...ledger.attempts.slice(known), ...older]);
  }
  await audit(server, ledger);
  await server.stop();
  await succeeds(['verify', '--data', shop.dataDir], shop.masterKey);
  await folder.remove();
}

interface Shop {
  /** The purchases of one round. */
  readonly maxPurchases: number;
  readonly dataDir: string;
  /** The target of the node's own backup. */
  readonly target: string;
  /** The buyers' receipts, a line each. */
  readonly receipts: string;
  readonly masterKey: string;
  /** Attempts whose receipt is there. */
  readonly proved: Set<Attempt>;
}

function startNode({ dataDir, target, masterKey }: Shop): Promise<ServerUnderTest> {
  const flags = ['--backup', target, '--backup-interval', '200ms', '--backup-base', '1h'];
  return startServer({ dataDir, flags, env: { PURSER_MASTER_KEY: masterKey } });
}

/** Buyers fetch the receipt of each purchase as soon as they have its answer. */
async function loseUnderLoad(
  server: ServerUnderTest,
  ledger: Ledger,
  random: Random,
  shop: Shop,
  end: (typeof ENDS)[number],
): Promise<void> {
  const first = ledger.attempts.length;
  const { maxPurchases } = shop;
  const traffic = new Traffic(server, ledger, random, { workers: 12, maxPurchases, restocks: true });
  let isOver = false;
  const running = traffic.run().finally(() => {
    isOver = true;
  });
  const attempts = () => ledger.attempts.slice(first);
  const fetching = fetchReceipts(server, shop, attempts, () => isOver);
  const proved = shop.proved.size;
  await traffic.untilAcknowledged(purchasesPerRound);
  await eventually('a buyer has a receipt', () => shop.proved.size > proved);
  await Promise.race([running, delay(random.between(5, 400))]);
  if (end === 'stopped') {
    traffic.stop();
    await running;
    await fetching;
    return server.stop();
  }
  traffic.expectTheEnd();
  await server.kill();
  await running;
  await fetching;
}

async function fetchReceipts(
  server: ServerUnderTest,
  shop: Shop,
  attempts: () => readonly Attempt[],
  isOver: () => boolean,
): Promise<void> {
  for (;;) {
    const last = isOver();
    const open = attempts().filter((attempt) => attempt.answer?.status === 201 && !shop.proved.has(attempt));
    for (const attempt of open) {
      try {
        const { orderId = 0 } = attempt.answer?.body ?? {};
        const reply = await server.buyers.raw('GET', `/orders/${orderId}/receipt`, {
          'x-api-key': attempt.buyer.apiKey,
        });
        assert.equal(reply.status, 200, reply.text);
        appendFileSync(shop.receipts, `${(reply.body as { receipt?: string }).receipt}\n`);
        shop.proved.add(attempt);
      } catch (error) {
        // It was killed.
        if (error instanceof assert.AssertionError) throw error;
        return;
      }
    }
    if (last) return;
    await delay(2);
  }
}

/**
 * Audits the attempts: those that the backup had are answered as before, also while sales are closed; the others are
 * refused, and nothing is charged.
 */
async function auditKnown(server: ServerUnderTest, attempts: readonly Attempt[]): Promise<void> {
  await inParallel(attempts, async (attempt) => {
    const reply = await server.buyers.purchase(attempt.buyer.apiKey, attempt.key, attempt.body);
    assert.equal(reply.status, attempt.answer?.status, reply.text);
    assert.equal(reply.body.orderId, attempt.answer?.body.orderId);
  });
  const [first] = attempts;
  if (first === undefined) return;
  const reply = await server.buyers.purchase(first.buyer.apiKey, randomUUID(), first.body);
  assert.deepEqual([reply.status, reply.body.error], [503, 'SALES_CLOSED']);
}

/** The operator enters his books again, takes the buyers' receipts, sets aside what nobody can prove, and opens. */
async function closeGap(
  server: ServerUnderTest,
  ledger: Ledger,
  shop: Shop,
  young: readonly Attempt[],
): Promise<void> {
  const { operator } = server;
  for (const { product, items } of ledger.uploads) {
    const reply = await operator.addStock(product.productId, items.join('\n'));
    assert.equal(reply.status, 201, reply.text);
  }
  for (const credit of ledger.credits) {
    const reply = await operator.credit(credit.buyer.accountId, credit.amountCents / 100, credit.reference);
    assert.ok(reply.status < 300, reply.text);
  }
  const { operatorUrl, operatorToken } = server.process;
  const where = ['--operator', operatorUrl, '--token', operatorToken, '--reason', 'test'];
  await succeeds(['restore', 'receipts', shop.receipts, ...where]);
  // Again: harmless.
  await succeeds(['restore', 'receipts', shop.receipts, ...where]);
  // An answer that nobody has a receipt of may lie in the gap, and a refusal has none. The buyer asks again with his key: it
  // is answered as before, or it is a purchase like any other.
  for (const attempt of young) if (!shop.proved.has(attempt)) attempt.answer = undefined;
  await succeeds(['restore', 'quarantine', '--count', String(mostUnproved), ...where]);
  await succeeds(['restore', 'open', '--all', 'keep', ...where]);
  const { sales } = await restoreStatus(server);
  assert.equal(sales, 'open');
  await succeeds(['restore', 'release', ...where]);
}

async function restoreStatus({ operator }: ServerUnderTest): Promise<Gap> {
  const reply = await operator.json('GET', '/restore');
  assert.equal(reply.status, 200, reply.text);
  return reply.body as unknown as Gap;
}

/** The command line, in this process. */
async function succeeds(args: readonly string[], masterKey?: string): Promise<void> {
  const env = masterKey === undefined ? {} : { PURSER_MASTER_KEY: masterKey };
  const { exitCode, stdout, stderr } = await purser(args, { env });
  assert.equal(exitCode, 0, `purser ${args.join(' ')}: ${stdout}${stderr}`);
}
