/**
 * The outbox as its thread reads and writes it: everything by keys and short ranges, so that what waits stays on
 * disk, however much it is.
 */

import { WriteGate } from '../../threads/write-gate.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { GENESIS } from '../journal/frame-log.ts';
import { isOutOfDescriptors, numberKey, numbersKey, readNumberKey } from '../lmdb/lmdb-environment.ts';
import { hasSpareDescriptors } from '../lmdb/spare-descriptors.ts';
import {
  type AttemptRow,
  decodeEvent,
  encodeEvent,
  eventKey,
  eventNumber,
  type OutboxEvent,
} from './event-row.ts';
import { type OutboxBatch, type OutboxFile, openOutboxFile, readRow, readRows } from './outbox-file.ts';
import {
  type DueRow,
  type EndedRow,
  endedKey,
  type GroupRow,
  type LaneRow,
  NO_COUNTS,
  NO_GROUP,
  type OutboxMeta,
  type Subscriber,
} from './outbox-rows.ts';

const META_KEY = Buffer.from('outbox');
const GROUP_KEY = Buffer.from('group');
const AHEAD_KEY = Buffer.from('ahead');
/** Parts of a list's rows. */
const LIST_REFERENCES = 0;
const LIST_PRODUCTS = 1;
const PRODUCT_ID_BYTES = 4;

/** Each may touch a page of its own, around which Linux maps 64 KiB. */
const EVENTS_PER_TRANSACTION = 256;
const REOPEN_TRIES = 100;
const REOPEN_WAIT_MS = 100;

export class OutboxStore {
  readonly #folder: string;
  readonly #gate: WriteGate;
  #file: OutboxFile;
  readonly #scratch = new ByteWriter(1_024);
  /** This store has written events ahead of what belongs to them. */
  #isAhead = false;

  private constructor(folder: string, gate: WriteGate) {
    this.#folder = folder;
    this.#gate = gate;
    this.#file = gate.pass(() => openOutboxFile(folder));
  }

  /** Opens the file of a data folder that has one. In another thread than the main one, call it with a gate. */
  static open(folder: string, gate = new WriteGate()): OutboxStore {
    return new OutboxStore(folder, gate);
  }

  /** Another one after `reopen`. */
  get file(): OutboxFile {
    return this.#file;
  }

  /**
   * Closes the file and opens it again, which takes half a millisecond and lets go of its pages that are mapped. Not
   * while rows are being read. Leaves it open while there are too few file descriptors; blocks for up to 10 s when
   * others take the ones that it gave up.
   */
  reopen(): void {
    if (!hasSpareDescriptors()) return;
    this.#gate.pass(() => this.#file.environment.closeNow());
    for (let tries = 1; ; tries += 1) {
      try {
        this.#file = this.#gate.pass(() => openOutboxFile(this.#folder));
        return;
      } catch (error) {
        if (!isOutOfDescriptors(error) || tries === REOPEN_TRIES) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REOPEN_WAIT_MS);
      }
    }
  }

  async close(): Promise<void> {
    await this.#file.environment.close();
  }

  /**
   * Durable when it returns. Throws what LMDB throws; the same batch can then be committed again.
   *
   * One change can give an event to every account, and all their rows lie apart: in one transaction, a thousand of
   * them had 52 MiB of the file in memory. So when there are many, some are written ahead, in transactions of their
   * own, after each of which the file is opened again. The row `ahead` says so until the last one, which has the
   * cursor. After a crash in between, they are events that never came up: nobody reads beyond `lastNumber`, and
   * `EventsAhead` removes them before anything else comes up.
   */
  commit(batch: OutboxBatch): void {
    for (const part of batch.takeAhead(EVENTS_PER_TRANSACTION)) {
      part.put('meta', AHEAD_KEY, NOTHING);
      this.#commit(part);
      this.#isAhead = true;
      this.reopen();
    }
    if (this.#isAhead) this.endAhead(batch);
    this.#commit(batch);
    this.#isAhead = false;
  }

  /** Whether there may be events that never came up. */
  get hasEventsAhead(): boolean {
    return readRow(this.#file, 'meta', AHEAD_KEY) !== undefined;
  }

  /** Of an event that can be told of; what is written ahead has not come up. */
  get highestNumber(): number {
    return this.hasEventsAhead ? this.lastNumber() : Number.MAX_SAFE_INTEGER;
  }

  /** There are none any more. */
  endAhead(batch: OutboxBatch): void {
    batch.remove('meta', AHEAD_KEY);
  }

  /** No event that came up has a higher number. */
  lastNumber(): number {
    // At the cursor's own position, groups come up once, and only while they are not open.
    const { catalog, stock } = this.group();
    const isGroupOpen = catalog.length + stock.length > 0;
    return eventNumber(this.meta().head.position, isGroupOpen ? 'balance.low' : 'stock.changed');
  }

  #commit(batch: OutboxBatch): void {
    const { environment } = this.#file;
    this.#gate.pass(() => environment.transactionSync(() => batch.write(this.#file)));
    environment.resetReadTxn();
  }

  meta(): OutboxMeta {
    const row = readRow(this.#file, 'meta', META_KEY);
    if (row === undefined) return { head: GENESIS, clockMs: 0, counters: NO_COUNTS };
    const { position, journalHash, clockMs, counters } = JSON.parse(row.toString());
    return { head: { position, hash: Buffer.from(journalHash, 'hex') }, clockMs, counters };
  }

  putMeta(batch: OutboxBatch, { head, clockMs, counters }: OutboxMeta): void {
    const { position, hash } = head;
    const row = { position, journalHash: hash.toString('hex'), clockMs, counters };
    batch.put('meta', META_KEY, Buffer.from(JSON.stringify(row)));
  }

  group(): GroupRow {
    const row = readRow(this.#file, 'meta', GROUP_KEY);
    return row === undefined ? NO_GROUP : JSON.parse(row.toString());
  }

  putGroup(batch: OutboxBatch, group: GroupRow): void {
    batch.put('meta', GROUP_KEY, Buffer.from(JSON.stringify(group)));
  }

  *subscribers(): IterableIterator<[accountId: number, subscriber: Subscriber]> {
    for (const { key, payload } of readRows(this.#file, 'subscribers')) {
      yield [readNumberKey(key), JSON.parse(payload.toString())];
    }
  }

  putSubscriber(batch: OutboxBatch, accountId: number, subscriber: Subscriber): void {
    batch.put('subscribers', numberKey(accountId), Buffer.from(JSON.stringify(subscriber)));
  }

  *looks(): IterableIterator<[productId: number, digest: string]> {
    for (const { key, payload } of readRows(this.#file, 'looks')) {
      yield [readNumberKey(key), payload.toString('latin1')];
    }
  }

  putLook(batch: OutboxBatch, productId: number, digest: string): void {
    batch.put('looks', numberKey(productId), Buffer.from(digest, 'latin1'));
  }

  *lanes(): IterableIterator<[accountId: number, lane: LaneRow]> {
    for (const { key, payload } of readRows(this.#file, 'lanes')) {
      const [firstOpen, cancelBelow, sweptBelow] = [0, 8, 16].map((at) => readNumberKey(payload, at));
      if (firstOpen === undefined || cancelBelow === undefined || sweptBelow === undefined) continue;
      yield [readNumberKey(key), { firstOpen, cancelBelow, sweptBelow }];
    }
  }

  putLane(batch: OutboxBatch, accountId: number, { firstOpen, cancelBelow, sweptBelow }: LaneRow): void {
    batch.put('lanes', numberKey(accountId), numbersKey(firstOpen, cancelBelow, sweptBelow));
  }

  event(accountId: number, number: number): OutboxEvent | undefined {
    const key = eventKey(accountId, number);
    const payload = readRow(this.#file, 'events', key);
    return payload === undefined ? undefined : decodeEvent(key, payload);
  }

  /** An account's events from number `from` up to and without `end`, lowest first. */
  *events(accountId: number, from: number, end = Number.MAX_SAFE_INTEGER): IterableIterator<OutboxEvent> {
    const range = { start: eventKey(accountId, from), end: eventKey(accountId, end) };
    for (const { key, payload } of readRows(this.#file, 'events', range)) yield decodeEvent(key, payload);
  }

  /** The lowest account from `accountId` on that has an event. */
  accountWithEvents(accountId: number): number | undefined {
    for (const { key } of readRows(this.#file, 'events', { start: eventKey(accountId, 0), limit: 1 })) {
      return readNumberKey(key);
    }
    return undefined;
  }

  /** A new one, with a number above `lastNumber`. */
  addGroupedEvent(batch: OutboxBatch, event: OutboxEvent): void {
    batch.add('events', eventKey(event.accountId, event.number), encodeEvent(this.#scratch, event));
  }

  putEvent(batch: OutboxBatch, event: OutboxEvent): void {
    batch.put('events', eventKey(event.accountId, event.number), encodeEvent(this.#scratch, event));
  }

  removeEvent(batch: OutboxBatch, { accountId, number }: OutboxEvent): void {
    batch.remove('events', eventKey(accountId, number));
  }

  /** The products that a group's event lists, the latest last. */
  list(number: number): number[] {
    const row = readRow(this.#file, 'lists', numbersKey(number, LIST_PRODUCTS));
    if (row === undefined) throw new DamagedDataError(`the products of event ${number} are missing`);
    return Array.from({ length: row.length / PRODUCT_ID_BYTES }, (_, index) =>
      row.readUInt32LE(index * PRODUCT_ID_BYTES),
    );
  }

  listReferences(number: number): number {
    const row = readRow(this.#file, 'lists', numbersKey(number, LIST_REFERENCES));
    return row === undefined ? 0 : readNumberKey(row);
  }

  /** A list that `references` events share. */
  putList(batch: OutboxBatch, number: number, productIds: readonly number[], references: number): void {
    const row = Buffer.allocUnsafe(productIds.length * PRODUCT_ID_BYTES);
    for (const [index, productId] of productIds.entries())
      row.writeUInt32LE(productId, index * PRODUCT_ID_BYTES);
    batch.put('lists', numbersKey(number, LIST_PRODUCTS), row);
    batch.put('lists', numbersKey(number, LIST_REFERENCES), numberKey(references));
  }

  /** `fewer` events that shared the list are gone; the last one takes the list with it. */
  releaseList(batch: OutboxBatch, number: number, fewer: number): void {
    const left = this.listReferences(number) - fewer;
    if (left > 0) {
      batch.put('lists', numbersKey(number, LIST_REFERENCES), numberKey(left));
    } else {
      batch.remove('lists', numbersKey(number, LIST_PRODUCTS));
      batch.remove('lists', numbersKey(number, LIST_REFERENCES));
    }
  }

  /** An account's events that are to be attempted again, in the order in which they are due. */
  *due(accountId: number): IterableIterator<DueRow> {
    const range = { start: numbersKey(accountId), end: numbersKey(accountId + 1) };
    for (const { key } of readRows(this.#file, 'due', range)) {
      yield { dueAtMs: readNumberKey(key, 8), number: readNumberKey(key, 16) };
    }
  }

  putDue(batch: OutboxBatch, { accountId, dueAtMs, number }: OutboxEvent): void {
    batch.put('due', numbersKey(accountId, dueAtMs, number), NOTHING);
  }

  removeDue(batch: OutboxBatch, { accountId, dueAtMs, number }: OutboxEvent): void {
    batch.remove('due', numbersKey(accountId, dueAtMs, number));
  }

  /** Events that ended before a time, the longest ago first. */
  *endedBefore(timeMs: number, limit: number): IterableIterator<EndedRow> {
    for (const { key } of readRows(this.#file, 'ended', { end: numbersKey(timeMs), limit })) {
      yield { key, accountId: readNumberKey(key, 8), number: readNumberKey(key, 16) };
    }
  }

  putEnded(batch: OutboxBatch, event: OutboxEvent): void {
    batch.put('ended', endedKey(event), NOTHING);
  }

  removeEnded(batch: OutboxBatch, key: Buffer): void {
    batch.remove('ended', key);
  }

  /** One after the first, which is in the event's row. */
  putAttempt(batch: OutboxBatch, accountId: number, number: number, attempt: number, row: AttemptRow): void {
    batch.put('attempts', numbersKey(accountId, number, attempt), Buffer.from(JSON.stringify(row)));
  }

  removeAttempt(batch: OutboxBatch, accountId: number, number: number, attempt: number): void {
    batch.remove('attempts', numbersKey(accountId, number, attempt));
  }
}

/** Of rows whose key says all. Not empty: zlib's checksum of no bytes at all depends on where they would be. */
const NOTHING = new Uint8Array(1);
