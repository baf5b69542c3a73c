/**
 * The rows of a thread that writes, on their way to the log that all nodes share: the thread's side of `RowShipping`.
 *
 * Invariant: a call that wrote rows is answered when the log has them, so no fact names what other nodes lack. Calls
 * are worked on in their order all the same; only answers wait.
 */
import type { Calls } from '../../threads/thread-messages.ts';

export class ShippedRows {
  readonly #say: (id: number, parts: readonly Uint8Array[]) => void;
  #lastId = 0;
  #shippedId = 0;
  /** The oldest first. */
  readonly #waiting: { readonly id: number; readonly resolve: () => void }[] = [];

  /** `say` tells `RowShipping.add`. */
  constructor(say: (id: number, parts: readonly Uint8Array[]) => void) {
    this.#say = say;
  }

  /** The rows are durable here. */
  readonly send = (parts: readonly Uint8Array[]): void => {
    this.#lastId += 1;
    this.#say(this.#lastId, parts);
  };

  /** The set `id`, and all before it, are in the log: `onShipped` of `RowShipping`. */
  readonly shipped = (id: number): void => {
    this.#shippedId = id;
    while (this.#waiting[0] !== undefined && this.#waiting[0].id <= id) this.#waiting.shift()?.resolve();
  };

  /**
   * Calls as `known` has them, answered when all rows that were sent until then are shipped. Errors are answered at
   * once.
   */
  answersLast<Known extends Calls>(calls: Known): Known {
    const behind =
      (call: Calls[string]) =>
      async (...args: never[]) => {
        const answer = await call(...args);
        if (this.#shippedId < this.#lastId) await this.#whenShipped();
        return answer;
      };
    return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, behind(call)])) as Known;
  }

  #whenShipped(): Promise<void> {
    const id = this.#lastId;
    return new Promise((resolve) => this.#waiting.push({ id, resolve }));
  }
}
