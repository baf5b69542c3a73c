/**
 * The writer of the outbox's batches, one at a time. A batch that can't be written for want of room is kept and tried
 * again, and no other is begun before. Where other nodes follow, a batch is shipped to them before it is written: a
 * folder must not have rows that the log lacks, for nobody would take them away again when another node leads.
 */
import { dirname } from 'node:path';
import { RoomForWrite } from '../../../persistence/disk/disk-room.ts';
import { isGivenUp } from '../../../persistence/lmdb/lmdb-renewal.ts';
import { OutboxBatch } from '../../../persistence/webhooks/outbox-file.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';

/** A second apart: the main thread may stand still, too, while a disk is full. */
const MAX_RENEWALS = 30;

export class OutboxWriter {
  readonly #store: OutboxStore;
  readonly #ship: ((parts: readonly Buffer[]) => void) | undefined;
  #batch = new OutboxBatch();
  #unwritten: { readonly batch: OutboxBatch; readonly after: () => void } | undefined;
  #isShipping = false;
  /** Writes in a row that have failed. */
  #renewals = 0;

  /** `ship`: a closed batch goes to other nodes first; `shipped` says that they have it. */
  constructor(store: OutboxStore, ship?: (parts: readonly Buffer[]) => void) {
    this.#store = store;
    this.#ship = ship;
  }

  /** The batch that is being filled, and written next. */
  get batch(): OutboxBatch {
    return this.#batch;
  }

  /** A batch was closed and isn't on disk. */
  get isWaiting(): boolean {
    return this.#unwritten !== undefined;
  }

  /** A batch was closed and other nodes don't have it: it must not be written. */
  get isShipping(): boolean {
    return this.#isShipping;
  }

  /** The batch is full; `after` is called when it is on disk. */
  close(after: () => void): void {
    this.#unwritten = { batch: this.#batch, after };
    if (this.#ship !== undefined) {
      this.#isShipping = true;
      this.#ship(this.#batch.parts());
    }
    this.#batch = new OutboxBatch();
  }

  /** Other nodes have the batch that was closed. */
  shipped(): void {
    this.#isShipping = false;
  }

  /**
   * Writes what was closed. False when there is no room, and while another thread must still close the file that a failed
   * write has given up: it is tried again later. Throws when the disk fails otherwise.
   */
  write(): boolean {
    if (this.#unwritten === undefined) return true;
    const { batch, after } = this.#unwritten;
    const room = new RoomForWrite(dirname(this.#store.file.environment.file), batch.roomBytes);
    try {
      this.#store.commit(batch);
    } catch (error) {
      if (room.isWantedBy(error)) return false;
      this.#renewals += 1;
      if (isGivenUp(error) && this.#renewals < MAX_RENEWALS) return false;
      throw error;
    }
    this.#renewals = 0;
    this.#unwritten = undefined;
    after();
    return true;
  }
}
