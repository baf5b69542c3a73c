/**
 * Stores a receipt after each purchase: in a file, one a line, or by a function of the program.
 *
 * Invariant: whatever goes wrong with a receipt is told (`onReceiptError`), and the purchase is answered as it is; when
 * the purchase is answered, its receipt is stored or that was told. Rejected: to store in the background, where the end
 * of the program would lose what nobody waits for.
 */
import type { ApiCaller, CallOptions } from './api-caller.ts';
import { LineFile } from './line-file.ts';
import type { PlacedOrder, Receipt } from './resources.ts';

export interface ReceiptFile {
  /**
   * The path of the file, which is made when it isn't there, and only ever appended to. For runtimes with files: Node,
   * Deno, Bun.
   */
  readonly file: string;
}

/** Keeps a receipt; what it throws or rejects with goes to `onReceiptError`. */
export type KeepReceipt = (receipt: string, order: PlacedOrder) => Promise<void> | void;

/** Told that the receipt of a purchase that happened is not stored. The function must not throw. */
export type OnReceiptError = (error: unknown, order: PlacedOrder) => void;

export class ReceiptStore {
  readonly #caller: ApiCaller;
  readonly #keep: KeepReceipt;
  readonly #onError: OnReceiptError;

  constructor(caller: ApiCaller, to: ReceiptFile | KeepReceipt, onError: OnReceiptError) {
    this.#caller = caller;
    this.#keep = typeof to === 'function' ? to : intoFile(to.file);
    this.#onError = onError;
  }

  /** Resolves when it is stored, or it was told that it isn't. */
  async store(order: PlacedOrder, options?: CallOptions): Promise<void> {
    // It has none: nothing is charged for it any more.
    if (order.status === 'failed') return;
    try {
      const { receipt } = await receiptOf(this.#caller, order.orderId, options);
      await this.#keep(receipt, order);
    } catch (error) {
      this.#onError(error, order);
    }
  }
}

/** Rejects with a `PurserError`. */
export function receiptOf(caller: ApiCaller, orderId: number, options?: CallOptions): Promise<Receipt> {
  return caller.json({ method: 'GET', path: `/orders/${orderId}/receipt` }, options);
}

function intoFile(path: string): KeepReceipt {
  const file = new LineFile(path);
  return (receipt) => file.append(receipt);
}
