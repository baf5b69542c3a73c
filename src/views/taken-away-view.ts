/**
 * Rights and prices that a backup's later facts took away from a restored shop, as operators and their programs read it: counts for the feed,
 * and rows with names and prices for GET /restore and `purser restore`.
 */
import { PERCENT_STEPS, type Price } from '../engine/pricing/price.ts';
import type { State } from '../engine/state.ts';
import {
  type AccountTerms,
  TAKEN_KINDS,
  type TakenAway,
  type TakenKind,
  type TakenKinds,
  type TakenProduct,
} from '../engine/taken-away.ts';
import { accountView, type Fields, priceView } from './operator-views.ts';

/** Tables that know names. */
export type Names = Pick<State, 'accounts' | 'operators' | 'products' | 'suppliers' | 'priceLists'>;

type Row = TakenKinds[TakenKind];

/** The number of each kind. */
export function takenCounts(taken: TakenAway): Fields {
  return Object.fromEntries(TAKEN_KINDS.map((kind) => [kind, taken[kind].count]));
}

/** Rows have names when `names` are given, as they are now. */
export function takenAwayView(taken: TakenAway, names?: Names): Fields {
  const lists = TAKEN_KINDS.map((kind) => {
    const { count, rows } = taken[kind];
    return [kind, { count, rows: (rows as readonly Row[]).map((row) => rowView(kind, row, names)) }];
  });
  return { to: taken.toMs, complete: taken.isComplete, ...Object.fromEntries(lists) };
}

function rowView(kind: TakenKind, { atMs, ...row }: Row, names: Names | undefined): Fields {
  const name = names === undefined ? undefined : nameIn(names, row);
  const fields = 'isDeactivated' in row ? productFields(row) : 'from' in row ? changeFields(kind, row) : row;
  return { ...(name === undefined ? {} : { name }), ...fields, at: atMs };
}

/** The name of the thing; of a lot and of items, the product's. */
function nameIn(names: Names, row: Omit<Row, 'atMs'>): string | undefined {
  const { accountId, operatorId, productId, supplierId, priceListId } = row as unknown as Readonly<
    Record<string, number | undefined>
  >;
  const named =
    names.accounts.get(accountId ?? 0) ??
    names.operators.get(operatorId ?? 0) ??
    names.products.get(productId ?? 0) ??
    names.suppliers.get(supplierId ?? 0) ??
    names.priceLists.get(priceListId ?? 0);
  return named?.profile.name;
}

function productFields({ productId, isDeactivated, price }: Omit<TakenProduct, 'atMs'>): Fields {
  const others = price === undefined ? {} : differing(priceFields(price.from), priceFields(price.to));
  return { productId, deactivated: isDeactivated, ...others };
}

/** A setting as it was restored, and as it was later: of its fields those that differ. */
function changeFields(kind: TakenKind, { from, to, ...ids }: Omit<Changed, 'atMs'>): Fields {
  const view = (SETTINGS[kind as keyof typeof SETTINGS] ?? priceFields) as (setting: unknown) => Fields;
  return { ...ids, ...differing(view(from), view(to)) };
}

type Changed = Extract<Row, { readonly from: unknown }>;

const SETTINGS = {
  accounts: (terms: AccountTerms): Fields => {
    const unnamed = { name: '', rateLimitPerMinute: null, webhookConcurrency: 1 };
    const { priceListId, spendLimits, allowedNetworks } = accountView(0, { ...unnamed, ...terms });
    return { priceListId, spendLimits, allowedNetworks };
  },
  priceLists: (steps: number | null): Fields => ({ percent: steps === null ? null : steps / PERCENT_STEPS }),
};

/** Without a price there are no volume prices either. */
function priceFields(price: Price | null): Fields {
  return price === null ? { priceUsdt: null, priceTiers: [] } : priceView(price);
}

function differing(from: Fields, to: Fields): Fields {
  const names = Object.keys(from).filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]));
  return Object.fromEntries(names.map((name) => [name, { from: from[name], to: to[name] }]));
}
