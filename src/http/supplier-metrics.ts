/**
 * What the metrics say of suppliers: what became of purchases there, which are open, and whose circuit is. The state
 * knows what is open; what was counted since the start comes from those who purchase.
 */
import type { State } from '../engine/state.ts';
import type { MetricRow, Sample } from './metric-row.ts';

export interface SupplierMetricSources {
  readonly engine: { readonly state: Pick<State, 'supplierPurchases'> };
  /** What became of purchases at suppliers. */
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
