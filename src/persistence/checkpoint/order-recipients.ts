/**
 * Orders by their recipient: in runs, like the keys of purchases (`key-runs.ts`), because most recipients buy once, and
 * a row for each would be at a random place of a tree.
 *
 * An entry is the hash of the name and the order; readers compare the names. Names are compared without regard to
 * capitals, as chat apps do.
 */
import type { Fact } from '../../engine/fact.ts';
import { NO_KEY } from '../../engine/orders.ts';
import { keyHash } from '../../engine/recent/key-filter.ts';
import type { CheckpointTables } from './checkpoint-tables.ts';
import { refsIn } from './keys/key-run.ts';
import { type KeyRuns, type KeyRunTables, keyRuns } from './keys/key-runs.ts';
import { RunMerge } from './keys/run-merge.ts';
import { SortedKeys } from './keys/sorted-keys.ts';

type Tables = Pick<CheckpointTables, 'meta' | 'recipients' | 'runs'>;

const LIST_KEY = Buffer.from('recipient-runs');

export class OrderRecipients {
  readonly #entries = new SortedKeys();
  readonly #runs: KeyRuns;

  /** `runs` writes to what `recipientRuns` names. */
  constructor(runs: KeyRuns) {
    this.#runs = runs;
  }

  take(fact: Fact): void {
    const entry = recipientEntry(fact);
    if (entry !== undefined) this.#entries.add(entry.hash, entry.orderId);
  }

  flush(): void {
    this.#runs.append(this.#entries);
    this.#entries.clear();
  }
}

/** The entry that a fact adds; undefined for nearly all. */
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
  for (const run of keyRuns(recipientRuns(tables))) {
    let count = 0;
    for (const of of refsIn(run, hash, orderId)) {
      found.push(of);
      count += 1;
      if (count === limit) break;
    }
  }
  return found.sort((a, b) => b - a).slice(0, limit);
}

/** Every entry. */
export function visitRecipients(tables: Tables, visit: (hash: number, orderId: number) => void): void {
  const merge = new RunMerge(keyRuns(recipientRuns(tables)).reverse());
  for (let entry = merge.next(); entry !== undefined; entry = merge.next()) visit(entry.hash, entry.ref);
}

export function recipientRuns({ meta, recipients, runs }: Tables): KeyRunTables {
  return { meta, keys: recipients, listKey: LIST_KEY, files: () => runs.of('recipients') };
}
