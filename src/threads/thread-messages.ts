/** Messages between the main thread and a worker thread. Only `worker-link.ts` and `thread-server.ts` look inside. */
import type { Transferable } from 'node:worker_threads';

/** The functions of a thread that others may call, by name. Arguments and answers are cloned, or moved. */
export type Calls = Readonly<Record<string, (...args: never[]) => unknown>>;

/** An answer with memory that is handed over instead of copied. */
export class Moved<Value> {
  readonly value: Value;
  readonly transfer: readonly Transferable[];

  constructor(value: Value, transfer: readonly Transferable[]) {
    this.value = value;
    this.transfer = transfer;
  }
}

type Unmoved<Value> = Value extends Moved<infer Inner> ? Inner : Value;
export type AnswerOf<Call extends (...args: never[]) => unknown> = Unmoved<Awaited<ReturnType<Call>>>;

/** Errors that are answers; both sides have the same list. Classes get lost between threads, so a place stands for each. */
export type AnswerErrors = readonly (abstract new (...args: never[]) => Error)[];

/** In a request: nothing is answered. In an answer: the thread is ready. */
export const NO_CALL = 0;
/** The name of the call by which a thread ends its work. */
export const STOP = 'stop';

export interface ThreadRequest {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

export type ThreadAnswer =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | {
      readonly kind: 'error';
      readonly id: number;
      /** In the list of `AnswerErrors`; -1 for a call that the thread doesn't have. */
      readonly place: number;
      readonly message: string;
      readonly fields: object;
    }
  /** Said unasked. */
  | { readonly kind: 'event'; readonly name: string; readonly args: readonly unknown[] };

export interface ThreadStart {
  readonly data: unknown;
  /** The memory of the `WriteGate`. */
  readonly gate: SharedArrayBuffer;
}
