/**
 * kill -9 at each of the points between hold and answer: no hold leaks, every key answers as it did or as SPEC.md §4
 * says of an interrupted purchase, money adds up, and everything the supplier ever sold is in exactly one place: an
 * order, or own stock. Every answer is in the OpenAPI document.
 *
 * Kills are aimed: at what the supplier sees, and at the moment when the journal has what came of its answer. A busy machine
 * may be late then, so answers to buyers are lost from the supplier's on: a buyer doesn't know in any case. Rejected: to aim
 * by how long the node took before, which is a matter of luck.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type PurchaseStep, ReferenceSupplier } from '../../../../examples/supplier/reference-supplier.ts';
import { listSegments } from '../../../../src/persistence/journal/journal-segments.ts';
import { DocumentedAnswers } from '../../../contract/openapi/documented-answers.ts';
import type { BuyerReply } from '../../../support/buyer-client.ts';
import { eventually } from '../../../support/eventually.ts';
import { startPurser } from '../../../support/nodes/purser-process.ts';
import { ok } from '../../../support/operator-client.ts';
import { type Random, randomFromEnvironment } from '../../../support/random.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { assertSound } from '../shop/sound-folder.ts';
import { type Attempt, type Stage, SupplierShop } from '../shop/supplier-shop.ts';
import { interruptionPoints, POINTS, type Point } from './interruption-points.ts';

const purchasesPerRound = 24;
const flags = ['--supplier-timeout', '1s', '--supplier-poll', '50ms', '--log-level', 'error'];
const startUsdt = 1_000_000;
const patienceMs = 60_000;
const patienceForStepMs = 30_000;
/** The two pages at the beginning of each file of the database that tell of its last commit. */
const COMMIT_BYTES = 8_192;
/** A node that commits nothing for so long has nothing to commit. */
const PATIENCE_FOR_COMMIT_MS = 10_000;
/** The kill comes right behind a commit, or so long after it, at most. */
const MOST_BEHIND_MS = 200;

/**
 * Errors that a key may answer, by the sku, beside an order, `IDEMPOTENCY_UNRESOLVED` and, on a machine that is busy
 * with something else, `PROVIDER_TIMEOUT`.
 */
const refusals: Readonly<Record<string, readonly string[]>> = {
  codes: [],
  late: [],
  later: [],
  'later-failed': [],
  // Without a request, when five in a row had no answer.
  silent: ['PURCHASE_FAILED'],
  'too-many': ['PURCHASE_FAILED'],
};
const skus = Object.keys(refusals);
/** When a round's kill comes: by what the supplier sees, or at any time at all. */
const moments = ['asked', 'sold', 'answered', 'answered', 'answered', 'whenever'] as const;
type Moment = PurchaseStep | 'whenever';
/** So many rounds have proved nothing that haven't killed at one of each: they go on until they have. */
const MANY_ROUNDS = 20;
const MUST_BE_FOUND: readonly (readonly Point[])[] = [
  ['on hold, not asked'],
  ['on hold, asked'],
  ['charged, not delivered', 'promised, not answered', 'delivered, not answered', 'released, not answered'],
];

export async function interruptSuppliers(t: TestContext, rounds: number): Promise<void> {
  const random = randomFromEnvironment();
  const folder = await createTemporaryFolder('supplier');
  t.diagnostic(`seed ${random.seed}, data folder ${folder.path} (kept when this fails)`);
  const supplier = await ReferenceSupplier.start('a secret of the supplier');
  t.after(() => supplier.stop());
  let document: DocumentedAnswers | undefined;
  const open = async () => {
    const server = await startPurser({ dataDir: folder.path, flags });
    document ??= new DocumentedAnswers(await (await fetch(`${server.buyerUrl}/openapi.json`)).text());
    return new SupplierShop(server, { onReply: (...reply) => document?.check(...reply) });
  };
  let shop = await open();
  t.after(() => shop.kill());
  const stage = await shop.setStage(supplier, skus, startUsdt);
  const found = new Map<Point, number>(POINTS.map((point) => [point, 0]));
  const taken: string[] = [];
  let answered = 0;
  const firstMoment = random.between(0, moments.length - 1);
  const isLacking = () => MUST_BE_FOUND.some((points) => points.every((point) => found.get(point) === 0));
  let round = 0;
  while (round < rounds || (rounds >= MANY_ROUNDS && round < 3 * rounds && isLacking())) {
    round += 1;
    supplier.lateMs = random.between(100, 400);
    // Else it would be sold first, and the supplier asked less and less.
    taken.push(...(await shop.takeOwnStock(stage)));
    const moment = moments[(firstMoment + round) % moments.length] ?? 'whenever';
    const line = { isCut: false };
    const dead = killAt(random, moment, supplier, shop, folder.path, line);
    const young = begin(shop, stage, round, line);
    await dead;
    supplier.onStep = () => undefined;
    await assertSound(folder.path);
    const where = await interruptionPoints(folder.path, supplier.purchases);
    shop = await open();
    const { heldUsdt } = await ok(shop.operator.getAccount(stage.accountId));
    assert.equal(heldUsdt, 0, 'a hold has leaked');
    answered += young.filter(({ answer }) => answer !== undefined).length;
    for (const attempt of young.filter(({ answer }) => answer === undefined)) {
      const point = where.get(attempt.key) ?? 'before the hold';
      found.set(point, (found.get(point) ?? 0) + 1);
    }
    await Promise.all(young.map((attempt) => assertKept(shop, stage, attempt, where.get(attempt.key))));
  }

  await buyAtLast(shop, stage);
  await settle(shop, supplier);
  const sold = [...supplier.purchases.values()].flatMap(({ items }) => items);
  taken.push(...(await shop.takeOwnStock(stage)));
  const chargedUsdt = await assertAllFound(shop, stage, taken, sold);
  const { balanceUsdt } = await ok(shop.operator.getAccount(stage.accountId));
  assert.equal(balanceUsdt, startUsdt - chargedUsdt);
  const killed = Array.from(found, ([point, count]) => `${point}: ${count}`).join('; ');
  t.diagnostic(`${round} kills, ${round * purchasesPerRound} purchases, ${answered} of them answered before`);
  t.diagnostic(`interrupted ${killed}`);
  t.diagnostic(`${sold.length} items sold by the supplier, each in one order or in own stock`);
  if (rounds >= MANY_ROUNDS) assert.ok(!isLacking(), killed);
  assert.equal(await shop.stop(), 0);
  await assertSound(folder.path);
  await folder.remove();
}

/** Between the node and its buyers: answers that come when it is cut are lost. */
interface Line {
  isCut: boolean;
}

/** Kills the node when the supplier has come to a certain step often enough, or hasn't for a while. */
async function killAt(
  random: Random,
  moment: Moment,
  supplier: ReferenceSupplier,
  shop: SupplierShop,
  dataDir: string,
  line: Line,
): Promise<void> {
  let left = random.between(1, purchasesPerRound / 2);
  const behindMs = random.pick([0, random.between(1, MOST_BEHIND_MS)]);
  if (moment === 'whenever') {
    await delay(random.between(1, 400));
  } else {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, patienceForStepMs).unref();
      supplier.onStep = (step) => {
        if (step === moment) left -= 1;
        if (step === moment && left === 0) {
          line.isCut = moment === 'answered';
          if (line.isCut) spinUntilCommitted(dataDir);
          if (line.isCut && behindMs > 0) setTimeout(resolve, behindMs);
          else {
            process.kill(shop.server.pid, 'SIGKILL');
            resolve();
          }
        }
        if (moment === 'asked' && step === 'asked' && left <= 0) throw new Error('the request gets lost');
      };
    });
  }
  await shop.kill();
}

/** Until the journal has changed. Nothing else happens in this process meanwhile. */
function spinUntilCommitted(dataDir: string): void {
  const file = openSync(listSegments(dataDir).at(-1)?.file ?? '', 'r');
  const [before, now] = [Buffer.alloc(COMMIT_BYTES), Buffer.alloc(COMMIT_BYTES)];
  readSync(file, before, 0, COMMIT_BYTES, 0);
  const patientUntilMs = performance.now() + PATIENCE_FOR_COMMIT_MS;
  do readSync(file, now, 0, COMMIT_BYTES, 0);
  while (now.equals(before) && performance.now() < patientUntilMs);
  closeSync(file);
}

function begin(shop: SupplierShop, stage: Stage, round: number, line: Line): Attempt[] {
  return Array.from({ length: purchasesPerRound }, (_, index): Attempt => {
    const sku = skus[index % skus.length] ?? '';
    const attempt: Attempt = { key: `${round}-${index}`, sku, productId: stage.productIds.get(sku) ?? 0 };
    shop.buy(stage, attempt).then(
      (reply) => {
        if (!line.isCut) attempt.answer = reply;
      },
      () => undefined,
    );
    return attempt;
  });
}

/**
 * Asserts that every answer stands, and that each attempt without one has one outcome, which is repeated, and told by
 * where it was interrupted.
 */
async function assertKept(
  shop: SupplierShop,
  stage: Stage,
  attempt: Attempt,
  point: Point | undefined,
): Promise<void> {
  const first = await shop.buy(stage, attempt);
  const { answer } = attempt;
  const context = `${attempt.key} ${attempt.sku} ${point}: ${answer?.text ?? 'no answer'}, then ${first.text}`;
  if (answer !== undefined) assertSame(first, answer, context);
  const always = [undefined, 'IDEMPOTENCY_UNRESOLVED', 'PROVIDER_TIMEOUT'];
  const allowed = [...always, ...(refusals[attempt.sku] ?? [])];
  assert.ok(allowed.includes(first.body.error), context);
  assertSame(await shop.buy(stage, attempt), first, context);
  if (answer !== undefined || point === undefined) return;
  const wasOnHold = point === 'on hold, not asked' || point === 'on hold, asked';
  if (wasOnHold) assert.equal(first.body.error, 'IDEMPOTENCY_UNRESOLVED', context);
  else if (point !== 'released, not answered') assert.equal(first.status, 201, context);
}

function assertSame(again: BuyerReply, before: BuyerReply, context: string): void {
  assert.deepEqual(
    [again.status, again.body.error, again.body.orderId],
    [before.status, before.body.error, before.body.orderId],
    context,
  );
}

/** Buys, after all the kills, what the supplier always delivers; a busy machine may let one time out. */
async function buyAtLast(shop: SupplierShop, stage: Stage): Promise<void> {
  const productId = stage.productIds.get('codes') ?? 0;
  const isBought = async () =>
    (await shop.buy(stage, { key: randomUUID(), sku: 'codes', productId })).status === 201;
  await eventually('it sells', isBought, patienceMs);
}

/** Nothing is open but what the supplier never heard of. */
async function settle(shop: SupplierShop, supplier: ReferenceSupplier): Promise<void> {
  const { purchases } = supplier;
  for (const { reference } of purchases.values()) supplier.finish(reference);
  const isSettled = async () => {
    await ok(shop.operator.reconcileSupplierPurchases());
    return (await shop.openSupplierPurchases()).every(({ reference }) => !purchases.has(reference ?? ''));
  };
  await eventually('nothing is open', isSettled, patienceMs);
}

/** Every item in one place, and none besides: an order or own stock. Says what orders have charged. */
async function assertAllFound(
  shop: SupplierShop,
  stage: Stage,
  taken: readonly string[],
  sold: readonly string[],
): Promise<number> {
  const found = [...taken];
  let chargedUsdt = 0;
  for (const { orderId = 0, status = '', totalPriceUsdt = 0 } of await shop.orders(stage)) {
    if (status === 'failed') continue;
    assert.equal(status, 'completed');
    chargedUsdt += totalPriceUsdt;
    found.push(...((await ok(shop.operator.getOrder(orderId))).delivery?.items ?? []));
  }
  assert.deepEqual(found.sort(), [...sold].sort());
  return chargedUsdt;
}
