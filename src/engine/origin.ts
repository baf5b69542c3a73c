/**
 * Where a fact comes from: which operator caused it, why, and by which request. A fact that nobody asked for, such as a
 * recovery's, has none.
 */
export interface Origin {
  /** `ROOT_OPERATOR` or that of a named operator; absent when a buyer or a supplier caused it. */
  readonly operatorId?: number;
  /** As the operator gave it. */
  readonly reason?: string;
  /** Of the request (`request-number.ts`). */
  readonly requestNumber?: number;
  /** Of a call that may be repeated (`keyed-calls.ts`). */
  readonly call?: CallKey;
}

/** What such a call says of itself. */
export interface CallKey {
  /** The operator's `Idempotency-Key`. */
  readonly key: string;
  /** Of method, path, query and body; made with a secret, so that it tells nothing of them. */
  readonly digest: string;
  /** What the first answer says and its fact doesn't. */
  readonly said?: Readonly<Record<string, unknown>>;
}

/** The owner whose token is in the environment or in the data folder. It has no row among the operators. */
export const ROOT_OPERATOR = 0;
/** Its name, which no other operator may have. */
export const ROOT_NAME = 'root';
