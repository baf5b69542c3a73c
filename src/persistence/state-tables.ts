/**
 * A state's tables as lines of text that are equal exactly when the states are: what recovery, the checkpoint
 * and a replay from the first fact must agree on. Orders and outcomes are not in it; they are history.
 */
import type { State } from '../engine/state.ts';

export function canonicalTables(state: State): string[] {
  const accounts = Array.from(state.accounts.values(), (account) => `account ${canonical(account)}`);
  const products = Array.from(state.products.values(), (product) => {
    return `product ${canonical({ ...product, ...state.stock.stored(product.productId) })}`;
  });
  const suppliers = Array.from(state.suppliers.values(), (supplier) => `supplier ${canonical(supplier)}`);
  const supplierPurchases = Array.from(state.supplierPurchases.values())
    .sort((a, b) => a.supplierPurchaseId - b.supplierPurchaseId)
    .map((supplierPurchase) => `supplierPurchase ${canonical(supplierPurchase)}`);
  const operators = Array.from(state.operators.values(), (operator) => `operator ${canonical(operator)}`);
  const { position, lastAtMs, lastRequestNumber, ledger } = state;
  const { lastOrderId, lastSupplierPurchaseId, lastLotId, unusedOrderIds, gap, baseline } = state;
  const last = { lastAtMs, lastRequestNumber, lastOrderId, lastSupplierPurchaseId, lastLotId };
  const next = [state.accounts, state.products, state.suppliers, state.operators].map(({ nextId }) => nextId);
  const epochs = state.epochs.list;
  const node = `node ${canonical({ position, ...last, ledger, unusedOrderIds, gap, baseline, next, epochs })}`;
  const waitingDebits = Array.from(state.waitingDebits.values())
    .sort((a, b) => a.orderId - b.orderId)
    .map((debit) => `waitingDebit ${canonical(debit)}`);
  const ended = state.endedSupplierPurchases.values().map((row) => `ended ${canonical(row)}`);
  const rows = [...accounts, ...products, ...suppliers, ...supplierPurchases, ...operators];
  return [node, ...rows, ...ended, ...waitingDebits];
}

/** JSON with every object's fields in the order of their names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}
