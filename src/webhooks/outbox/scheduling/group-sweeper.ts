/**
 * Removes groups that are older than they are kept, and what only their readers needed, in small steps: accounts may read
 * them for 30 days, and deliveries must find the products of what they may still send.
 *
 * Invariant: `goneBelow` is written with what is removed, so no reader takes a gap for all there was.
 */
import { readNumberKey } from '../../../persistence/codec/number-key.ts';
import { isGroup } from '../../../persistence/webhooks/event-row.ts';
import { type GroupEntry, NO_ENTRY, readBlock } from '../../../persistence/webhooks/groups/group-block.ts';
import { numberOfChange } from '../../../persistence/webhooks/groups/pricing-before.ts';
import { type OutboxBatch, readRows } from '../../../persistence/webhooks/outbox-file.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';

/** How long groups are kept at least. */
export const GROUPS_KEPT_MS = 30 * 24 * 3_600_000;
/** An event waits for its first attempt, is attempted, and may be replayed, each for as long as deliveries are kept. */
const HISTORIES = 3;
const ROWS_PER_STEP = 500;
/** How long it rests between two steps, and between two looks at all rows. */
const REST_MS = 250;
const ROUND_MS = 3_600_000;

export class GroupSweeper {
  readonly #store: OutboxStore;
  readonly #keptMs: number;
  #goneBelow: number;
  #nextMs = 0;
  /** Where the look at all rows goes on. */
  #place: { readonly table: 'groups' | 'pricingBefore'; readonly start: Buffer } | undefined;

  /** `historyMs`: how long deliveries are kept. */
  constructor(store: OutboxStore, historyMs: number) {
    this.#store = store;
    this.#keptMs = Math.max(GROUPS_KEPT_MS, HISTORIES * historyMs);
    this.#goneBelow = store.goneBelow();
  }

  /** When the next step is due. */
  get nextMs(): number {
    return this.#nextMs;
  }

  /** Whether the event's group is gone: nobody knows what it would say. */
  isGone(number: number): boolean {
    return number < this.#goneBelow && isGroup(number);
  }

  /** A step, when it is time. */
  sweep(batch: OutboxBatch, nowMs: number): void {
    if (nowMs < this.#nextMs) return;
    const { table, start } = this.#place ?? { table: 'groups', start: Buffer.alloc(1) };
    const goesOn = table === 'groups' ? this.#groups(batch, start, nowMs) : this.#changes(batch, start);
    if (goesOn !== undefined) this.#place = { table, start: goesOn };
    else this.#place = table === 'groups' ? { table: 'pricingBefore', start: Buffer.alloc(1) } : undefined;
    this.#nextMs = nowMs + (this.#place === undefined ? ROUND_MS : REST_MS);
  }

  /** The key from which on the rows are still to be looked at; undefined when these were all. */
  #groups(batch: OutboxBatch, from: Buffer, nowMs: number): Buffer | undefined {
    const goneBefore = this.#goneBelow;
    let start: Buffer | undefined = from;
    for (let rows = 0; start !== undefined && rows < ROWS_PER_STEP; ) {
      const range: { start: Buffer } = { start };
      start = undefined;
      for (const { key, payload } of readRows(this.#store.file, 'groups', range)) {
        rows += 1;
        const last = lastOf(payload, readNumberKey(key, 16));
        const isOld = last.createdAtMs < nowMs - this.#keptMs;
        if (isOld) {
          batch.remove('groups', Buffer.from(key));
          this.#goneBelow = Math.max(this.#goneBelow, last.number + 1);
        }
        // What comes behind a row that is kept is younger, up to the stream's end.
        if (isOld && rows < ROWS_PER_STEP) continue;
        start = isOld ? behind(key) : streamBehind(key);
        break;
      }
    }
    if (this.#goneBelow > goneBefore) this.#store.putGoneBelow(batch, this.#goneBelow);
    return start;
  }

  #changes(batch: OutboxBatch, start: Buffer): Buffer | undefined {
    let rows = 0;
    for (const { key } of readRows(this.#store.file, 'pricingBefore', { start })) {
      if (rows === ROWS_PER_STEP) return Buffer.from(key);
      rows += 1;
      if (numberOfChange(key) < this.#goneBelow) batch.remove('pricingBefore', Buffer.from(key));
    }
    return undefined;
  }
}

function lastOf(payload: Buffer, first: number): GroupEntry {
  let last = NO_ENTRY;
  for (const entry of readBlock(payload, first)) last = entry;
  return last;
}

function behind(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.alloc(1)]);
}

/** Keys of a stream have 16 bytes in common: its kind and id. */
function streamBehind(key: Buffer): Buffer {
  return Buffer.concat([key.subarray(0, 16), Buffer.alloc(8, 0xff)]);
}
