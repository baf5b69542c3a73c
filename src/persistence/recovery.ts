/**
 * The state as the disk has it: the checkpoint, then every fact of the journal's tail. Used at start, and when a full
 * disk has left memory ahead of it.
 *
 * Invariant: the tail continues exactly where the checkpoint ends, link by link; a journal that doesn't reach the
 * checkpoint has lost facts, and is refused.
 */
import { apply } from '../engine/apply/apply.ts';
import { brokenInvariants } from '../engine/apply/invariants.ts';
import type { KeyFilter } from '../engine/recent/key-filter.ts';
import type { State } from '../engine/state.ts';
import { type CheckpointTables, loadState } from './checkpoint/checkpoint-tables.ts';
import { DamagedDataError } from './codec/byte-reader.ts';
import type { FrameLog } from './journal/frame-log.ts';
import { JournalReader } from './journal/journal-reader.ts';

export interface Recovered {
  readonly state: State;
  /** The position of the last fact that the checkpoint reflects. */
  readonly checkpointPosition: number;
}

/**
 * `filter` must have the keys of all purchases in the checkpoint, and gets those of the tail. Throws
 * `DamagedDataError` when checkpoint and journal don't make one sound state.
 */
export function recover(log: FrameLog, tables: CheckpointTables, filter: KeyFilter): Recovered {
  // While the node runs, what was read of the checkpoint before may be older than what is on disk.
  tables.environment.resetReadTxn();
  const { state, head } = loadState(tables, filter);
  const checkpointPosition = head.position;
  const journal = new JournalReader(log, head);
  journal.checkHead();
  for (const { facts } of journal.read()) {
    for (const fact of facts) apply(state, fact);
  }
  journal.expectEnd(log.head);
  const broken = brokenInvariants(state);
  if (broken.length > 0) throw new DamagedDataError(`the recovered state is wrong: ${broken.join('; ')}`);
  return { state, checkpointPosition };
}
