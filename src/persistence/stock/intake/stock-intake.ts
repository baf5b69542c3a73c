/**
 * One upload of items, as the main thread holds it.
 *
 * Invariant: nothing of it is visible until the caller has made the product's new end durable, which it does between
 * `finish` and `close`; a crash, an error or `close` before leaves nothing to undo. At most `MAX_UNTAKEN` parcels are
 * on their way to the thread, so memory is bounded however fast the sender is.
 *
 * Bytes are gathered into parcels, which are handed over instead of copied: a chunk of the network may be a part of a
 * pool that others use, so it can't be handed over itself.
 */
import { textPortions } from '../text-portions.ts';
import type { IntakeResult } from './stock-intake-writer.ts';
import type { Parcel } from './stock-intakes.ts';

const PARCEL_BYTES = 256 * 1024;
const MAX_UNTAKEN = 4;

/** How an intake reaches the thread. A rejection means that the intake has ended there. */
export interface IntakeLink {
  readonly begun: Promise<void>;
  /** Resolves when the parcel is taken in. */
  add(parcel: Parcel, transfer?: readonly ArrayBuffer[]): Promise<void>;
  finish(): Promise<IntakeResult | undefined>;
  /** The product's next upload may begin. Called once. */
  close(): void;
}

export class StockIntake {
  /** How many items of the shop were recalled when this began: texts of a later recall were let in. */
  readonly recalledItems: number;
  /**
   * Whether no other upload was under way since this began that may have come to nothing. Else a duplicate may be of a text
   * that nobody has in the end.
   */
  readonly isAlone: () => boolean;
  readonly #link: IntakeLink;
  #parcel = Buffer.alloc(0);
  #parcelBytes = 0;
  /** The oldest first. */
  readonly #untaken: Promise<unknown>[] = [];
  #source: 'text' | 'items' | undefined;
  #isWriting = false;
  #isFinishing = false;
  /** The error that ended the intake. */
  #failure: Error | undefined;

  constructor(link: IntakeLink, recalledItems: number, isAlone: () => boolean) {
    this.#link = link;
    this.isAlone = isAlone;
    this.recalledItems = recalledItems;
    link.begun.catch((error) => this.fail(error));
  }

  /**
   * UTF-8 lines, or a table, cut anywhere; `chunk` may be used again at once. Resolves when more may be sent: wait for it.
   * Rejects, like every call after it, with what ended the intake: `bad-item`, `full`, …
   */
  writeText(chunk: Uint8Array): Promise<void> {
    return this.#write('text', () => this.#gather(chunk));
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
    this.#isFinishing = true;
    if (this.#parcelBytes > 0) await this.#sendText();
    const result = await this.#link.finish().catch((error) => this.fail(error));
    if (this.#failure !== undefined) throw this.#failure;
    if (!result) throw new Error('the intake has no result');
    return result;
  }

  /**
   * The next upload of the product may start. At any time, also when it is over: before `finish` it gives the
   * upload up, and what was written stays invisible.
   */
  close(): void {
    this.fail(new Error('the upload was aborted'));
  }

  /** For the store: ends the intake with an error for its caller. */
  fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#parcel = Buffer.alloc(0);
    this.#link.close();
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

  async #gather(chunk: Uint8Array): Promise<void> {
    for (let offset = 0; offset < chunk.length; ) {
      if (this.#parcel.length === 0) this.#parcel = Buffer.allocUnsafeSlow(PARCEL_BYTES);
      const part = chunk.subarray(offset, offset + PARCEL_BYTES - this.#parcelBytes);
      this.#parcel.set(part, this.#parcelBytes);
      this.#parcelBytes += part.length;
      offset += part.length;
      if (this.#parcelBytes === PARCEL_BYTES) await this.#sendText();
    }
  }

  async #sendItems(items: readonly string[]): Promise<void> {
    for (const portion of textPortions(items)) await this.#send(portion);
  }

  #checkOpen(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#isFinishing) throw new Error('the intake is finished');
    if (this.#isWriting) throw new Error('an intake is written to by one caller, in turn');
  }

  #sendText(): Promise<void> {
    const bytes = new Uint8Array(this.#parcel.buffer, 0, this.#parcelBytes);
    const transfer = [this.#parcel.buffer as ArrayBuffer];
    this.#parcel = Buffer.alloc(0);
    this.#parcelBytes = 0;
    return this.#send(bytes, transfer);
  }

  /** Resolves when there is room for one more. */
  async #send(parcel: Parcel, transfer?: readonly ArrayBuffer[]): Promise<void> {
    this.#untaken.push(this.#link.add(parcel, transfer).catch((error) => this.fail(error)));
    if (this.#untaken.length >= MAX_UNTAKEN) await this.#untaken.shift();
    if (this.#failure !== undefined) throw this.#failure;
  }
}
