/**
 * A purchase before, while and after it is sent. Making one sends nothing, so its key can be stored first: a
 * program that crashes between `send` and the answer makes the same purchase again from what it stored, and
 * gets the order that was placed, or places it now, once (SPEC.md §4).
 *
 * A promise that starts by itself was rejected: it leaves no moment in which to store the key.
 */
import type { ApiCaller, CallOptions } from './api-caller.ts';
import type { PurchaseStore } from './purchase-store.ts';
import { type IsCharged, PurserError } from './purser-error.ts';
import type { ReceiptStore } from './receipt-store.ts';
import type { PlacedOrder, PurchaseRequest } from './resources.ts';

export interface PurchaseOptions {
  /**
   * 1 to 128 visible ASCII characters; default: a new random one. Give the stored one to finish what another
   * run of the program began, or one of your own, unique per purchase you intend.
   */
  readonly idempotencyKey?: string;
}

/** The means to send a purchase, and to keep its receipt. */
export interface PurchaseSender {
  readonly caller: ApiCaller;
  /** For one attempt. */
  readonly timeoutMs: number;
  /** Undefined when no receipts are kept. */
  readonly receipts: ReceiptStore | undefined;
  /** Undefined when the program keeps the keys itself. */
  readonly store: PurchaseStore | undefined;
}

/** Visible ASCII, with blanks only inside, where HTTP leaves them as they are. */
const KEY_FORM = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

export class Purchase {
  readonly idempotencyKey: string;
  /** As it will be sent; later changes of the object it was made from don't matter. */
  readonly request: Readonly<PurchaseRequest>;
  readonly #sender: PurchaseSender;
  readonly #body: string;
  #isCharged: IsCharged;

  constructor(sender: PurchaseSender, request: PurchaseRequest, options: PurchaseOptions) {
    const { idempotencyKey } = options;
    if (idempotencyKey !== undefined && !KEY_FORM.test(idempotencyKey)) {
      throw new TypeError('idempotencyKey must be 1 to 128 visible ASCII characters');
    }
    this.idempotencyKey = idempotencyKey ?? crypto.randomUUID();
    // A key that was given may have been sent before, by a run of the program that knew how it ended.
    this.#isCharged = idempotencyKey === undefined ? false : 'unknown';
    this.#sender = sender;
    this.#body = JSON.stringify(request);
    this.request = JSON.parse(this.#body) as PurchaseRequest;
  }

  /**
   * Sends it, again after a time-out, a broken connection, 429 or 5xx, always with the same key and bytes, and
   * resolves with the order. Rejects with a `PurserError`. May be called again: a purchase that happened is
   * answered with its order, and nothing is charged for it.
   *
   * With `receipts`, the receipt is stored before it resolves; that it can't be is told elsewhere. With `store`, the
   * purchase is stored before it is sent, and what may have been charged stays there until `done`.
   */
  async send(options?: CallOptions): Promise<PlacedOrder> {
    await this.#sender.store?.save({ idempotencyKey: this.idempotencyKey, body: this.#body });
    const order = await this.#place(options);
    await this.#sender.receipts?.store(order, options);
    return order;
  }

  /** You have what you bought: the store may forget it. Without a store it does nothing. */
  async done(): Promise<void> {
    await this.#sender.store?.remove(this.idempotencyKey);
  }

  async #place(options?: CallOptions): Promise<PlacedOrder> {
    const { caller, timeoutMs } = this.#sender;
    try {
      return await caller.json<PlacedOrder>(
        {
          method: 'POST',
          path: '/orders',
          headers: { 'idempotency-key': this.idempotencyKey, 'content-type': 'application/json' },
          body: this.#body,
          timeoutMs,
          idempotencyKey: this.idempotencyKey,
          isCharged: this.#isCharged,
        },
        options,
      );
    } catch (error) {
      if (!(error instanceof PurserError)) throw error;
      this.#isCharged = error.isCharged;
      if (error.isCharged === false) await this.done();
      throw error;
    }
  }
}
