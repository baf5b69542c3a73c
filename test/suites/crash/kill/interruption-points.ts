/** Points at which a purchase of a supplier was interrupted, as the journal has it. */
import type { Purchase } from '../../../../examples/supplier/purchase-memory.ts';
import type { SupplierPurchase } from '../../../../src/engine/supplying/supplier-purchases.ts';
import { GENESIS } from '../../../../src/persistence/journal/frame-log.ts';
import { JournalReader } from '../../../../src/persistence/journal/journal-reader.ts';
import { openLogReader } from '../../../../src/persistence/journal/open-log.ts';

/** Where a purchase was when its node was killed, by the journal of the stopped folder. */
export const POINTS = [
  'before the hold',
  'on hold, not asked',
  'on hold, asked',
  'charged, not delivered',
  'promised, not answered',
  'delivered, not answered',
  'released, not answered',
] as const;
export type Point = (typeof POINTS)[number];

/** By `Idempotency-Key`, of those that came as far as a hold. `sold` is what the supplier remembers. */
export async function interruptionPoints(
  folder: string,
  sold: ReadonlyMap<string, Purchase>,
): Promise<Map<string, Point>> {
  const points = new Map<string, Point>();
  const supplierPurchases = new Map<number, SupplierPurchase>();
  const journal = new JournalReader(openLogReader(folder), GENESIS);
  for (const { facts } of journal.read()) {
    for (const fact of facts) {
      if (fact.kind === 'HoldPlaced') {
        const { supplierPurchaseId, idempotencyKey, reference } = fact.supplierPurchase;
        supplierPurchases.set(supplierPurchaseId, fact.supplierPurchase);
        points.set(idempotencyKey, sold.has(reference) ? 'on hold, asked' : 'on hold, not asked');
      } else if (fact.kind === 'HoldCaptured') {
        const { reference = '' } = supplierPurchases.get(fact.supplierPurchaseId) ?? {};
        const isPromise = sold.get(reference)?.status === 'pending';
        points.set(
          fact.order.idempotencyKey,
          isPromise ? 'promised, not answered' : 'charged, not delivered',
        );
      } else if (fact.kind === 'OrderDelivered') {
        points.set(fact.order.idempotencyKey, 'delivered, not answered');
      } else if (fact.kind === 'HoldReleased') {
        const { idempotencyKey = '' } = supplierPurchases.get(fact.supplierPurchaseId) ?? {};
        points.set(idempotencyKey, 'released, not answered');
      }
    }
  }
  await journal.close();
  return points;
}
