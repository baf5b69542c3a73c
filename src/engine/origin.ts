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
}

/** The owner whose token is in the environment or in the data folder. It has no row among the operators. */
export const ROOT_OPERATOR = 0;
/** Its name, which no other operator may have. */
export const ROOT_NAME = 'root';
