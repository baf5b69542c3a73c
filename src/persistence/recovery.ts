/**
 * The state as the disk has it: the checkpoint, then every fact of the journal's tail. Used at start, and when a full
 * disk has left memory ahead of it.
 *
 * Invariant: the tail continues exactly where the checkpoint ends, link by link; a journal that doesn't reach the
 * checkpoint has lost facts, and is refused.
 */
import { apply } from '../engine/apply/apply.ts';
import { brokenInvariants } from '../engine/apply/invariants.ts';
import type { State } from '../engine/state.ts';
import { checkpointHead, loadState } from './checkpoint/checkpoint.ts';
import { DamagedDataError } from './codec/byte-reader.ts';
import type { FrameLog } from './journal/frame-log.ts';
import { JournalReader } from './journal/journal-reader.ts';
import type { StoreReader } from './store/store-reader.ts';

export interface Recovered {
  readonly state: State;
  /** The position of the last fact that the checkpoint reflects. */
  readonly checkpointPosition: number;
}

/**
 * Throws `DamagedDataError` when checkpoint and journal don't make one sound state, and `DamagedFileError` for a file of
 * the checkpoint that is needed for it.
 */
export function recover(log: FrameLog, checkpoint: StoreReader): Recovered {
  // While the node runs, what was read of the checkpoint before may be older than what is on disk.
  checkpoint.refresh();
  const state = loadState(checkpoint);
  const head = checkpointHead(checkpoint);
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
