/**
 * `purser rekey --data-keys`: a new data key, and everything sealed anew with it, behind the traffic; then the older keys
 * are dropped from the ring.
 *
 * Invariant: the new key is on disk before anything is sealed with it, and an old one is dropped only when nothing that
 * is ever opened is sealed with it: all texts have been looked at since the new key came, and the state of the engine,
 * durable, has no secret that an older one sealed. The ring itself says what is left to do: a start that finds more
 * than one data key in it goes on, so no progress is kept on disk.
 *
 * Facts of the past keep what they have, sealed with keys that may be gone. Nobody opens those: a replay applies them,
 * and then the facts that replaced them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isOutOfSpace } from '../disk/disk-room.ts';
import type { KeyRing } from '../disk/key-ring.ts';
import { FIRST_PLACE, type ResealPlace } from '../stock/resealing.ts';
import { StockFullError } from '../stock/stock-errors.ts';
import type { StockStore } from '../stock/stock-store.ts';
import { NoRoomError, type SecretResealing } from './secret-resealing.ts';

/** After a bite it rests for so many times as long as that took, and for a moment at least. */
const REST_FACTOR = 9;
const MIN_REST_MS = 20;
/** Without room on the disk. */
const RETRY_MS = 5_000;

export interface DataRekeyingOptions {
  readonly ring: KeyRing;
  readonly stock: Pick<StockStore, 'sealedRows' | 'reseal' | 'removeReplaced'>;
  readonly secrets: SecretResealing;
  /** For tests. */
  readonly retryMs?: number;
  /** Everything is sealed with the newest key. */
  readonly onDone: () => void;
  /**
   * The receiver of troubles: a want of room, told once until something is written again; or an end without being done
   * (`isFinal`).
   */
  readonly onTrouble: (error: unknown, isFinal: boolean) => void;
}

export interface RekeyProgress {
  readonly state: 'done' | 'running' | 'failed';
  /**
   * The rows and secrets that have been looked at, of `total`; from 0 after a start, which looks at all of them again.
   */
  readonly looked: number;
  readonly total: number;
  /** The reason of a wait, or of the failure. */
  readonly trouble: string | undefined;
}

export class DataRekeying {
  readonly #options: DataRekeyingOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #looked = 0;
  #total = 0;
  #trouble: string | undefined;
  #isToldOfRoom = false;

  constructor(options: DataRekeyingOptions) {
    this.#options = options;
  }

  get progress(): RekeyProgress {
    const isLeft = this.#options.ring.dataKeyIds.length > 1;
    const state = this.#running !== undefined ? 'running' : isLeft ? 'failed' : 'done';
    return { state, looked: this.#looked, total: this.#total, trouble: this.#trouble };
  }

  /** Goes on with what is left of an earlier one instead, if there is any. Throws what `addDataKey` throws. */
  begin(): void {
    const { ring } = this.#options;
    if (this.#running === undefined && ring.dataKeyIds.length === 1) ring.addDataKey();
    this.resume();
  }

  /** Goes on with what a stop or a crash left. */
  resume(): void {
    if (this.#running !== undefined || this.#stopping.signal.aborted) return;
    if (this.#options.ring.dataKeyIds.length === 1) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** The next start goes on. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { ring, onDone, onTrouble, retryMs = RETRY_MS } = this.#options;
    for (;;) {
      try {
        // Rows are passed over that have the newest key: it must be the new one by now.
        await ring.whenShared();
        await this.#sealTexts();
        // What the old keys have sealed must not stay on the disk behind what took its place.
        while (await this.#options.stock.removeReplaced()) await this.#rest(0);
        await this.#options.secrets.run((worked, looked) => this.#looks(worked, looked));
        ring.retireOldDataKeys();
        this.#trouble = undefined;
        this.#isToldOfRoom = false;
        return onDone();
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#trouble = (error as Error).message;
        const isFinal = !isForWantOfRoom(error);
        if (isFinal || !this.#isToldOfRoom) onTrouble(error, isFinal);
        if (isFinal) return;
        this.#isToldOfRoom = true;
        await delay(retryMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      }
    }
  }

  async #sealTexts(): Promise<void> {
    const { stock, secrets } = this.#options;
    this.#looked = 0;
    this.#total = (await stock.sealedRows()) + secrets.size;
    for (let place: ResealPlace | undefined = FIRST_PLACE; place !== undefined; ) {
      const begunMs = performance.now();
      const { rows, written, next } = await stock.reseal(place);
      this.#trouble = undefined;
      if (written > 0) this.#isToldOfRoom = false;
      place = next;
      await this.#looks(performance.now() - begunMs, rows);
    }
  }

  /** Rests after a bite. Rejects when it is to stop. */
  async #looks(workedMs: number, looked: number): Promise<void> {
    this.#looked = Math.min(this.#looked + looked, this.#total);
    await this.#rest(workedMs);
  }

  async #rest(workedMs: number): Promise<void> {
    const restMs = Math.max(MIN_REST_MS, REST_FACTOR * workedMs);
    await delay(restMs, undefined, { signal: this.#stopping.signal });
  }
}

function isForWantOfRoom(error: unknown): boolean {
  return error instanceof StockFullError || error instanceof NoRoomError || isOutOfSpace(error);
}
