/**
 * One node at one target: its run, its key ring, and the base, which is the whole history in chunks that are as full as
 * they get. A single backup is this and no more; the shipping of a running node has a `log` besides (`continuous-shipping.ts`).
 *
 * The order is what makes it safe: first what is there is proved to be our history, then the run is written, which fences
 * who was there before, then the key ring, then chunks, and a manifest last. Each step may be the last one of a killed
 * process: the next begins with the same look.
 */

import type { LogHead, LogReader } from '../../persistence/journal/frame-log.ts';
import { isPlaceOf } from '../../persistence/journal/journal-reader.ts';
import { RowCipher } from '../../persistence/keys/row-cipher.ts';
import { type ChunkHead, encodeChunk } from '../chunk.ts';
import type { QueueProgress } from '../chunk-entries.ts';
import { FolderStream } from '../folder-stream.ts';
import { listManifests, writeManifest } from '../manifests.ts';
import { storedObject } from '../proved-object.ts';
import { encodeRecord, recordKeyOf } from '../record.ts';
import type { Retrying } from '../retrying.ts';
import { RetryingTarget } from '../retrying-target.ts';
import { RingCopy } from '../ring-copy.ts';
import { expectNewest, newRun, nextRun, writeRun } from '../runs.ts';
import { type BackupTarget, TargetError } from '../target/backup-target.ts';
import {
  MANIFESTS,
  type Manifest,
  type PositionJson,
  PROGRESS,
  positionJson,
  type Run,
  runName,
  type StoredObject,
} from '../target-layout.ts';
import { type BasePlace, findBase, type SeriesPlace } from './resuming.ts';
import { SeriesShipping } from './series-shipping.ts';
import type { Shipper, WrittenChunk } from './series-writer.ts';
import type { ShippedFolder } from './shipped-folder.ts';

/** A backup that is interrupted reads no more chunks again than these. */
const CHUNKS_PER_PROGRESS = 32;

export interface ShipmentOptions {
  readonly folder: ShippedFolder;
  readonly target: BackupTarget;
  readonly retrying: Retrying;
  /** See `SeriesShipping`. */
  readonly rest: number;
  readonly clock: () => number;
  /** See `SeriesShipping`. */
  readonly isStopped?: (() => boolean) | undefined;
  /** Called when the run is about to be written. */
  readonly onBegins?: ((run: Run) => void) | undefined;
  /** Rejects with `fenced` when no run must be written: after one couldn't be, another node's may be there. */
  readonly mayBegin?: (() => Promise<void>) | undefined;
  /** Called when the run was read back: whatever was marked as a clean end there is none any more. */
  readonly onRun?: (() => void) | undefined;
  /** Hears of objects that are not what a node of this shop wrote; they count for nothing. */
  readonly onAltered?: ((name: string) => void) | undefined;
  /** How far the base is, and the bytes of all its chunks: at first, and with each chunk. */
  readonly onProgress?: ((position: PositionJson, bytes: number) => void) | undefined;
}

type ManifestEnd = Pick<Manifest, 'isCleanEnd' | 'gap'> & { readonly log?: readonly WrittenChunk[] };

interface Begun {
  readonly shipper: Shipper;
  readonly log: LogReader;
  readonly ring: RingCopy;
}

export class Shipment {
  readonly run: Run;
  readonly shipper: Shipper;
  readonly #options: ShipmentOptions;
  /** For looking at places of the journal. */
  readonly #log: LogReader;
  readonly #ring: RingCopy;
  readonly #base: SeriesShipping;
  #chunks: StoredObject[];
  #bytes: number;
  #sinceProgress = 0;
  /** `Manifest.logThrough` of the newest manifest, of us or before us. */
  logThrough: number;

  private constructor(options: ShipmentOptions, run: Run, { shipper, log, ring }: Begun, place: BasePlace) {
    this.#options = options;
    this.run = run;
    this.shipper = shipper;
    this.#log = log;
    this.#ring = ring;
    this.#chunks = [...place.chunks];
    this.#bytes = this.#chunks.reduce((sum, { bytes }) => sum + bytes, 0);
    this.logThrough = place.logThrough;
    this.#base = new SeriesShipping({
      shipper,
      series: 'base',
      place,
      openStream: (from, lastAtMs) => this.openStream(from, lastAtMs),
      rest: options.rest,
      ...(options.isStopped === undefined ? {} : { isStopped: options.isStopped }),
      onChunk: (chunk) => this.#added(chunk),
    });
  }

  /**
   * `look` may look for more before the run is written, whose number is higher than `lastRun`. Rejects with `fenced`,
   * or as `retrying` does; then nothing is fenced.
   */
  static async begin(
    options: ShipmentOptions,
    look: (shipper: Shipper, place: BasePlace, signal: AbortSignal) => Promise<void> = async () => {},
    lastRun = 0,
  ): Promise<Shipment> {
    const { folder, target, retrying, clock, onAltered = () => {} } = options;
    const { runner, keys } = folder;
    const log = folder.parts.openLog();
    const ring = new RingCopy(target, runner.epoch, retrying);
    const cipher = new RowCipher(keys);
    const shipper: Shipper = {
      target,
      shop: runner.shop,
      epoch: runner.epoch,
      cipher,
      recordKey: recordKeyOf(keys.fingerprintKey),
      onAltered,
      retrying,
      hasInJournal: (head) => isPlaceOf(log, head),
      seal: (head, body) => seal({ ring, folder, cipher }, head, body),
    };
    const looker = { ...shipper, target: new RetryingTarget(target, retrying) };
    const { signal } = retrying;
    const first = await nextRun(looker, runner, lastRun, signal);
    const place = await findBase(looker, signal);
    await look(looker, place, signal);
    let run = newRun(runner, first, clock());
    options.onBegins?.(run);
    for (let wrong = 1; !(await retrying.until(() => writeRun(shipper, run, signal))); wrong += 1) {
      await retrying.restAfterWrong(runName(run), wrong);
      await options.mayBegin?.();
      // It may have been stored wrongly, or another node has begun since the look.
      const number = await nextRun({ ...looker, onAltered: () => {} }, runner, run.run, signal);
      run = newRun(runner, number, clock());
      options.onBegins?.(run);
    }
    options.onRun?.();
    await ring.there(folder.ring());
    const shipment = new Shipment(options, run, { shipper, log, ring }, place);
    shipment.#tell();
    return shipment;
  }

  /** How far the base is. */
  get place(): SeriesPlace {
    return this.#base.place;
  }

  /** The run as it lies at the target. */
  get runObject(): StoredObject {
    const name = runName(this.run);
    return storedObject(name, encodeRecord(name, this.run, this.shipper.recordKey));
  }

  /** The last chunk of the base. */
  get lastChunk(): StoredObject | undefined {
    return this.#chunks.at(-1);
  }

  openStream(from: LogHead, lastAtMs: number): FolderStream {
    const { openLog, content } = this.#options.folder.parts;
    return new FolderStream(openLog(), content, from, lastAtMs);
  }

  /** Brings the base up to the frame with fact `through`, or to the journal's end; false when it was stopped before. */
  shipBase(through: number | undefined, queues: readonly QueueProgress[]): Promise<boolean> {
    return this.#base.ship(through, queues);
  }

  /** Writes the manifest of the base as it is, and of chunks of `log` that continue it. */
  async writeManifest(logThrough: number, end: ManifestEnd = { isCleanEnd: false }): Promise<Manifest> {
    const manifest = await this.#write(MANIFESTS, logThrough, end);
    this.logThrough = logThrough;
    return manifest;
  }

  /** The backup is complete: what told how far it was isn't needed any more. */
  async removeProgress(): Promise<void> {
    const { target, retrying } = this.#options;
    try {
      for (const { name, epoch } of await listManifests(target, [PROGRESS], retrying.signal)) {
        if (epoch <= this.run.epoch) await target.remove(name, { signal: retrying.signal });
      }
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
    }
  }

  /** Resolves when the key ring as it is now is there, and those before it are removed. Rejects as `expectNewest`. */
  async shipRing(): Promise<void> {
    const { folder, retrying } = this.#options;
    await retrying.until((signal) => this.expectNewest(signal));
    await this.#ring.there(folder.ring());
  }

  /**
   * Rejects with `fenced` when somebody else ships there now, with `lost` when the target has lost what was
   * there, and with `TargetError`.
   */
  expectNewest(signal: AbortSignal): Promise<void> {
    return expectNewest(this.shipper, this.run, signal);
  }

  async close(): Promise<void> {
    await this.#base.close();
    await this.#log.close();
  }

  async #added(chunk: WrittenChunk): Promise<void> {
    this.#chunks.push(chunk.object);
    this.#sinceProgress += 1;
    this.#bytes += chunk.object.bytes;
    this.#tell();
    if (this.#sinceProgress < CHUNKS_PER_PROGRESS) return;
    this.#sinceProgress = 0;
    await this.#write(PROGRESS, 0, { isCleanEnd: false });
  }

  #tell(): void {
    this.#options.onProgress?.(positionJson(this.#base.place.to), this.#bytes);
  }

  async #write(
    prefix: typeof MANIFESTS | typeof PROGRESS,
    logThrough: number,
    { isCleanEnd, gap, log = [] }: ManifestEnd,
  ): Promise<Manifest> {
    const { folder, retrying, clock } = this.#options;
    const { to, lastAtMs } = log.at(-1)?.head ?? this.#base.place;
    const { shop, epoch, run } = this.run;
    const manifest = {
      shop,
      epoch,
      run,
      position: positionJson(to),
      lastAt: lastAtMs,
      at: clock(),
      isCleanEnd,
      ...(gap === undefined ? {} : { gap }),
      keys: await this.#ring.there(folder.ring()),
      logThrough,
      chunks: [...this.#chunks, ...log.map(({ object }) => object)],
    };
    return writeManifest(this.shipper, manifest, retrying, prefix);
  }
}

interface Sealing {
  readonly ring: RingCopy;
  readonly folder: ShippedFolder;
  readonly cipher: RowCipher;
}

/** Seals a chunk, when a key ring at the target opens it. */
async function seal({ ring, folder, cipher }: Sealing, head: ChunkHead, body: Uint8Array): Promise<Buffer> {
  await ring.there(folder.ring());
  return encodeChunk(head, body, cipher);
}
