/** What V8 is told in the HTTP processes of every peer. */
export const workerFlags: readonly string[] = [];
