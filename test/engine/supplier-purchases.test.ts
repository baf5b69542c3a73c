/** The table of supplier purchases against plain lists: its order and its counts, whatever happens to its rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangedRows } from '../../src/engine/changed-rows.ts';
import { NO_KEY } from '../../src/engine/orders.ts';
import {
  NO_ORDER,
  SUPPLIER_PURCHASE_PHASES,
  type SupplierPurchase,
  SupplierPurchases,
} from '../../src/engine/supplier-purchases.ts';
import { openSupplierPurchase } from '../support/open-supplier-purchase.ts';
import { randomFromEnvironment } from '../support/random.ts';

const SUPPLIERS = [1, 2, 3];
const STEPS = 1_000;

test('rows are in the order of their numbers, and the counts are those of the rows', (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const supplierPurchases = new SupplierPurchases(new ChangedRows());
  let naive: SupplierPurchase[] = [];
  let last = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const old = naive.length > 0 && random.chance(0.6) ? random.pick(naive) : undefined;
    if (old !== undefined && random.chance(0.5)) {
      supplierPurchases.delete(old.supplierPurchaseId);
      naive = naive.filter((supplierPurchase) => supplierPurchase !== old);
    } else {
      if (old === undefined) last += 1;
      const supplierPurchase = old ?? newSupplierPurchase(last, random.pick(SUPPLIERS));
      const phase = random.pick(SUPPLIER_PURCHASE_PHASES);
      const orderId = phase === 'pending' ? supplierPurchase.supplierPurchaseId : NO_ORDER;
      const moved: SupplierPurchase = { ...supplierPurchase, phase, orderId };
      supplierPurchases.set(moved);
      naive = old === undefined ? [...naive, moved] : naive.map((one) => (one === old ? moved : one));
    }
    const counts = SUPPLIERS.map((supplierId) => [
      supplierPurchases.openCountOf(supplierId),
      supplierPurchases.heldCountOf(supplierId),
      supplierPurchases.unresolvedCountOf(supplierId),
    ]);
    const expected = SUPPLIERS.map((supplierId) => {
      const its = naive.filter((supplierPurchase) => supplierPurchase.supplierId === supplierId);
      const inPhase = (named: string) => its.filter(({ phase }) => phase === named).length;
      return [its.length, inPhase('held'), inPhase('unresolved')];
    });
    assert.deepEqual(counts, expected);
    const unresolved = naive.filter(({ phase }) => phase === 'unresolved').length;
    assert.equal(supplierPurchases.unresolvedCount, unresolved);
    assert.deepEqual([...supplierPurchases.values()], naive);
  }
});

/** Half of them are of orders from the bot, and have no key. */
function newSupplierPurchase(supplierPurchaseId: number, supplierId: number): SupplierPurchase {
  const supplierPurchase = openSupplierPurchase({ supplierPurchaseId, supplierId });
  return supplierPurchaseId % 2 === 0 ? { ...supplierPurchase, idempotencyKey: NO_KEY } : supplierPurchase;
}
