/**
 * Which orders went to which recipient: in runs, like the keys of purchases (`key-runs.ts`), because most recipients buy
 * once, and a row for each would be at a random place of a tree.
 *
 * An entry is the hash of the name and the order; who asks compares the names. Names are compared without regard to
 * capitals, as chat apps do.
 */
import type { Fact } from '../../engine/fact.ts';
import { keyHash } from '../../engine/key-filter.ts';
import { NO_KEY } from '../../engine/orders.ts';
import type { CheckpointTables } from './checkpoint-tables.ts';
import { decodePlace, encodePlace, KeyBlock, MAX_BLOCK } from './key-block.ts';
import { KeyRuns, type KeyRunTables, readList, type Transact } from './key-runs.ts';
import { RunMerge } from './run-merge.ts';
import { SortedKeys } from './sorted-keys.ts';

type Tables = Pick<CheckpointTables, 'meta' | 'recipients'>;

const LIST_KEY = Buffer.from('recipient-runs');

export class OrderRecipients {
  readonly #entries = new SortedKeys();
  readonly #runs: KeyRuns;

  constructor(tables: Tables) {
    this.#runs = new KeyRuns(runsOf(tables));
  }

  take(fact: Fact): void {
    const entry = recipientEntry(fact);
    if (entry !== undefined) this.#entries.add(entry.hash, entry.orderId);
  }

  flush(): void {
    this.#runs.append(this.#entries);
    this.#entries.clear();
  }

  merge(transact: Transact): void {
    this.#runs.merge(transact);
  }
}

/** What a fact adds; undefined for nearly all. */
export function recipientEntry(fact: Fact): { readonly hash: number; readonly orderId: number } | undefined {
  if (!('order' in fact) || fact.order.recipientUsername === null) return undefined;
  const { kind, order } = fact;
  const isNew =
    kind === 'OrderPlaced' ||
    kind === 'OrderOpened' ||
    (kind === 'HoldCaptured' && order.idempotencyKey !== NO_KEY);
  return isNew ? { hash: recipientHash(order.recipientUsername ?? ''), orderId: order.orderId } : undefined;
}

/** `name` has its `@`. */
export function recipientHash(name: string): number {
  return keyHash(0, name.toLowerCase());
}

/** Up to `limit` orders with this hash, from `orderId` down. Throws `DamagedDataError`. */
export function recipientOrders(tables: Tables, hash: number, orderId: number, limit: number): number[] {
  const found: number[] = [];
  for (const { run } of readList(runsOf(tables)).runs) {
    let count = 0;
    for (const of of ordersInRun(tables, run, hash, orderId)) {
      found.push(of);
      count += 1;
      if (count === limit) break;
    }
  }
  return found.sort((a, b) => b - a).slice(0, limit);
}

/** Every entry. */
export function visitRecipients(tables: Tables, visit: (hash: number, orderId: number) => void): void {
  const merge = new RunMerge(tables.recipients, readList(runsOf(tables)).runs);
  for (let entry = merge.next(); entry !== undefined; entry = merge.next()) visit(entry.hash, entry.ref);
}

/** From `orderId` down: equal hashes of a run ascend by order. */
function* ordersInRun(tables: Tables, run: number, hash: number, orderId: number): IterableIterator<number> {
  const start = encodePlace({ run, firstHash: hash, block: lastBlock(tables, run, hash, orderId) });
  for (const { key, value } of tables.recipients.getRange({ start, reverse: true })) {
    const place = decodePlace(key);
    if (place.run !== run) return;
    const entries = KeyBlock.decode(key, value);
    // Hashes are whole numbers: behind those that are equal.
    for (let index = entries.indexOf(hash + 1) - 1; entries.hash(index) === hash; index -= 1) {
      if (entries.ref(index) <= orderId) yield entries.ref(index);
    }
    if (place.firstHash < hash) return;
  }
}

/** Of the blocks that begin with this hash, the last that begins at `orderId` or before; they are numbered in order. */
function lastBlock({ recipients }: Tables, run: number, hash: number, orderId: number): number {
  const range = { start: encodePlace({ run, firstHash: hash, block: 0 }), limit: 1 };
  const end = encodePlace({ run, firstHash: hash, block: MAX_BLOCK });
  const [first] = recipients.getKeys({ ...range, end });
  const [last] = recipients.getKeys({ start: end, reverse: true, limit: 1 });
  if (first === undefined || last === undefined) return 0;
  let low = decodePlace(first).block;
  let high = decodePlace(last).block;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const place = encodePlace({ run, firstHash: hash, block: middle });
    const row = recipients.get(place);
    if (row !== undefined && KeyBlock.decode(place, row).ref(0) <= orderId) low = middle + 1;
    else high = middle - 1;
  }
  return Math.max(0, high);
}

function runsOf({ meta, recipients }: Tables): KeyRunTables {
  return { meta, keys: recipients, listKey: LIST_KEY };
}
