/** Calls and fields that the document of the operators' API does not have yet, by hand. */
export type PendingCalls = Readonly<Record<never, never>>;
export type PendingQueries = Readonly<Record<never, never>>;
