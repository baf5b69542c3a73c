/**
 * Proves that the lists by which orders are found have what the facts say, and nothing else: `purser verify` makes each
 * entry again, and reads all that there are. Both sides are summed up, as with the keys (`key-audit.ts`): the sums are
 * equal, in whatever order entries come.
 */
import type { Fact } from '../../engine/fact.ts';
import { ORDER_STATUSES } from '../../engine/orders.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { OrderBytes } from '../order-bytes.ts';
import type { CheckpointTables } from './checkpoint-tables.ts';
import { mix } from './keys/key-audit.ts';
import { type EntrySink, LISTS, type ListName, visitEntries } from './order-entries.ts';
import { recipientEntry, visitRecipients } from './order-recipients.ts';
import { isListed, visitStatuses } from './order-statuses.ts';
import { visitLists } from './packed-lists.ts';
import { allRecovered, RECOVERED, type RecoveredEntry, recoveredEntries } from './recovered-orders.ts';

class EntrySum implements EntrySink {
  #count = 0;
  #low = 0;
  #high = 0;

  add(list: ListName, id: number, number: number, second = 0, third = 0): void {
    this.addNumbers(LISTS[list].tag, id, number, second, third);
  }

  addItems(productId: number, firstItem: number, count: number, orderId: number): void {
    this.add('items', productId, firstItem, count, orderId);
  }

  addNumbers(tag: number, id: number, number: number, second = 0, third = 0): void {
    let low = mix(tag, wordOf(id));
    low = mix(low, wordOf(number));
    low = mix(low, wordOf(second));
    low = mix(low, wordOf(third));
    this.#count += 1;
    this.#low = (this.#low + low) | 0;
    this.#high = (this.#high + mix(low, tag)) | 0;
  }

  equals(other: EntrySum): boolean {
    return this.#count === other.#count && this.#low === other.#low && this.#high === other.#high;
  }
}

/** Tags beside those of the lists. */
const STATUS_TAG = 100;
const RECIPIENT_TAG = 101;
const RECOVERED_TAG = 110;

export class OrderIndexAudit {
  readonly #expected = new EntrySum();
  /** The index of an order's status plus one. */
  readonly #statuses = new OrderBytes();

  /** Takes every fact that the checkpoint reflects. */
  add(fact: Fact, position: number): void {
    visitEntries(fact, position, this.#expected);
    const entry = recipientEntry(fact);
    if (entry !== undefined) this.#expected.addNumbers(RECIPIENT_TAG, entry.hash, entry.orderId);
    for (const recovered of recoveredEntries(fact)) addRecovered(this.#expected, recovered);
    if (!('order' in fact)) return;
    const { orderId, status } = fact.order;
    this.#statuses.set(orderId, ORDER_STATUSES.indexOf(status) + 1);
  }

  /** Throws `DamagedDataError` when an entry is missing, too many, or can't be found where it is. */
  finish({ orderLists, orderStatuses, recoveredOrders, ...tables }: CheckpointTables): void {
    for (const [orderId, place] of this.#statuses.entries()) {
      const status = ORDER_STATUSES[place - 1];
      if (status !== undefined && isListed(status)) this.#expected.addNumbers(STATUS_TAG, place - 1, orderId);
    }
    const found = new EntrySum();
    for (const list of Object.keys(LISTS) as ListName[]) {
      const { columns } = LISTS[list];
      visitLists(orderLists, LISTS[list], (id, entries) => {
        for (let at = 0; at < entries.length; at += columns) {
          const [number = 0, second, third] = entries.subarray(at, at + columns);
          found.add(list, id, number, second, third);
        }
      });
    }
    visitStatuses(orderStatuses, (status, orderId) =>
      found.addNumbers(STATUS_TAG, ORDER_STATUSES.indexOf(status), orderId),
    );
    for (const recovered of allRecovered(recoveredOrders)) addRecovered(found, recovered);
    visitRecipients(tables, (hash, orderId) => found.addNumbers(RECIPIENT_TAG, hash, orderId));
    if (!this.#expected.equals(found)) {
      throw new DamagedDataError('the lists of orders in the checkpoint differ from the journal');
    }
  }
}

function addRecovered(sum: EntrySum, { list, id, number, count, orderId }: RecoveredEntry): void {
  sum.addNumbers(RECOVERED_TAG + RECOVERED[list], id, number, count, orderId);
}

function wordOf(number: number): number {
  return mix((number % 2 ** 32) | 0, Math.floor(number / 2 ** 32));
}
