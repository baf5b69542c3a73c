/**
 * Metrics of suppliers: results of purchases there, open ones, and open circuits. Open purchases are the state's;
 * results are counted by the purchasing since the start.
 */
import type { State } from '../../engine/state.ts';
import type { MetricRow, Sample } from './metric-row.ts';

export interface SupplierMetricSources {
  readonly engine: { readonly state: Pick<State, 'supplierPurchases'> };
  /** The counts of purchases at suppliers by their result. */
  readonly supplierCounts: () => Iterable<readonly [supplierId: number, result: string, count: number]>;
  readonly supplierCircuits: () => Iterable<readonly [supplierId: number, isOpen: boolean]>;
}

export function supplierMetrics({
  engine,
  supplierCounts,
  supplierCircuits,
}: SupplierMetricSources): MetricRow[] {
  const { supplierPurchases } = engine.state;
  const results = Array.from(supplierCounts(), ([supplier, result, count]): Sample => {
    return { labels: { supplier, result }, value: count };
  });
  const circuits = Array.from(supplierCircuits(), ([supplier, isOpen]): Sample => {
    return { labels: { supplier }, value: isOpen ? 1 : 0 };
  });
  return [
    [
      'purser_supplier_purchases_open',
      'Supplier purchases that are open: held, pending or unresolved.',
      supplierPurchases.size,
    ],
    [
      'purser_supplier_purchases_unresolved',
      'Supplier purchases that failed for the buyer, and that the supplier may have sold.',
      supplierPurchases.unresolvedCount,
    ],
    ['purser_supplier_purchases_total', 'Supplier purchases, by result.', results],
    [
      'purser_supplier_circuit_open',
      'Whether purchases fail without asking the supplier, because it did not answer: 1 or 0.',
      circuits,
    ],
  ];
}
