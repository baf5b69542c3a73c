/**
 * POST /price-lists/{id}/import: prices of a list from a table, each of a product that is found by its sku or its id.
 *
 * All lines are read first; with an error nothing changes, unless bad lines are left out. Then some prices at a time are one
 * command and one fact, so that others have their turns. Setting a price again changes nothing, so a table that was
 * interrupted is imported again for the rest. A dry run also says what the newest items of a product cost, so that nobody
 * sells below that by a slip.
 */
import { lotsOf } from '../../../engine/decide/lot-lookup.ts';
import { Rejection } from '../../../engine/decide/rejection.ts';
import { MAX_PRICE_CHANGES } from '../../../engine/limits.ts';
import { usdtFromMicros } from '../../../engine/money.ts';
import { isSamePrice, type Price } from '../../../engine/pricing/price.ts';
import type { State } from '../../../engine/state.ts';
import type { Fields } from '../../../views/operator-views.ts';
import { unguarded } from '../csv-text.ts';
import {
  IMPORT_QUERY,
  type ImportCall,
  ImportTurn,
  importedBefore,
  importFields,
} from '../imports/import-call.ts';
import { ImportErrors, MAX_TOLD_LINES } from '../imports/import-errors.ts';
import { readTable, type TableHeader, type TableRow } from '../imports/imported-table.ts';
import type { OperatorContext } from '../operator-context.ts';
import { type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { fieldsOf } from '../products/product-columns.ts';
import { STOCK } from '../roles.ts';
import { PRICE_LIST_NOT_FOUND } from './price-lists.ts';
import { IMPORT_PRICES } from './price-operations.ts';

const COLUMNS: readonly string[] = ['sku', 'productId', 'priceUsdt', 'priceTiers'];
const TABLE: TableHeader = {
  required: [['sku', 'productId'], 'priceUsdt'],
  isKnown: (column) => COLUMNS.includes(column),
};
/** Lots that are asked for their cost: suppliers' have none. */
const ASKED_LOTS = 10;

type Services = Pick<OperatorServices, 'engine' | 'history'>;

/** The meaning of a line; `price` is that of before where the line leaves it. */
type Planned =
  | { readonly productId: number; readonly before: Price | undefined; readonly price: Price | undefined }
  | { readonly column: string; readonly message: string };

export function priceImportRoutes(services: Services): OperatorRoute[] {
  const turn = new ImportTurn();
  return [
    operatorRoute(
      'POST /price-lists/{id}/import',
      IMPORT_PRICES,
      (context) => turn.take(context, (call) => importPrices(services, context, call)),
      { roles: STOCK, query: IMPORT_QUERY },
    ),
  ];
}

async function importPrices(
  services: Services,
  context: OperatorContext,
  { chunks, charset, isDry, leavesOutBadLines }: ImportCall,
): Promise<void> {
  const { engine } = services;
  const priceListId = context.id;
  if (engine.state.priceLists.get(priceListId) === undefined) return context.fail(PRICE_LIST_NOT_FOUND);
  const errors = new ImportErrors();
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const prices: { readonly productId: number; readonly price: Price }[] = [];
  const lines: Fields[] = [];
  const lineOf = new Map<number, number>();
  const take = (row: TableRow) => {
    const planned = plan(engine.state, priceListId, row);
    if ('message' in planned) return errors.add(row.line, planned.column, planned.message);
    const { productId, before, price } = planned;
    const earlier = lineOf.get(productId);
    const column = row.cells.has('productId') ? 'productId' : 'sku';
    if (earlier !== undefined) return errors.add(row.line, column, `Line ${earlier} has the same product.`);
    lineOf.set(productId, row.line);
    if (price === undefined || isSamePrice(before, price)) {
      counts.unchanged += 1;
      return;
    }
    counts[before === undefined ? 'created' : 'updated'] += 1;
    prices.push({ productId, price });
    if (isDry && lines.length < MAX_TOLD_LINES)
      lines.push(lineView(services, row.line, productId, before, price));
  };
  await readTable(chunks, charset, TABLE, take, errors);
  const refusal = context.lateRefusal();
  if (refusal !== undefined) return context.fail(refusal);
  const said = importFields(counts, errors);
  if (isDry) return context.succeedWhenDurable(200, { ...said, lines });
  if (errors.count > 0 && !leavesOutBadLines) return context.succeedWhenDurable(200, said);
  for (let start = 0; start < prices.length; start += MAX_PRICE_CHANGES) {
    const some = prices.slice(start, start + MAX_PRICE_CHANGES);
    const command = { kind: 'SetPrices', priceListId, prices: some } as const;
    const result = await new Promise((resolve) => engine.submit(command, resolve, context.origin));
    if (!(result instanceof Rejection)) continue;
    return context.failAmid(importedBefore(`${start} prices were set`), result);
  }
  context.succeedWhenDurable(200, said);
}

/** An empty price leaves the price as it is, and empty tiers leave the tiers. */
function plan(state: State, priceListId: number, { line, cells }: TableRow): Planned {
  const found = productIn(state, cells);
  if (typeof found !== 'number') return found;
  const own = new Map([...cells].filter(([column]) => column === 'priceUsdt' || column === 'priceTiers'));
  const fields = fieldsOf({ line, cells: own }, undefined);
  if (fields.error !== undefined) return { column: fields.column, message: fields.error.message };
  const before = state.listPrices.of(priceListId, found);
  const { priceMicros = before?.priceMicros, priceTiers = before?.priceTiers ?? [] } = fields.changes;
  if (priceMicros !== undefined) return { productId: found, before, price: { priceMicros, priceTiers } };
  if (!own.has('priceTiers')) return { productId: found, before, price: undefined };
  return { column: 'priceUsdt', message: 'priceUsdt is empty, and the list has no price of the product.' };
}

function productIn(
  state: State,
  cells: TableRow['cells'],
): number | { readonly column: string; readonly message: string } {
  const text = cells.get('productId')?.trim();
  const sku = cells.get('sku');
  const id = text !== undefined && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
  if (text !== undefined && (id === undefined || state.products.get(id) === undefined))
    return { column: 'productId', message: `There is no product ${text.slice(0, 80)}.` };
  if (sku === undefined)
    return id ?? { column: 'sku', message: 'The line names no product: neither sku nor productId.' };
  const bySku = state.skus.productOf(sku) ?? state.skus.productOf(unguarded(sku));
  if (bySku === undefined)
    return { column: 'sku', message: `No product has the sku ${JSON.stringify(sku)}.` };
  if (id === undefined || id === bySku) return bySku;
  return { column: 'sku', message: `The sku is that of product ${bySku}, and productId says ${id}.` };
}

function lineView(
  { engine, history }: Services,
  line: number,
  productId: number,
  before: Price | undefined,
  price: Price,
): Fields {
  const lots = lotsOf(engine.state, history, productId, Number.MAX_SAFE_INTEGER, ASKED_LOTS);
  const costMicros = lots.find((lot) => lot.costMicros !== undefined)?.costMicros;
  return {
    line,
    productId,
    oldPriceUsdt: before === undefined ? null : usdtFromMicros(before.priceMicros),
    newPriceUsdt: usdtFromMicros(price.priceMicros),
    newestCostUsdt: costMicros === undefined ? null : usdtFromMicros(costMicros),
  };
}
