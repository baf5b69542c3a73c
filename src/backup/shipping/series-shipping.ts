/**
 * Ships one series from where it has come: fills a chunk from the folder's stream, writes it, fills the next.
 *
 * One chunk is in memory at a time, however far the target is behind. Reading goes in slices, and rests between them as
 * long as its owner says: the shipping of a second's facts hardly at all, that of a history behind the traffic.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { LogHead } from '../../persistence/journal/frame-log.ts';
import { MAX_BODY_BYTES, type Series } from '../chunk.ts';
import { ChunkBody, type ChunkEntry, type QueueProgress, queuesEntries } from '../chunk-entries.ts';
import type { FolderStream } from '../folder-stream.ts';
import type { SeriesPlace } from './resuming.ts';
import { SeriesWriter, type Shipper, type WrittenChunk } from './series-writer.ts';

const SLICE_MS = 5;

export interface SeriesShippingOptions {
  readonly shipper: Shipper;
  readonly series: Series;
  readonly place: SeriesPlace;
  readonly openStream: (from: LogHead, lastAtMs: number) => FolderStream;
  /** How long it rests after having read, as a multiple of the time that it read. */
  readonly rest: number;
  /** Asked between slices: whether to stop where it is. Another call goes on there. */
  readonly isStopped?: () => boolean;
  /** A chunk is there. */
  readonly onChunk: (chunk: WrittenChunk) => void | Promise<void>;
}

export class SeriesShipping {
  readonly #options: SeriesShippingOptions;
  readonly #writer: SeriesWriter;
  readonly #body = new ChunkBody();
  #stream: FolderStream;
  /** The place behind the last chunk. */
  #to: LogHead;
  #lastAtMs: number;

  constructor(options: SeriesShippingOptions) {
    const { shipper, series, place, openStream } = options;
    this.#options = options;
    this.#writer = new SeriesWriter(shipper, series, place.end);
    this.#stream = openStream(place.to, place.lastAtMs);
    this.#to = place.to;
    this.#lastAtMs = place.lastAtMs;
  }

  /** The series' place behind all that is there. */
  get place(): SeriesPlace {
    return { end: this.#writer.end, to: this.#to, lastAtMs: this.#lastAtMs };
  }

  /**
   * Ships what the journal has, up to the frame with fact `through`, and then `queues`. False when it was stopped before.
   * Rejects as the stream and the writer do; after an abort it may be called again.
   */
  async ship(through?: number, queues: readonly QueueProgress[] = []): Promise<boolean> {
    let entries = queuesEntries(queues);
    for (;;) {
      const filled = await this.#fill(through);
      if (filled === 'stopped') return false;
      const isFull = filled === 'full' || this.#isFullWith(entries);
      if (this.#body.isEmpty) return true;
      const isOurs = await this.#write();
      if (isOurs && !isFull) return true;
      // Queues of ours may have been in the chunk that is there otherwise.
      if (!isOurs) entries = queuesEntries(queues);
    }
  }

  close(): Promise<void> {
    return this.#stream.close();
  }

  async #fill(through: number | undefined): Promise<'full' | 'end' | 'stopped'> {
    for (;;) {
      if (this.#options.isStopped?.() === true) return 'stopped';
      this.#options.shipper.retrying.signal.throwIfAborted();
      const begunMs = performance.now();
      let isBitten = false;
      for (const entry of this.#stream.read(through)) {
        this.#body.add(entry);
        if (this.#body.byteLength >= MAX_BODY_BYTES) return 'full';
        isBitten = performance.now() - begunMs >= SLICE_MS;
        if (isBitten) break;
      }
      if (!isBitten) return 'end';
      await delay((performance.now() - begunMs) * this.#options.rest);
    }
  }

  /** Takes entries until the chunk is full, or there are no more. */
  #isFullWith(entries: Iterator<ChunkEntry>): boolean {
    while (this.#body.byteLength < MAX_BODY_BYTES) {
      const { done, value } = entries.next();
      if (done === true) return false;
      this.#body.add(value);
    }
    return true;
  }

  /** False when another chunk of ours was there, which may have less. */
  async #write(): Promise<boolean> {
    const chunk = await this.#writer.write({
      from: this.#to,
      to: this.#stream.head,
      lastAtMs: this.#stream.lastAtMs,
      body: this.#body.view(),
    });
    this.#body.clear();
    const { to, lastAtMs } = chunk.head;
    this.#to = to;
    this.#lastAtMs = lastAtMs;
    if (!chunk.isOurs) {
      await this.#stream.close();
      this.#stream = this.#options.openStream(to, lastAtMs);
    }
    await this.#options.onChunk(chunk);
    return chunk.isOurs;
  }
}
