/**
 * Where a fact comes from: which operator caused it, why, and by which request. A fact that nobody asked for, such as a
 * recovery's, has none.
 */
export interface Origin {
  /** `ROOT_OPERATOR` or that of a named operator; absent when a buyer or a supplier caused it. */
  readonly operatorId?: number;
  /** As the operator gave it. */
  readonly reason?: string;
  /** The number of the request (`request-number.ts`). */
  readonly requestNumber?: number;
  /** The key of a call that may be repeated (`keyed-calls.ts`). */
  readonly call?: CallKey;
}

/** The key of a repeatable call, and its digest. */
export interface CallKey {
  /** The operator's `Idempotency-Key`. */
  readonly key: string;
  /** A keyed hash of method, path, query and body, which tells nothing of them. */
  readonly digest: string;
  /** Fields of the first answer that its fact doesn't have. */
  readonly said?: Readonly<Record<string, unknown>>;
}

/** The owner whose token is in the environment or in the data folder, without a row among the operators. */
export const ROOT_OPERATOR = 0;
/** The name of `ROOT_OPERATOR`, which no other operator may have. */
export const ROOT_NAME = 'root';
