/**
 * A state's tables as lines of text that are equal exactly when the states are: what recovery, the checkpoint
 * and a replay from the first fact must agree on. Orders and outcomes are not in it; they are history.
 */
import type { State } from '../engine/state.ts';

export function canonicalTables(state: State): string[] {
  const accounts = Array.from(state.accounts.values(), (account) => `account ${canonical(account)}`);
  const products = Array.from(state.products.values(), (product) => {
    const { next, end } = state.stock.of(product.productId);
    const withdrawn = state.stock.withdrawn(product.productId);
    return `product ${canonical({ ...product, next, end, withdrawn })}`;
  });
  const suppliers = Array.from(state.suppliers.values(), (supplier) => `supplier ${canonical(supplier)}`);
  const supplierPurchases = Array.from(state.supplierPurchases.values())
    .sort((a, b) => a.supplierPurchaseId - b.supplierPurchaseId)
    .map((supplierPurchase) => `supplierPurchase ${canonical(supplierPurchase)}`);
  const { position, lastOrderId, lastSupplierPurchaseId, ledger } = state;
  const node = `node ${canonical({ position, lastOrderId, lastSupplierPurchaseId, ledger })}`;
  const ended = state.endedSupplierPurchases.values().map((row) => `ended ${canonical(row)}`);
  return [node, ...accounts, ...products, ...suppliers, ...supplierPurchases, ...ended];
}

/** JSON with every object's fields in the order of their names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}
