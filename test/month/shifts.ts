/**
 * The month, shift by shift. In each, what operators do to stock, prices, keys and waiting orders happens while buyers
 * buy; then the node may be killed under their load. Between two shifts nothing is under way but one purchase, whose
 * supplier answers in the next: so an amount is held when a day ends.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { tradeUntil } from './buyers.ts';
import { hasEnded, OCTOBER, queryOf, type Shift } from './calendar.ts';
import { freezeAndFree } from './deeds/account.ts';
import { complete, fail, open, pay } from './deeds/order.ts';
import { buy } from './deeds/purchase.ts';
import { changePrice, dryRun, recall, upload, withdraw } from './deeds/stock.ts';
import { inTurn, type LedgerLot, type LedgerOrder, type LedgerProduct } from './ledger.ts';
import type { Month } from './month.ts';

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

export async function runMonth(month: Month, { shifts, purchasesPerShift }: Course): Promise<void> {
  const { shop } = month;
  for (let late: Late | undefined, at = 0; at < shifts.length; at += 1) {
    const shift = shifts[at];
    assert.ok(shift !== undefined && shop.shift === shift);
    month.supplier.answerLate();
    await late?.purchase;
    if (hasEnded(OCTOBER, shift)) await keepStatements(month);
    const until = workOfShift(month, shift, purchasesPerShift);
    await tradeUntil(month, { purchases: purchasesPerShift, until });
    if (shift === shifts.at(-1)) break;
    late = await buyLate(month);
    await shop.nextShift();
  }
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
  if (shift.hasKill) {
    await delay(random.between(20, 200));
    await shop.killAndStart();
  }
}

/** Two lots, of which the small one may be bad: it is sold before the other, or still on the shelf when that is known. */
async function restock(month: Month, product: LedgerProduct, count: number): Promise<void> {
  const { random } = month;
  const sizes = [Math.ceil(count / 10), count];
  const isFirst = random.chance(0.5);
  const lots: LedgerLot[] = [];
  for (const size of isFirst ? sizes : [...sizes].reverse()) lots.push(await upload(month, product, size));
  const bad = lots[isFirst ? 0 : 1];
  assert.ok(bad);
  await withdraw(month, product, random.between(1, 3));
  await dryRun(month, bad);
  if (random.chance(0.6)) await recall(month, bad);
}

/** Those that wait for delivery are delivered, or fail, or go on waiting; so do those from the bot. */
async function moveOrders(month: Month): Promise<void> {
  const { ledger, random } = month;
  const waiting = ledger.orders.filter(({ status }) => status === 'pending_delivery');
  for (const order of random.sample(waiting, Math.ceil(waiting.length * 0.8))) {
    await (random.chance(0.6) ? complete(month, order) : fail(month, order));
  }
  const account = random.pick(ledger.accounts);
  const product = random.pick(ledger.products.filter(({ kind }) => kind === 'stock'));
  await open(month, account, product);
  const paid = await open(month, account, product);
  await pay(month, paid);
}

/** Resolves when the supplier was asked, and so the hold is durable; the purchase goes on. */
async function buyLate(month: Month): Promise<Late | undefined> {
  const { supplier, ledger } = month;
  const product = ledger.products.find(({ kind }) => kind === 'late');
  const account = ledger.accounts.find(({ balanceMicros }) => balanceMicros > 50_000_000);
  if (product === undefined || account === undefined) return undefined;
  const sold = supplier.purchases.size;
  const purchase = inTurn(account, () => buy(month, account, product));
  await eventually('the supplier is asked', () => supplier.purchases.size > sold);
  return { purchase };
}
