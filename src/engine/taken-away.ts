/**
 * Rights and prices that facts behind a restore took away, as far as its backup has these facts: one row a thing, as the last
 * of them left it (docs/decisions/0032). The fact that begins the epoch carries them, so replays, backups and followers have
 * them; the state has them until sales are open. They are told to people, and change nothing by themselves.
 *
 * Absent is not empty: without later facts nobody knows what was taken away.
 */
import type { AccountProfile } from './accounts.ts';
import { MAX_TAKEN_ROWS } from './limits.ts';
import type { Price } from './pricing/price.ts';
import { priceKey } from './pricing/price-rows.ts';

interface Taken {
  /** Time of the last fact about the thing, in Unix milliseconds. */
  readonly atMs: number;
}

/** A key that was restored. `set`, here and below: whether there was one before isn't known. */
export interface TakenKey extends Taken {
  readonly accountId: number;
  readonly change: 'replaced' | 'revoked' | 'deactivated' | 'set';
}

export interface TakenOperator extends Taken {
  readonly operatorId: number;
  readonly change: 'revoked' | 'rotated';
}

export interface TakenWebhook extends Taken {
  readonly accountId: number;
  /** The kind of change; a new address has a new secret, too. */
  readonly change: 'deleted' | 'address' | 'secret' | 'set';
}

export interface TakenProduct extends Taken {
  readonly productId: number;
  readonly isDeactivated: boolean;
  /** Prices, as restored and as they were later; absent when they are the same. */
  readonly price?: { readonly from: Price; readonly to: Price };
}

export interface TakenLot extends Taken {
  readonly lotId: number;
  readonly productId: number;
  /** Items that the recall took off sale. */
  readonly withdrawn: number;
}

/** Items that were withdrawn without a recall. */
export interface TakenItems extends Taken {
  readonly productId: number;
  readonly count: number;
  readonly firstItem: number;
  readonly lastItem: number;
}

export interface TakenSecret extends Taken {
  readonly supplierId: number;
  readonly change: 'secret' | 'set';
}

/** A setting as it was restored, and as it was later. */
interface Changed<Setting> extends Taken {
  readonly from: Setting;
  readonly to: Setting;
}

export type AccountTerms = Pick<AccountProfile, 'priceListId' | 'spendLimits' | 'allowedNetworks'>;

/** The terms on which an account buys. */
export interface TakenTerms extends Changed<AccountTerms> {
  readonly accountId: number;
}

/** The percent of a price list, in hundredths. */
export interface TakenPercent extends Changed<number | null> {
  readonly priceListId: number;
}

/** The price of a product in a list; null: none. */
export interface TakenListPrice extends Changed<Price | null> {
  readonly priceListId: number;
  readonly productId: number;
}

/** The price of a product that an account has of its own; null: none. */
export interface TakenOwnPrice extends Changed<Price | null> {
  readonly accountId: number;
  readonly productId: number;
}

export interface TakenKinds {
  readonly keys: TakenKey;
  readonly operators: TakenOperator;
  readonly webhooks: TakenWebhook;
  readonly products: TakenProduct;
  readonly lots: TakenLot;
  readonly items: TakenItems;
  readonly suppliers: TakenSecret;
  readonly accounts: TakenTerms;
  readonly priceLists: TakenPercent;
  readonly listPrices: TakenListPrice;
  readonly accountPrices: TakenOwnPrice;
}
export type TakenKind = keyof TakenKinds;

export interface TakenRows<Row> {
  /** The number of all of them. */
  readonly count: number;
  /** The first `MAX_TAKEN_ROWS` of them, by their ids. */
  readonly rows: readonly Row[];
}

export type TakenLists = { readonly [Kind in TakenKind]: TakenRows<TakenKinds[Kind]> };

export interface TakenAway extends TakenLists {
  /** Time of the last fact that was read, in Unix milliseconds. */
  readonly toMs: number;
  /** False when some of the later facts could not be read: they may have taken more away. */
  readonly isComplete: boolean;
}

/** The number of the thing that a row is about; a price has one of both its ids. */
export const TAKEN_IDS = {
  keys: ({ accountId }) => accountId,
  operators: ({ operatorId }) => operatorId,
  webhooks: ({ accountId }) => accountId,
  products: ({ productId }) => productId,
  lots: ({ lotId }) => lotId,
  items: ({ productId }) => productId,
  suppliers: ({ supplierId }) => supplierId,
  accounts: ({ accountId }) => accountId,
  priceLists: ({ priceListId }) => priceListId,
  listPrices: ({ priceListId, productId }) => priceKey(priceListId, productId),
  accountPrices: ({ accountId, productId }) => priceKey(accountId, productId),
} as const satisfies { [Kind in TakenKind]: (row: TakenKinds[Kind]) => number };

export const TAKEN_KINDS = Object.keys(TAKEN_IDS) as readonly TakenKind[];

/** Rows of one kind; `more` besides them are counted. */
export function takenRows<Kind extends TakenKind>(
  kind: Kind,
  all: Iterable<TakenKinds[Kind]>,
  more = 0,
): TakenRows<TakenKinds[Kind]> {
  const idOf = TAKEN_IDS[kind] as (row: TakenKinds[Kind]) => number;
  const sorted = [...all].sort((a, b) => idOf(a) - idOf(b));
  return { count: sorted.length + more, rows: sorted.slice(0, MAX_TAKEN_ROWS) };
}

/** The effect of two restores of one gap: the later one's word about a thing counts. */
export function bothTaken(
  before: TakenAway | undefined,
  after: TakenAway | undefined,
): TakenAway | undefined {
  if (before === undefined || after === undefined) return after ?? before;
  const toMs = Math.max(before.toMs, after.toMs);
  return { toMs, isComplete: before.isComplete && after.isComplete, ...allTaken(before, after) };
}

/** The lists of both, as `bothTaken`. */
export function allTaken(before: TakenLists, after: TakenLists): TakenLists {
  const lists = TAKEN_KINDS.map((kind) => [kind, allRows(kind, before[kind], after[kind])]);
  return Object.fromEntries(lists) as TakenLists;
}

function allRows<Kind extends TakenKind>(
  kind: Kind,
  before: TakenRows<TakenKinds[Kind]>,
  after: TakenRows<TakenKinds[Kind]>,
): TakenRows<TakenKinds[Kind]> {
  const idOf = TAKEN_IDS[kind] as (row: TakenKinds[Kind]) => number;
  const rows = new Map([...before.rows, ...after.rows].map((row) => [idOf(row), row]));
  const more = [before, after].reduce((sum, list) => sum + list.count - list.rows.length, 0);
  return takenRows(kind, rows.values(), more);
}
