/**
 * The outbox as its thread reads and writes it: everything by keys and short ranges, so that what waits stays on
 * disk, however much it is.
 */

import { WriteGate } from '../../threads/write-gate.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { numberKey, numbersKey, readNumberKey } from '../codec/number-key.ts';
import { GENESIS } from '../journal/frame-log.ts';
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
  dueKeyOf,
  type EventGroupRow,
  NO_COUNTS,
  NO_GROUP,
  type OutboxMeta,
  PRICING_KINDS,
  type PricingRow,
  type QueueRow,
  type Subscriber,
} from './outbox-rows.ts';

const META_KEY = Buffer.from('outbox');
const GROUP_KEY = Buffer.from('group');
const GONE_KEY = Buffer.from('groups');

export class OutboxStore {
  readonly file: OutboxFile;
  readonly #gate: WriteGate;
  readonly #scratch = new ByteWriter(1_024);

  private constructor(folder: string, gate: WriteGate) {
    this.#gate = gate;
    this.file = gate.pass(() => openOutboxFile(folder));
  }

  /**
   * Opens the file of a data folder that has one. In another thread than the main one, call it with a gate. One thread
   * writes; others may read what is durable.
   */
  static open(folder: string, gate = new WriteGate()): OutboxStore {
    return new OutboxStore(folder, gate);
  }

  async close(): Promise<void> {
    await this.file.environment.close();
  }

  /** One transaction, durable when it returns. Throws what LMDB throws; the same batch can then be committed again. */
  commit(batch: OutboxBatch): void {
    const { environment } = this.file;
    this.#gate.pass(() => environment.transactionSync(() => batch.write(this.file)));
    this.refresh();
  }

  /** Makes what has been written, also by another thread, visible to the next read. */
  refresh(): void {
    this.file.environment.resetReadTxn();
  }

  /** No event that came up has a higher number. */
  lastNumber(): number {
    // At the cursor's own position, groups come up once, and only while they are not open.
    const { catalog, accounts, stock, epoch } = this.group();
    const isEventGroupOpen =
      stock.length > 0 || [...catalog, ...accounts].some(([, products]) => products.length > 0);
    return eventNumber(this.meta().head.position, isEventGroupOpen ? 'balance.low' : 'stock.changed', epoch);
  }

  meta(): OutboxMeta {
    const row = readRow(this.file, 'meta', META_KEY);
    if (row === undefined) return { head: GENESIS, clockMs: 0, counters: NO_COUNTS };
    const { position, journalHash, clockMs, counters } = JSON.parse(row.toString());
    return { head: { position, hash: Buffer.from(journalHash, 'hex') }, clockMs, counters };
  }

  putMeta(batch: OutboxBatch, { head, clockMs, counters }: OutboxMeta): void {
    const { position, hash } = head;
    const row = { position, journalHash: hash.toString('hex'), clockMs, counters };
    batch.put('meta', META_KEY, Buffer.from(JSON.stringify(row)));
  }

  group(): EventGroupRow {
    const row = readRow(this.file, 'meta', GROUP_KEY);
    return row === undefined ? NO_GROUP : { ...NO_GROUP, ...JSON.parse(row.toString()) };
  }

  putEventGroup(batch: OutboxBatch, group: EventGroupRow): void {
    batch.put('meta', GROUP_KEY, Buffer.from(JSON.stringify(group)));
  }

  /** Groups with lower numbers are gone: too old. */
  goneBelow(): number {
    const row = readRow(this.file, 'meta', GONE_KEY);
    return row === undefined ? 0 : readNumberKey(row);
  }

  putGoneBelow(batch: OutboxBatch, number: number): void {
    batch.put('meta', GONE_KEY, numberKey(number));
  }

  *subscribers(): IterableIterator<[accountId: number, subscriber: Subscriber]> {
    for (const { key, payload } of readRows(this.file, 'subscribers')) {
      yield [readNumberKey(key), JSON.parse(payload.toString())];
    }
  }

  putSubscriber(batch: OutboxBatch, accountId: number, subscriber: Subscriber): void {
    batch.put('subscribers', numberKey(accountId), Buffer.from(JSON.stringify(subscriber)));
  }

  *looks(): IterableIterator<[productId: number, text: string]> {
    for (const { key, payload } of readRows(this.file, 'looks')) {
      yield [readNumberKey(key), payload.toString()];
    }
  }

  putLook(batch: OutboxBatch, productId: number, text: string): void {
    batch.put('looks', numberKey(productId), Buffer.from(text));
  }

  *pricing(): IterableIterator<PricingRow> {
    for (const { key, payload } of readRows(this.file, 'pricing')) {
      const kind = PRICING_KINDS[readNumberKey(key)];
      const [a, b] = [readNumberKey(key, 8), readNumberKey(key, 16)];
      yield { kind, a, b, value: JSON.parse(payload.toString()) } as PricingRow;
    }
  }

  putPricing(batch: OutboxBatch, { kind, a, b, value }: PricingRow): void {
    const key = numbersKey(PRICING_KINDS.indexOf(kind), a, b);
    if (value === undefined) batch.remove('pricing', key);
    else batch.put('pricing', key, Buffer.from(JSON.stringify(value)));
  }

  *queues(): IterableIterator<[accountId: number, queue: QueueRow]> {
    for (const { key, payload } of readRows(this.file, 'queues')) {
      const [firstOpen, cancelBelow, sweptBelow] = [0, 8, 16].map((at) => readNumberKey(payload, at));
      if (firstOpen === undefined || cancelBelow === undefined || sweptBelow === undefined) continue;
      yield [readNumberKey(key), { firstOpen, cancelBelow, sweptBelow }];
    }
  }

  putQueue(batch: OutboxBatch, accountId: number, { firstOpen, cancelBelow, sweptBelow }: QueueRow): void {
    batch.put('queues', numberKey(accountId), numbersKey(firstOpen, cancelBelow, sweptBelow));
  }

  event(accountId: number, number: number): OutboxEvent | undefined {
    const key = eventKey(accountId, number);
    const payload = readRow(this.file, 'events', key);
    return payload === undefined ? undefined : decodeEvent(key, payload);
  }

  /** An account's events from number `from` up to and without `end`, lowest first. */
  *events(accountId: number, from: number, end = Number.MAX_SAFE_INTEGER): IterableIterator<OutboxEvent> {
    const range = { start: eventKey(accountId, from), end: eventKey(accountId, end) };
    for (const { key, payload } of readRows(this.file, 'events', range)) yield decodeEvent(key, payload);
  }

  /** `before`: the event as it is on disk, if it is there. */
  putEvent(batch: OutboxBatch, event: OutboxEvent, before?: OutboxEvent): void {
    const [was, is] = [before && dueKeyOf(before), dueKeyOf(event)];
    if (was !== undefined) batch.remove('due', was);
    batch.put('events', eventKey(event.accountId, event.number), encodeEvent(this.#scratch, event));
    if (is !== undefined) batch.put('due', is, NOTHING);
  }

  /** Removes an event with all its attempts, but not what its group says. */
  removeEvent(batch: OutboxBatch, event: OutboxEvent): void {
    const { accountId, number, loggedAttempts } = event;
    const was = dueKeyOf(event);
    if (was !== undefined) batch.remove('due', was);
    batch.remove('events', eventKey(accountId, number));
    for (let attempt = 2; attempt <= loggedAttempts; attempt += 1) {
      batch.remove('attempts', numbersKey(accountId, number, attempt));
    }
  }

  /** An account's events that are to be attempted again, in the order in which they are due. */
  *due(accountId: number): IterableIterator<{ readonly dueAtMs: number; readonly number: number }> {
    const range = { start: numbersKey(accountId), end: numbersKey(accountId + 1) };
    for (const { key } of readRows(this.file, 'due', range)) {
      yield { dueAtMs: readNumberKey(key, 8), number: readNumberKey(key, 16) };
    }
  }

  /**
   * Events from an account's number on, account by account, of each up to the first that came up at `sinceMs` or later:
   * later ones of the account are younger still.
   */
  *eventsUntil(accountId: number, number: number, sinceMs: number): IterableIterator<OutboxEvent> {
    for (let start: Buffer | undefined = eventKey(accountId, number); start !== undefined; ) {
      const range: { start: Buffer } = { start };
      start = undefined;
      for (const { key, payload } of readRows(this.file, 'events', range)) {
        const event = decodeEvent(key, payload);
        yield event;
        if (event.createdAtMs < sinceMs) continue;
        start = eventKey(event.accountId + 1, 0);
        break;
      }
    }
  }

  /** One after the first, which is in the event's row. */
  putAttempt(batch: OutboxBatch, accountId: number, number: number, attempt: number, row: AttemptRow): void {
    batch.put('attempts', numbersKey(accountId, number, attempt), Buffer.from(JSON.stringify(row)));
  }
}

/**
 * The payload of rows whose key says all. Not empty: zlib's checksum of no bytes at all depends on where they would be.
 */
const NOTHING = new Uint8Array(1);
