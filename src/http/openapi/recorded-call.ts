/**
 * The form of `recorded-examples.ts`: real requests and answers, which a contract test records (`npm run api:examples`).
 * Rejected: examples written beside the schemas, six hundred lines that no call had ever given.
 */

/** Examples by a short name. */
export type Named = Readonly<Record<string, unknown>>;

export interface RecordedCall {
  readonly bodies?: Named;
  /** By status. */
  readonly answers?: Readonly<Record<number, Named>>;
  /** The fields of its path and query, as texts. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** By operation id. */
export type RecordedCalls = Readonly<Record<string, RecordedCall>>;
