/**
 * Metrics of products: how much is left and how much was sold of each, for as many as the operator allows.
 *
 * Invariant: the products that have series are the active ones with the lowest ids, so a product that comes takes no
 * series away from one that is there; how many active ones have none is a metric itself. Rejected: series for the
 * products that sell most, which would come and go.
 */
import type { Product } from '../../engine/products.ts';
import type { State } from '../../engine/state.ts';
import { availableStock } from '../../engine/stock.ts';
import type { SalesCounter } from '../../metrics/sales-counter.ts';
import type { MetricRow, Sample } from './metric-row.ts';

const MICROS_IN_USDT = 1_000_000;

/** `limit`: how many products have series at most; 0 for none. Without `withMoney`, not what they sold for. */
export function productMetrics(
  state: State,
  sales: SalesCounter,
  limit: number,
  withMoney: boolean,
): MetricRow[] {
  const active = Array.from(state.products.values()).filter(({ profile }) => profile.active);
  const shown = active.slice(0, limit);
  const byProduct = (figure: (product: Product) => number): Sample[] =>
    shown.map((product) => ({ labels: { product: product.productId }, value: figure(product) }));
  const money: MetricRow[] = [
    ['purser_sold_usdt_total', 'USDT sold since the start, refunds not deducted.', usdt(sales.total.micros)],
    [
      'purser_product_sold_usdt_total',
      'USDT sold since the start, refunds not deducted, by active product.',
      byProduct(({ productId }) => usdt(sales.of(productId).micros)),
    ],
  ];
  return [
    ['purser_sold_units_total', 'Units sold since the start.', sales.total.units],
    [
      'purser_product_sold_units_total',
      'Units sold since the start, by active product.',
      byProduct(({ productId }) => sales.of(productId).units),
    ],
    ...(withMoney ? money : []),
    ['purser_product_stock', 'What buyers are told is left of an active product.', stocks(state, shown)],
    [
      'purser_products_left_out',
      'Active products without series of their own: more than --metrics-products.',
      active.length - shown.length,
    ],
  ];
}

/**
 * Stocks of products, but for files, products that are delivered by hand, and those of which the supplier always has
 * more.
 */
function stocks(state: State, products: readonly Product[]): Sample[] {
  return products.flatMap((product) => {
    const value = availableStock(state.stock, product);
    return value === 'unlimited' ? [] : [{ labels: { product: product.productId }, value }];
  });
}

function usdt(micros: number): number {
  return micros / MICROS_IN_USDT;
}
