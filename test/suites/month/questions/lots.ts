/** Lots with what became of their items, and of a recalled one whom it was sold to. */
import assert from 'node:assert/strict';
import { type LedgerLot, type LedgerOrder, stateOf, usdt } from '../ledger.ts';
import { assertSameRows, type Month } from '../month.ts';

interface LotRow {
  readonly lotId: number;
  readonly productId?: number;
  readonly added: number;
  readonly available: number;
  readonly sold: number;
  readonly withdrawn: number;
  readonly source?: string;
  readonly reference?: string;
  readonly costUsdt?: number;
  readonly recalledAt?: number;
}

interface RecallBody {
  /** Not where further pages are read. */
  readonly withdrawn?: number;
  readonly sold: readonly { readonly orderId: number; readonly accountId: number; readonly at: number }[];
  readonly nextCursor?: string;
}

export async function lotsOfEachProduct(month: Month): Promise<void> {
  const { shop, ledger } = month;
  const counts = countsByLot(month);
  for (const product of ledger.products) {
    const lots = ledger.lots.filter((lot) => lot.product === product);
    const path = `/products/${product.productId}/lots`;
    const rows = await shop.all<LotRow>('dora', path, 'lots', 3);
    const byId = rows.map(rowOf).sort((a, b) => a.lotId - b.lotId);
    assert.deepEqual(
      byId,
      lots.map((lot) => expected(lot, counts)),
      path,
    );
  }
}

/** A recall that is repeated changes nothing, and answers the same: a row an order. */
export async function whomRecalledLotsWereSoldTo(month: Month): Promise<void> {
  const { shop, ledger } = month;
  const counts = countsByLot(month);
  const recalled = ledger.lots.filter(({ recall }) => recall !== undefined);
  assert.ok(recalled.length > 0, 'the month has recalls');
  for (const lot of recalled) {
    const orders = new Map([...(counts.orders.get(lot) ?? [])].map((order) => [order.orderId, order]));
    const path = `/lots/${lot.lotId}`;
    const again = await shop.tell<RecallBody>('ben', 'POST', `${path}/recall`, {});
    const rows = [...again.sold];
    for (let cursor = again.nextCursor; cursor !== undefined; ) {
      const further = `${path}/sold?cursor=${encodeURIComponent(cursor)}`;
      const page = await shop.tell<RecallBody>('dora', 'GET', further);
      rows.push(...page.sold);
      cursor = page.nextCursor;
    }
    for (const { orderId, accountId } of rows) {
      const order = orders.get(orderId);
      assert.equal(order?.account.accountId, accountId, `order ${orderId} has nothing of lot ${lot.lotId}`);
    }
    assertSameRows(
      rows.map(({ orderId }) => orderId).sort((a, b) => a - b),
      [...orders.keys()].sort((a, b) => a - b),
      `whom lot ${lot.lotId} was sold to`,
    );
    assert.equal(again.withdrawn, lot.recall?.withdrawn, `lot ${lot.lotId}`);
    for (const orderId of lot.recall?.orderIds ?? []) assert.ok(orders.has(orderId));
  }
}

interface Counts {
  readonly states: Map<LedgerLot, Record<'available' | 'sold' | 'withdrawn', number>>;
  readonly orders: Map<LedgerLot, Set<LedgerOrder>>;
}

function countsByLot({ ledger }: Month): Counts {
  const states: Counts['states'] = new Map();
  const orders: Counts['orders'] = new Map();
  for (const lot of ledger.lots) {
    states.set(lot, { available: 0, sold: 0, withdrawn: 0 });
    orders.set(lot, new Set());
  }
  for (const text of ledger.texts.values()) {
    if (text.lot === undefined) continue;
    const counts = states.get(text.lot);
    if (counts !== undefined) counts[stateOf(text)] += 1;
    if (text.order !== undefined) orders.get(text.lot)?.add(text.order);
  }
  return { states, orders };
}

function rowOf(row: LotRow) {
  const { lotId, added, available, sold, withdrawn, source, reference, costUsdt, recalledAt } = row;
  const isRecalled = recalledAt !== undefined;
  return { lotId, added, available, sold, withdrawn, source, reference, costUsdt, isRecalled };
}

function expected(lot: LedgerLot, { states }: Counts) {
  const counts = states.get(lot);
  assert.ok(counts);
  const { lotId, source, reference, costMicros, recall } = lot;
  const added = counts.available + counts.sold + counts.withdrawn;
  const isRecalled = recall !== undefined;
  return { lotId, added, ...counts, source, reference, costUsdt: usdt(costMicros), isRecalled };
}
