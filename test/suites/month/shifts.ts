/**
 * The month, shift by shift. In each, what operators do to stock, prices, keys and waiting orders happens while buyers
 * buy; then the node may be killed under their load. Between two shifts nothing is under way but one purchase, whose
 * supplier answers in the next: so an amount is held when a day ends.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { tradeUntil } from './buyers.ts';
import { hasEnded, OCTOBER, queryOf, type Shift } from './calendar.ts';
import { freezeAndFree } from './deeds/account.ts';
import { credit } from './deeds/credit.ts';
import { complete, fail, open, pay } from './deeds/order.ts';
import { buy } from './deeds/purchase.ts';
import { changePrice, dryRun, recall, upload, withdraw } from './deeds/stock.ts';
import { inTurn, type LedgerOrder, type LedgerProduct } from './ledger.ts';
import type { Month } from './month.ts';
import { doOneOfEach } from './one-of-each.ts';

export interface Course {
  readonly shifts: readonly Shift[];
  readonly purchasesPerShift: number;
}

interface Late {
  readonly purchase: Promise<LedgerOrder | undefined>;
}

/** What a shift's purchases take at most, of one product. */
const ITEMS_PER_PURCHASE = 1.2;
const STATEMENTS = 3;
const MIN_LOT = 10;
/** Of the three products: both lots of this shift and of the one before. */
const RECENT_LOTS = 12;
const RECALLS = 2;
/** More than a purchase costs. */
const LATE_MICROS = 50_000_000;

export async function runMonth(month: Month, { shifts, purchasesPerShift }: Course): Promise<void> {
  const { shop } = month;
  for (let late: Late | undefined, at = 0; at < shifts.length; at += 1) {
    const shift = shifts[at];
    assert.ok(shift !== undefined && shop.shift === shift);
    month.supplier.answerLate();
    await late?.purchase;
    if (hasEnded(OCTOBER, shift)) await keepStatements(month);
    const fromMs = performance.now();
    const until = workOfShift(month, shift, purchasesPerShift);
    await tradeUntil(month, { purchases: purchasesPerShift, until });
    if (month.isLong) tell(month, shifts.length, performance.now() - fromMs);
    if (shift === shifts.at(-1)) break;
    late = await buyLate(month);
    await shop.nextShift();
  }
  await doOneOfEach(month);
}

/** For those who wait for a long month. */
function tell({ shop, ledger }: Month, shifts: number, tookMs: number): void {
  const { index, hasKill } = shop.shift;
  const kill = hasKill ? ', with a kill' : '';
  const took = `${(tookMs / 1_000).toFixed(1)} s`;
  console.log(`shift ${index + 1} of ${shifts}: ${ledger.orders.length} orders, took ${took}${kill}`);
}

/** What is asked again when all is over. */
async function keepStatements({ shop, ledger }: Month): Promise<void> {
  for (const { accountId } of ledger.accounts.slice(0, STATEMENTS)) {
    if (ledger.statements.has(accountId)) continue;
    const path = `/accounts/${accountId}/statement?${queryOf(OCTOBER)}`;
    const { status, text } = await shop.ask('dora', 'GET', path, undefined, { accept: 'text/csv' });
    assert.equal(status, 200, text);
    ledger.statements.set(accountId, text);
  }
}

async function workOfShift(month: Month, shift: Shift, purchases: number): Promise<void> {
  const { shop, ledger, random } = month;
  const shelves = ledger.products.filter(({ kind }) => kind === 'stock' || kind === 'recipient');
  for (const product of shelves) await restock(month, product, Math.ceil(purchases * ITEMS_PER_PURCHASE));
  await changePrice(month, random.pick(ledger.products));
  await freezeAndFree(month, random.pick(ledger.accounts));
  await moveOrders(month);
  await recallSome(month);
  if (shift.hasKill) {
    await delay(random.between(20, 200));
    await shop.killAndStart();
  }
}

/** Two lots, with which the shelf has `count` items or so. The small one is sold before the other, or after it. */
async function restock(month: Month, product: LedgerProduct, count: number): Promise<void> {
  const { random } = month;
  const missing = Math.max(count - product.onShelf, MIN_LOT);
  const sizes = [Math.ceil(missing / 10), missing];
  for (const size of random.chance(0.5) ? sizes : sizes.toReversed()) {
    await dryRun(month, await upload(month, product, size));
  }
  await withdraw(month, product, random.between(1, 3));
}

/**
 * Small ones of this shift and the one before: sold, sold in part, or still on the shelf when it is known that they are
 * bad.
 */
async function recallSome(month: Month): Promise<void> {
  const { ledger, random } = month;
  const newest = ledger.lots.filter(({ recall: known }) => known === undefined).slice(-RECENT_LOTS);
  const small = newest.toSorted((a, b) => a.count - b.count).slice(0, RECENT_LOTS / 2);
  for (const lot of random.sample(small, RECALLS)) await recall(month, lot);
}

/** Those that wait for delivery are delivered, or fail, or go on waiting; so do those from the bot. */
async function moveOrders(month: Month): Promise<void> {
  const { ledger, random } = month;
  const waiting = ledger.orders.filter(({ status }) => status === 'pending_delivery');
  const moved = random.sample(waiting, Math.ceil(waiting.length * 0.8));
  await Promise.all(moved.map((order) => (random.chance(0.6) ? complete(month, order) : fail(month, order))));
  const account = random.pick(ledger.accounts);
  const product = random.pick(ledger.products.filter(({ kind }) => kind === 'stock'));
  await open(month, account, product);
  const paid = await open(month, account, product);
  await pay(month, paid);
}

/** Resolves when the supplier was asked, and so the hold is durable; the purchase goes on. */
async function buyLate(month: Month): Promise<Late> {
  const { supplier, ledger, random } = month;
  const product = ledger.products.find(({ kind }) => kind === 'late');
  assert.ok(product);
  const account = random.pick(ledger.accounts);
  if (account.balanceMicros < LATE_MICROS) await inTurn(account, () => credit(month, account, LATE_MICROS));
  const sold = supplier.purchases.size;
  const purchase = inTurn(account, () => buy(month, account, product));
  await eventually('the supplier is asked', () => supplier.purchases.size > sold);
  return { purchase };
}
