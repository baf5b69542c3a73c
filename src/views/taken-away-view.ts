/**
 * Rights and prices that a backup's later facts took away from a restored shop, as operators and their programs read it: counts for the feed,
 * and rows with names and prices for GET /restore and `purser restore`.
 */
import { usdtFromMicros } from '../engine/money.ts';
import type { State } from '../engine/state.ts';
import {
  TAKEN_KINDS,
  type TakenAway,
  type TakenKind,
  type TakenKinds,
  type TakenProduct,
} from '../engine/taken-away.ts';
import { type Fields, priceTiersView } from './operator-views.ts';

/** Tables that know names. */
export type Names = Pick<State, 'accounts' | 'operators' | 'products' | 'suppliers'>;

type Row = TakenKinds[TakenKind];

/** The number of each kind. */
export function takenCounts(taken: TakenAway): Fields {
  return Object.fromEntries(TAKEN_KINDS.map((kind) => [kind, taken[kind].count]));
}

/** Rows have names when `names` are given, as they are now. */
export function takenAwayView(taken: TakenAway, names?: Names): Fields {
  const lists = TAKEN_KINDS.map((kind) => {
    const { count, rows } = taken[kind];
    return [kind, { count, rows: (rows as readonly Row[]).map((row) => rowView(row, names)) }];
  });
  return { to: taken.toMs, complete: taken.isComplete, ...Object.fromEntries(lists) };
}

function rowView({ atMs, ...row }: Row, names: Names | undefined): Fields {
  const name = names === undefined ? undefined : nameIn(names, row);
  const fields = 'isDeactivated' in row ? productFields(row) : row;
  return { ...(name === undefined ? {} : { name }), ...fields, at: atMs };
}

/** The name of the thing; of a lot and of items, the product's. */
function nameIn(names: Names, row: Omit<Row, 'atMs'>): string | undefined {
  const { accountId, operatorId, productId, supplierId } = row as Readonly<
    Record<string, number | undefined>
  >;
  const named =
    names.accounts.get(accountId ?? 0) ??
    names.operators.get(operatorId ?? 0) ??
    names.products.get(productId ?? 0) ??
    names.suppliers.get(supplierId ?? 0);
  return named?.profile.name;
}

/** A price, and volume prices, are there when they are others. */
function productFields({ productId, isDeactivated, price }: Omit<TakenProduct, 'atMs'>): Fields {
  const fields = { productId, deactivated: isDeactivated };
  if (price === undefined) return fields;
  const { from, to } = price;
  const tiers = { from: priceTiersView(from.priceTiers), to: priceTiersView(to.priceTiers) };
  const isSame = JSON.stringify(tiers.from) === JSON.stringify(tiers.to);
  return {
    ...fields,
    ...(from.priceMicros === to.priceMicros
      ? {}
      : { priceUsdt: { from: usdtFromMicros(from.priceMicros), to: usdtFromMicros(to.priceMicros) } }),
    ...(isSame ? {} : { priceTiers: tiers }),
  };
}
