/**
 * The month, shift by shift. In each, what operators do to stock, prices and waiting orders happens while buyers buy; then
 * the node may be killed under their load. Between two shifts nothing is under way but one purchase, whose supplier
 * answers in the next: so an amount is held when a day ends.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { tradeUntil } from './buyers.ts';
import { isBefore, OCTOBER, queryOf, SHIFTS } from './calendar.ts';
import { inTurn, type LedgerOrder } from './ledger.ts';
import type { Month } from './month.ts';
import { changePrice, complete, credit, fail, upload } from './operators.ts';
import { buy } from './purchase.ts';

interface Late {
  readonly purchase: Promise<LedgerOrder | undefined>;
}

/** The most items of a product that a shift's purchase takes, on average. */
const ITEMS_PER_PURCHASE = 1.2;
const STATEMENTS = 3;
const MIN_UPLOAD = 10;
/** More than a purchase costs. */
const LATE_MICROS = 50_000_000;

export async function runMonth(month: Month, purchases: number): Promise<void> {
  const perShift = Math.ceil(purchases / SHIFTS.length);
  let late: Late | undefined;
  for (const shift of SHIFTS) {
    if (late !== undefined) await month.shop.nextShift();
    month.supplier.answerLate();
    await late?.purchase;
    if (!isBefore(OCTOBER.to, shift)) await keepStatements(month);
    await tradeUntil(month, { purchases: perShift, until: workOfShift(month, perShift) });
    if (shift !== SHIFTS.at(-1)) late = await buyLate(month);
  }
}

/** Keeps the statements that are asked for again when all is over. */
async function keepStatements({ shop, ledger }: Month): Promise<void> {
  for (const { accountId } of ledger.accounts.slice(0, STATEMENTS)) {
    const path = `/accounts/${accountId}/statement?${queryOf(OCTOBER)}`;
    const { status, text } = await shop.ask('dora', 'GET', path, undefined, { accept: 'text/csv' });
    assert.equal(status, 200, text);
    ledger.statements.set(accountId, text);
  }
}

async function workOfShift(month: Month, purchases: number): Promise<void> {
  const { shop, ledger, random } = month;
  const shelves = ledger.products.filter(({ kind }) => kind === 'stock');
  const wanted = Math.ceil(purchases * ITEMS_PER_PURCHASE);
  for (const shelf of shelves) await upload(month, shelf, Math.max(wanted - shelf.onShelf, MIN_UPLOAD));
  await changePrice(month, random.pick(ledger.products));
  // Of those that wait for delivery, some are delivered, some fail, and some go on waiting.
  const waiting = ledger.orders.filter(({ status }) => status === 'pending_delivery');
  const moved = random.sample(waiting, Math.ceil(waiting.length * 0.8));
  await Promise.all(moved.map((order) => (random.chance(0.6) ? complete(month, order) : fail(month, order))));
  if (!shop.shift.hasKill) return;
  await delay(random.between(20, 200));
  await shop.killAndStart();
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
