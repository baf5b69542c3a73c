/** Lots with what became of their items, and of a recalled one whom it was sold to. */
import assert from 'node:assert/strict';
import { type LedgerLot, type LedgerText, stateOf, usdt } from '../ledger.ts';
import { assertSameRows, type Month } from '../month.ts';

interface LotRow {
  readonly lotId: number;
  readonly productId?: number;
  readonly at?: number;
  readonly recalledAt?: number;
}

interface RecallBody {
  /** Not where further pages are read. */
  readonly withdrawn?: number;
  readonly sold: readonly { readonly orderId: number; readonly accountId: number }[];
  readonly nextCursor?: string;
}

/** Pages of a lot or three, so that there are several. */
export async function lotsOfEachProduct(month: Month): Promise<void> {
  const { shop, ledger } = month;
  const texts = textsByLot(month);
  for (const product of ledger.products) {
    const lots = ledger.lots.filter((lot) => lot.product === product);
    const path = `/products/${product.productId}/lots`;
    const rows = await shop.all<LotRow>('dora', path, 'lots', 3);
    const told = rows.map(({ productId: _, at: __, recalledAt, ...row }) => ({
      ...row,
      isRecalled: recalledAt !== undefined,
    }));
    const wanted = lots.map((lot) => expected(lot, texts.get(lot) ?? []));
    assertSameRows(
      told.sort((a, b) => a.lotId - b.lotId),
      wanted,
      path,
    );
  }
}

/** A recall that is repeated changes nothing, and answers the same: a row an order. */
export async function whomRecalledLotsWereSoldTo(month: Month): Promise<void> {
  const { shop, ledger } = month;
  const texts = textsByLot(month);
  const recalled = ledger.lots.filter(({ recall }) => recall !== undefined);
  assert.ok(recalled.length > 0, 'the month has recalls');
  for (const lot of recalled) {
    const orders = new Map(texts.get(lot)?.flatMap(({ order }) => (order ? [[order.orderId, order]] : [])));
    const path = `/lots/${lot.lotId}`;
    const again = await shop.tell<RecallBody>('ben', 'POST', `${path}/recall`, {});
    const rows = [...again.sold];
    for (let cursor = again.nextCursor; cursor !== undefined; ) {
      const further = `${path}/sold?cursor=${encodeURIComponent(cursor)}`;
      const page = await shop.tell<RecallBody>('dora', 'GET', further);
      rows.push(...page.sold);
      cursor = page.nextCursor;
    }
    assertSameRows(
      rows.map(({ orderId, accountId }) => [orderId, accountId]).sort(([a = 0], [b = 0]) => a - b),
      Array.from(orders.values(), ({ orderId, account }) => [orderId, account.accountId]).sort(
        ([a = 0], [b = 0]) => a - b,
      ),
      `whom lot ${lot.lotId} was sold to`,
    );
    assert.equal(again.withdrawn, lot.recall?.withdrawn, `lot ${lot.lotId}`);
    for (const orderId of lot.recall?.orderIds ?? []) assert.ok(orders.has(orderId));
  }
}

function textsByLot({ ledger }: Month): Map<LedgerLot, LedgerText[]> {
  const byLot = new Map<LedgerLot, LedgerText[]>(ledger.lots.map((lot) => [lot, []]));
  for (const text of ledger.texts.values()) if (text.lot !== undefined) byLot.get(text.lot)?.push(text);
  return byLot;
}

function expected({ lotId, source, reference, costMicros, recall }: LedgerLot, texts: readonly LedgerText[]) {
  const counted = (state: string) => texts.filter((text) => stateOf(text) === state).length;
  return {
    ...{ lotId, source, reference, costUsdt: usdt(costMicros), isRecalled: recall !== undefined },
    ...{ added: texts.length, available: counted('available') },
    ...{ sold: counted('sold'), withdrawn: counted('withdrawn') },
  };
}
