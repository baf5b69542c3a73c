/**
 * The port through which facts become durable. The adapter behind the port turns a group of facts into a frame of bytes
 * and appends it to a log, embedded or replicated.
 *
 * The contract: groups are appended one at a time, in order and without a gap; when the promise resolves, the group
 * survives a power cut; when it rejects with `JournalFullError`, nothing of the group was written and the journal can
 * be used again; any other rejection means that it isn't known what was written, and the process must stop.
 */
import type { Fact } from '../fact.ts';

export interface Journal {
  /** `firstSequence` is one more than the last fact that was appended; `facts` isn't empty. */
  append(firstSequence: number, facts: readonly Fact[]): Promise<void>;
}

/** The storage has no room for the group: an operational fault that passes when there is space again. */
export class JournalFullError extends Error {
  readonly code = 'ENOSPC';

  constructor(options?: ErrorOptions) {
    super('the disk is full: the journal could not be extended', options);
    this.name = 'JournalFullError';
  }
}
