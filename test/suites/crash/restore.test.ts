/**
 * The folder is lost, again and again: a node that ships its backup is killed under load, its folder removed, and the
 * shop restored from what the target has. What the backup had is exact. What it lacked lies in the stated gap: sales are
 * closed until the operator has entered again what is in his own books, and the buyers' receipts have put their orders
 * back. Then nothing is sold twice, no money is wrong, and every key is answered as before.
 *
 * At random a `purser backup` to another target is killed, too, or the shop is restored from that one; or the node stops
 * cleanly, and nothing is lost. The short form has 20 rounds in one process, where a kill is simulated
 * (restorable-shop.ts), and one of real processes; the long one (PURSER_TEST_LONG) 200 of these. PURSER_TEST_ROUNDS sets
 * another number of them.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { isLongRun, type Random, randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { audit, inParallel } from './audit.ts';
import { type Attempt, Ledger } from './ledger.ts';
import { type CommandEnd, type Means, oneProcess, processes, type ShopOptions } from './restorable-shop.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { setStage } from './stage.ts';
import { Traffic } from './traffic.ts';

interface Form {
  readonly name: string;
  readonly means: Means;
  readonly rounds: number;
  readonly purchasesPerRound: number;
  /** Of one round, and how often the operator restocks in one. */
  readonly maxPurchases: number;
  readonly restocksWith: number;
  /** Older attempts of which a sample is looked at in every round; all of them are at the end. */
  readonly sampleOfOlder: number;
}

const FORMS: readonly Form[] = [
  {
    name: 'of a node of its own process',
    means: processes,
    rounds: Number(process.env.PURSER_TEST_ROUNDS ?? (isLongRun() ? 200 : 1)),
    purchasesPerRound: 12,
    maxPurchases: 600,
    restocksWith: 1,
    sampleOfOlder: 150,
  },
  {
    name: 'of a node in this process',
    means: oneProcess,
    rounds: 20,
    purchasesPerRound: 4,
    maxPurchases: 12,
    restocksWith: 0.2,
    sampleOfOlder: 8,
  },
];
/** The restored node may have sold as many items of a product as this, of which nobody has a receipt. */
const mostUnproved = 60;

/** How a round ends for the folder. */
const ENDS = ['killed', 'killed', 'killed', 'stopped', 'killed, and restored from purser backup'] as const;

interface Gap {
  readonly sales: 'open' | 'closed';
  readonly epoch: number;
  readonly gap: { readonly orders: number | null } | null;
}

for (const form of FORMS) {
  const title = `${form.rounds} times the folder ${form.name} is lost: what the backup had is exact, and receipts close the gap`;
  test(title, { timeout: 240_000 + form.rounds * 60_000 }, (t) => loseFolders(t, form));
}

async function loseFolders(t: TestContext, form: Form): Promise<void> {
  const { means, rounds, sampleOfOlder } = form;
  const random = randomFromEnvironment();
  const folder = await createTemporaryFolder('restore');
  const path = (name: string) => join(folder.path, name);
  t.diagnostic(`seed ${random.seed}, folder ${folder.path} (kept when this fails)`);
  const ledger = new Ledger();
  const shop: Shop = {
    form,
    dataDir: path('data'),
    target: path('target'),
    other: path('other-target'),
    receipts: path('receipts'),
    masterKey: randomBytes(32).toString('base64'),
    proved: new Set(),
  };
  writeFileSync(shop.receipts, '');
  let server = await means.start(shop);
  t.after(() => server.kill());
  await setStage(server, ledger, 200);
  for (let round = 0; round < rounds; round += 1) {
    const end = round === 0 ? 'killed' : random.pick(ENDS);
    const known = ledger.attempts.length;
    await eventually('all so far is in the backup', async () => {
      const { text } = await server.operator.json('GET', '/backups/status');
      return JSON.parse(text).lagSeconds === 0;
    });
    const isFromOther = end === 'killed, and restored from purser backup';
    if (isFromOther) await succeeds(shop, ['backup', shop.other, ...at(server), '--reason', 'test']);
    await loseUnderLoad(server, ledger, random, shop, end);
    rmSync(shop.dataDir, { recursive: true });
    const source = isFromOther ? shop.other : shop.target;
    await succeeds(shop, ['restore', source, '--data', shop.dataDir], shop.masterKey);
    server = await means.start(shop);
    const status = await restoreStatus(server);
    t.diagnostic(
      `round ${round + 1}, ${end}: ${ledger.attempts.length - known} purchases, ${JSON.stringify(status)}`,
    );
    if (end === 'stopped') assert.equal(status.sales, 'open');
    else {
      assert.equal(status.sales, 'closed');
      await auditKnown(
        server,
        random.sample(settledOf(ledger.attempts.slice(0, known)), sampleOfOlder),
        random,
      );
      await closeGap(server, ledger, shop, ledger.attempts.slice(known));
    }
    const older = random.sample(ledger.attempts.slice(0, known), sampleOfOlder);
    await audit(server, ledger, [...ledger.attempts.slice(known), ...older]);
  }
  await audit(server, ledger);
  await server.stop();
  await succeeds(shop, ['verify', '--data', shop.dataDir], shop.masterKey);
  await folder.remove();
}

/** `target`: of the node's own backup. */
interface Shop extends ShopOptions {
  readonly form: Form;
  /** Of `purser backup`. */
  readonly other: string;
  /** The buyers' receipts, a line each. */
  readonly receipts: string;
  /** Attempts whose receipt is there. */
  readonly proved: Set<Attempt>;
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
  const { means, maxPurchases, restocksWith, purchasesPerRound } = shop.form;
  const restocks = random.chance(restocksWith);
  const traffic = new Traffic(server, ledger, random, { workers: 12, maxPurchases, restocks });
  let isOver = false;
  const running = traffic.run().finally(() => {
    isOver = true;
  });
  const fetching = fetchReceipts(
    server,
    shop,
    () => ledger.attempts.slice(first),
    () => isOver,
  );
  const proved = shop.proved.size;
  await traffic.untilAcknowledged(purchasesPerRound);
  await eventually('a buyer has a receipt', () => shop.proved.size > proved);
  const other = random.chance(0.3)
    ? means.begin(['backup', shop.other, ...at(server), '--reason', 'test'])
    : undefined;
  await Promise.race([running, delay(random.between(5, 400))]);
  if (end === 'stopped') {
    traffic.stop();
    await running;
    await fetching;
    await other?.ended;
    return server.stop();
  }
  traffic.expectTheEnd();
  if (random.chance(0.5)) other?.kill();
  await server.kill();
  await running;
  await fetching;
  await other?.ended;
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

function settledOf(attempts: readonly Attempt[]): Attempt[] {
  return attempts.filter(({ answer }) => answer !== undefined);
}

/** What the backup had answers as before, also while sales are closed; what it hadn't is refused, and nothing is charged. */
async function auditKnown(
  server: ServerUnderTest,
  attempts: readonly Attempt[],
  random: Random,
): Promise<void> {
  await inParallel(attempts, async (attempt) => {
    const reply = await server.buyers.purchase(attempt.buyer.apiKey, attempt.key, attempt.body);
    assert.equal(reply.status, attempt.answer?.status, reply.text);
    assert.equal(reply.body.orderId, attempt.answer?.body.orderId);
  });
  const [first] = attempts;
  if (first === undefined) return;
  const reply = await server.buyers.purchase(first.buyer.apiKey, `new ${random.between(0, 1e9)}`, first.body);
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
  await succeeds(shop, ['restore', 'receipts', shop.receipts, ...at(server), '--reason', 'test']);
  // Again: harmless.
  await succeeds(shop, ['restore', 'receipts', shop.receipts, ...at(server), '--reason', 'test']);
  forgetUnproved(young, shop);
  const count = ['--count', String(mostUnproved)];
  await succeeds(shop, ['restore', 'quarantine', ...count, ...at(server), '--reason', 'test']);
  await succeeds(shop, ['restore', 'open', ...at(server), '--reason', 'test']);
  const { sales } = await restoreStatus(server);
  assert.equal(sales, 'open');
  await succeeds(shop, ['restore', 'release', ...at(server), '--reason', 'test']);
}

/**
 * An answer that nobody has a receipt of may lie in the gap, and a refusal has none. The buyer asks again with his key: it
 * is answered as before, or it is a purchase like any other.
 */
function forgetUnproved(young: readonly Attempt[], { proved }: Shop): void {
  for (const attempt of young) {
    if (!proved.has(attempt)) attempt.answer = undefined;
  }
}

async function restoreStatus({ operator }: ServerUnderTest): Promise<Gap> {
  const reply = await operator.json('GET', '/restore');
  assert.equal(reply.status, 200, reply.text);
  return reply.body as unknown as Gap;
}

function at({ process }: ServerUnderTest): string[] {
  return ['--operator', process.operatorUrl, '--token', process.operatorToken];
}

async function succeeds(
  { form: { means } }: Shop,
  args: readonly string[],
  masterKey?: string,
): Promise<CommandEnd> {
  const end = await means.run(args, masterKey === undefined ? {} : { PURSER_MASTER_KEY: masterKey });
  assert.equal(end.code, 0, `purser ${args.join(' ')}: ${end.output}`);
  return end;
}
