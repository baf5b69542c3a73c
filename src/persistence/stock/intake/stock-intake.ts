/**
 * One upload of items, as the main thread holds it.
 *
 * What always holds: nothing of it is visible until the caller has made the product's new end durable, which
 * it does between `finish` and `close`; a crash, an error or `close` before leaves nothing to undo. At most
 * `MAX_UNTAKEN` parcels are on their way to the thread, so memory is bounded however fast the sender is.
 *
 * Bytes are gathered into parcels, which are handed over instead of copied: a chunk of the network may be a
 * part of a pool that others use, so it can't be handed over itself.
 */
import { IntakeAbortedError, unpackError } from '../stock-errors.ts';
import type { IntakeAnswer, IntakeRequest } from '../stock-messages.ts';
import type { IntakeResult } from './stock-intake-writer.ts';

const PARCEL_BYTES = 256 * 1024;
const PARCEL_ITEMS = 1_024;
const MAX_UNTAKEN = 4;

type Waiter<Value> = { readonly resolve: (value: Value) => void; readonly reject: (error: Error) => void };

/** How an intake reaches the thread, and gives back its turn. */
export interface IntakeLink {
  send(request: IntakeRequest, transfer?: ArrayBuffer[]): void;
  /** Called once. */
  leave(): void;
}

export class StockIntake {
  readonly #link: IntakeLink;
  #parcel = Buffer.alloc(0);
  #parcelBytes = 0;
  #untaken = 0;
  #source: 'text' | 'items' | undefined;
  #isWriting = false;
  #state: 'open' | 'finishing' | 'finished' | 'over' = 'open';
  #failure: Error | undefined;
  #forRoom: Waiter<void> | undefined;
  #forResult: Waiter<IntakeResult> | undefined;

  constructor(link: IntakeLink) {
    this.#link = link;
  }

  /**
   * UTF-8 lines, cut anywhere; `chunk` may be used again at once. Resolves when more may be sent: wait for it.
   * Rejects, like every call after it, with what ended the intake: `BadItemError`, `StockFullError`, …
   */
  writeText(chunk: Uint8Array): Promise<void> {
    return this.#write('text', () => this.#sendText(chunk));
  }

  /** Whole items, which may hold line feeds. Otherwise like `writeText`; not in the same intake. */
  writeItems(items: readonly string[]): Promise<void> {
    return this.#write('items', () => this.#sendItems(items));
  }

  /**
   * Resolves when all texts are durable under their numbers. Then make the product's new end durable, if it can
   * be done, and call `close`.
   */
  async finish(): Promise<IntakeResult> {
    this.#checkOpen();
    this.#state = 'finishing';
    if (this.#parcelBytes > 0) this.#sendParcel();
    this.#link.send({ kind: 'finish' });
    return await new Promise((resolve, reject) => {
      this.#forResult = { resolve, reject };
    });
  }

  /**
   * The next upload of the product may start. At any time, also when it is over: before `finish` it gives the
   * upload up, and what was written stays invisible.
   */
  close(): void {
    if (this.#state === 'over') return;
    this.fail(new IntakeAbortedError());
  }

  /** For the store: what the thread says. */
  hear(answer: IntakeAnswer): void {
    if (this.#state === 'over') return;
    switch (answer.kind) {
      case 'taken':
        this.#untaken -= 1;
        this.#forRoom?.resolve();
        this.#forRoom = undefined;
        break;
      case 'finished':
        this.#state = 'finished';
        this.#forResult?.resolve(answer.result);
        this.#forResult = undefined;
        break;
      case 'failed':
        this.fail(unpackError(answer.error));
        break;
    }
  }

  /** For the store: ends the intake with an error for its caller. */
  fail(error: Error): void {
    if (this.#state === 'over') return;
    this.#failure = error;
    this.#end();
    this.#forRoom?.reject(error);
    this.#forResult?.reject(error);
  }

  async #write(source: 'text' | 'items', send: () => Promise<void>): Promise<void> {
    this.#checkOpen();
    if (this.#source !== undefined && this.#source !== source) {
      throw new Error('an intake takes either text or items');
    }
    this.#source = source;
    this.#isWriting = true;
    try {
      await send();
    } finally {
      this.#isWriting = false;
    }
  }

  async #sendText(chunk: Uint8Array): Promise<void> {
    for (let offset = 0; offset < chunk.length; ) {
      if (this.#parcel.length === 0) this.#parcel = Buffer.allocUnsafeSlow(PARCEL_BYTES);
      const part = chunk.subarray(offset, offset + PARCEL_BYTES - this.#parcelBytes);
      this.#parcel.set(part, this.#parcelBytes);
      this.#parcelBytes += part.length;
      offset += part.length;
      if (this.#parcelBytes === PARCEL_BYTES) {
        this.#sendParcel();
        await this.#room();
      }
    }
  }

  async #sendItems(items: readonly string[]): Promise<void> {
    for (let start = 0; start < items.length; ) {
      let end = start;
      let size = 0;
      while (end < items.length && end - start < PARCEL_ITEMS && size < PARCEL_BYTES) {
        size += items[end]?.length ?? 0;
        end += 1;
      }
      this.#link.send({ kind: 'items', items: items.slice(start, end) });
      this.#untaken += 1;
      start = end;
      await this.#room();
    }
  }

  #checkOpen(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#state !== 'open') throw new Error('the intake is finished');
    if (this.#isWriting) throw new Error('an intake is written to by one caller, in turn');
  }

  #sendParcel(): void {
    const bytes = new Uint8Array(this.#parcel.buffer, 0, this.#parcelBytes);
    this.#link.send({ kind: 'text', bytes }, [this.#parcel.buffer as ArrayBuffer]);
    this.#parcel = Buffer.alloc(0);
    this.#parcelBytes = 0;
    this.#untaken += 1;
  }

  #room(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#untaken < MAX_UNTAKEN) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#forRoom = { resolve, reject };
    });
  }

  #end(): void {
    this.#state = 'over';
    this.#parcel = Buffer.alloc(0);
    this.#link.send({ kind: 'close' });
    this.#link.leave();
  }
}
