/**
 * One shift of all accounts at once: each buys, is credited and gets money back, one after the other, until so many
 * purchases are made in all, and the rest of the shift is over, too.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { inTurn, type LedgerAccount, type LedgerOrder, refundedMicros } from './ledger.ts';
import type { Month } from './month.ts';
import { credit, refundAll, refundAmount, refundItems, repeatCredit, repeatRefund } from './operators.ts';
import { buy } from './purchase.ts';

/** Below it an account gets money. */
const LOW_MICROS = 40_000_000;
const FIRST_MICROS = 500_000_000;
const CHANCE = { credit: 0.02, correction: 0.01, repeatedCredit: 0.01, refund: 0.08 };
/** Nobody looks further back for an order to refund. */
const RECENT = 200;
/** In a row, of one account: then something is wrong with the shop. */
const MAX_REFUSALS = 1_000;
/** When all purchases are made, and the shift isn't over. */
const IDLE_MS = 20;
/** Suppliers are slow, and few things are bought there. Where the node is killed nothing is: who knows what was held? */
const SUPPLIER_CHANCE = 0.03;

export interface ShiftPlan {
  readonly purchases: number;
  /** Until it is over. */
  readonly until: Promise<void>;
}

export async function tradeUntil(month: Month, { purchases, until }: ShiftPlan): Promise<void> {
  const { ledger } = month;
  const wanted = ledger.orders.length + purchases;
  let isOver = false;
  const ending = until.finally(() => {
    isOver = true;
  });
  const work = async (account: LedgerAccount) => {
    let refusals = 0;
    while (ledger.orders.length < wanted || !isOver) {
      const known = ledger.orders.length;
      await inTurn(account, () => doSomething(month, account));
      refusals = ledger.orders.length > known ? 0 : refusals + 1;
      assert.ok(refusals < MAX_REFUSALS, 'nothing can be bought');
      if (ledger.orders.length >= wanted) await delay(IDLE_MS);
    }
  };
  await Promise.all([...ledger.accounts.map(work), ending]);
}

async function doSomething(month: Month, account: LedgerAccount): Promise<void> {
  const { random } = month;
  if (account.movements.length === 0) return credit(month, account, FIRST_MICROS);
  if (account.balanceMicros < LOW_MICROS) return credit(month, account, random.between(1, 100_000) * 10_000);
  if (random.chance(CHANCE.credit)) return credit(month, account, random.between(1, 100) * 10_000);
  if (random.chance(CHANCE.correction)) return credit(month, account, -random.between(1, 100) * 10_000);
  if (random.chance(CHANCE.repeatedCredit)) return repeatCredit(month, account);
  if (random.chance(CHANCE.refund)) return giveBack(month, account);
  await buy(month, account, productFor(month));
}

async function giveBack(month: Month, account: LedgerAccount): Promise<void> {
  const { random } = month;
  const isAgain = random.chance(0.4);
  const order = oneOf(month, account, ({ refunds }) => !isAgain || refunds.length > 0);
  if (order === undefined) return;
  if (order.refunds.length > 0 && random.chance(0.3)) return repeatRefund(month, order);
  const hadAmount = order.refunds.some(({ items }) => items.length === 0);
  if (!hadAmount && random.chance(0.4)) return refundItems(month, order);
  if (order.refunds.length === 0 || hadAmount) {
    if (random.chance(0.6)) return refundAmount(month, order);
  }
  return refundAll(month, order);
}

/** Completed, of own stock, and not wholly refunded: the next one from a place by chance. */
function oneOf(
  { random }: Month,
  { orders }: LedgerAccount,
  isFit: (order: LedgerOrder) => boolean,
): LedgerOrder | undefined {
  const recent = orders.slice(-RECENT);
  const from = random.between(0, recent.length);
  return [...recent.slice(from), ...recent.slice(0, from)].find(
    (order) =>
      order.status === 'completed' &&
      order.product.kind === 'stock' &&
      isFit(order) &&
      refundedMicros(order) < order.totalMicros,
  );
}

function productFor({ shop, ledger, random }: Month) {
  let wanted = 'stock';
  if (!shop.shift.hasKill && random.chance(SUPPLIER_CHANCE)) wanted = 'supplied';
  else if (random.chance(SUPPLIER_CHANCE)) wanted = 'manual';
  return random.pick(ledger.products.filter(({ kind }) => kind === wanted));
}
