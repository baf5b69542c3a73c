/**
 * A state's tables as lines of text that are equal exactly when the states are: what recovery, the checkpoint
 * and a replay from the first fact must agree on. Orders and outcomes are not in it; they are history.
 */

import type { State } from '../engine/state.ts';
import { canonicalJson } from './codec/canonical-json.ts';

export function canonicalTables(state: State): string[] {
  const accounts = Array.from(state.accounts.values(), (account) => {
    const spent = state.spending.stored(account.accountId);
    return `account ${canonicalJson(spent === undefined ? account : { ...account, spent })}`;
  });
  const products = Array.from(state.products.values(), (product) => {
    return `product ${canonicalJson({ ...product, ...state.stock.stored(product.productId) })}`;
  });
  const suppliers = Array.from(state.suppliers.values(), (supplier) => `supplier ${canonicalJson(supplier)}`);
  const supplierPurchases = Array.from(state.supplierPurchases.values())
    .sort((a, b) => a.supplierPurchaseId - b.supplierPurchaseId)
    .map((supplierPurchase) => `supplierPurchase ${canonicalJson(supplierPurchase)}`);
  const operators = Array.from(state.operators.values(), (operator) => `operator ${canonicalJson(operator)}`);
  const { position, lastAtMs, lastRequestNumber, ledger } = state;
  const { lastOrderId, lastSupplierPurchaseId, lastLotId, lastDepositId, unusedOrderIds, gap } = state;
  const numbers = { lastOrderId, lastSupplierPurchaseId, lastLotId, lastDepositId };
  const last = { lastAtMs, lastRequestNumber, ...numbers };
  const numbered = [state.accounts, state.products, state.suppliers, state.operators, state.priceLists];
  const next = numbered.map(({ nextId }) => nextId);
  const epochs = state.epochs.list;
  const node = `node ${canonicalJson({ position, ...last, ledger, unusedOrderIds, gap, next, epochs })}`;
  const waitingDebits = Array.from(state.waitingDebits.values())
    .sort((a, b) => a.orderId - b.orderId)
    .map((debit) => `waitingDebit ${canonicalJson(debit)}`);
  const ended = state.endedSupplierPurchases.values().map((row) => `ended ${canonicalJson(row)}`);
  const lists = Array.from(state.priceLists.values(), (list) => `priceList ${canonicalJson(list)}`);
  const prices = (['listPrices', 'accountPrices'] as const).flatMap((name) =>
    Array.from(state[name].values(), (price) => `${name} ${canonicalJson(price)}`),
  );
  const deposits = Array.from(state.deposits.values(), (deposit) => `deposit ${canonicalJson(deposit)}`);
  const transfers = Array.from(state.transfers.values(), (one) => `transfer ${canonicalJson(one)}`);
  const rows = [
    ...accounts,
    ...products,
    ...suppliers,
    ...supplierPurchases,
    ...operators,
    ...lists,
    ...prices,
    ...deposits,
    ...transfers,
  ];
  return [node, ...rows, ...ended, ...waitingDebits];
}
