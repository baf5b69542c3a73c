/** Statements, sums and lines of the audit as an outside ledger has them. */
import assert from 'node:assert/strict';
import type { Fact, FactOf } from '../../../src/engine/fact.ts';
import { requestIdOf } from '../../../src/engine/request-number.ts';
import type { LedgerLine, MoneyScene } from './money-scene.ts';

export const DAY_MS = 86_400_000;
export const NAMES = ['root', 'anna', 'boris'];
const KINDS: Partial<Record<Fact['kind'], string>> = {
  OrderPlaced: 'purchase',
  OrderPaid: 'purchase',
  HoldPlaced: 'hold',
  HoldReleased: 'release',
  OrderFailed: 'return',
  OrderRefunded: 'refund',
};
const SUMS = ['deposits', 'sales', 'refunds', 'held'] as const;

export interface Period {
  readonly from?: number;
  readonly to?: number;
}
export type Body = Record<string, unknown>;

export function isIn({ from = 0, to = Number.POSITIVE_INFINITY }: Period, at: number): boolean {
  return at >= from && at < to;
}

export const usdt = (micros: number) => micros / 1e6;

export function expectedStatement(scene: MoneyScene, accountId: number, period: Period) {
  const { to = Number.POSITIVE_INFINITY, from = 0 } = period;
  // A capture leaves the wallet as it is.
  const all = scene.lines.filter((line) => line.accountId === accountId && line.wallet !== 0);
  const closing = all.findLast(({ at }) => at < to);
  return {
    openingUsdt: usdt(all.findLast(({ at }) => at < from)?.balance ?? 0),
    closingUsdt: usdt(closing?.balance ?? 0),
    position: { seq: closing?.seq ?? 0, hash: scene.hashes[closing?.seq ?? 0] },
    movements: all.filter(({ at }) => isIn(period, at)).map((line) => movementOf(scene, line, to)),
  };
}

function movementOf(scene: MoneyScene, { seq, at, fact, wallet, balance }: LedgerLine, to: number): Body {
  const { operatorId, reason } = fact.origin ?? {};
  const credit = fact.kind === 'WalletCredited' ? { reference: fact.credit.reference } : {};
  const order = 'order' in fact ? { orderId: fact.order.orderId } : {};
  const hold =
    fact.kind === 'HoldPlaced'
      ? { ...orderOfHold(scene, fact, to), reference: fact.supplierPurchase.reference }
      : {};
  const release = fact.kind === 'HoldReleased' ? { reference: fact.reference } : {};
  return {
    seq,
    at,
    kind: KINDS[fact.kind] ?? (wallet < 0 ? 'adjustment' : 'credit'),
    amountUsdt: usdt(wallet),
    balanceUsdt: usdt(balance),
    ...order,
    ...hold,
    ...release,
    ...credit,
    ...(operatorId === undefined ? {} : { operator: NAMES[operatorId] }),
    ...(operatorId === undefined || reason === undefined ? {} : { reason }),
  };
}

/** The order of a hold, as it was when the period ended. */
function orderOfHold(scene: MoneyScene, { supplierPurchase }: FactOf<'HoldPlaced'>, to: number): Body {
  for (const fact of scene.facts) {
    const isIts =
      fact.kind === 'HoldCaptured' && fact.supplierPurchaseId === supplierPurchase.supplierPurchaseId;
    if (isIts && fact.atMs < to) return { orderId: fact.order.orderId };
  }
  return {};
}

export function sumsOf(lines: readonly LedgerLine[]): Body {
  const sums = SUMS.map((name) => lines.reduce((sum, line) => sum + line[name], 0));
  const wallets = lines.reduce((sum, line) => sum + line.wallet, 0);
  const [deposits = 0, sales = 0, refunds = 0, held = 0] = sums;
  assert.equal(deposits - sales + refunds - held, wallets);
  return Object.fromEntries(
    [...SUMS, 'wallets'].map((name, at) => [`${name}Usdt`, usdt([...sums, wallets][at] ?? 0)]),
  );
}

/** Days are those that clocks of the zone show. */
export function rowsBy(by: string, lines: readonly LedgerLine[], timeZone: string): Body[] {
  const shown = new Intl.DateTimeFormat('en-CA', { timeZone });
  const dayOf = (at: number) => Date.parse(shown.format(at)) / DAY_MS;
  const keyOf = (line: LedgerLine) =>
    by === 'day' ? dayOf(line.at) : by.startsWith('product') ? line.productId : line.accountId;
  const keys = [...new Set(lines.map(keyOf))].filter((key) => key !== undefined).sort((a, b) => a - b);
  return keys.map((key) => ({
    ...(by === 'day'
      ? { day: new Date(key * DAY_MS).toISOString().slice(0, 10) }
      : { [by.startsWith('product') ? 'productId' : 'accountId']: key }),
    ...sumsOf(lines.filter((line) => keyOf(line) === key)),
  }));
}

export function entryOf(fact: Fact, seq: number): Body {
  const { operatorId = -1, reason, requestNumber = 0 } = fact.origin ?? {};
  const found = { ...fact, ...('order' in fact ? fact.order : {}), ...('credit' in fact ? fact.credit : {}) };
  const { accountId, productId, orderId, supplierId } = found as Body;
  const lot = fact.kind === 'StockAdded' ? { lotId: fact.lot.lotId } : {};
  const target = fact.kind === 'OperatorCreated' ? { targetOperator: fact.profile.name } : {};
  const ids = { accountId, productId, orderId, supplierId };
  return {
    seq,
    at: fact.atMs,
    operator: NAMES[operatorId],
    action: fact.kind,
    ...(reason === undefined ? {} : { reason }),
    requestId: requestIdOf(requestNumber),
    ...Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== undefined)),
    ...lot,
    ...target,
  };
}
