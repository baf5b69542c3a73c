/**
 * The state as the disk has it: the checkpoint, then every fact of the journal's tail. Used at start, and when
 * a full disk has left memory ahead of it.
 *
 * What always holds: the tail continues exactly where the checkpoint ends, link by link; a journal that
 * doesn't reach the checkpoint has lost facts, and is refused.
 */
import { apply } from '../engine/apply.ts';
import { brokenInvariants } from '../engine/invariants.ts';
import type { KeyFilter } from '../engine/key-filter.ts';
import type { State } from '../engine/state.ts';
import type { CheckpointHistory } from './checkpoint/checkpoint-history.ts';
import { type CheckpointTables, loadState } from './checkpoint/checkpoint-tables.ts';
import { DamagedDataError } from './codec/byte-reader.ts';
import { JournalReader } from './journal/journal-reader.ts';
import type { JournalHead, LmdbJournal } from './journal/lmdb-journal.ts';

export interface Recovered {
  readonly state: State;
  readonly head: JournalHead;
  /** What the checkpoint reflects. */
  readonly checkpointPosition: number;
}

/**
 * `filter` must have the keys of all purchases in the checkpoint, and gets those of the tail. Throws
 * `DamagedDataError` when checkpoint and journal don't make one sound state.
 */
export function recover(folder: string, tables: CheckpointTables, filter: KeyFilter): Recovered {
  const { state, head } = loadState(tables, filter);
  const checkpointPosition = head.position;
  const journal = new JournalReader(folder, head);
  try {
    journal.checkHead();
    for (const frame of journal.read()) {
      for (const fact of frame.facts) apply(state, fact);
    }
  } finally {
    void journal.close();
  }
  const broken = brokenInvariants(state);
  if (broken.length > 0) throw new DamagedDataError(`the recovered state is wrong: ${broken.join('; ')}`);
  return { state, head: journal.head, checkpointPosition };
}

/** What a running node reads and writes of its folder, beside the state. */
export interface RunningFolder {
  readonly folder: string;
  readonly tables: CheckpointTables;
  readonly filter: KeyFilter;
  readonly history: CheckpointHistory;
  readonly journal: LmdbJournal;
}

/** The same while the node runs, after a group was refused: history and journal go back to what is on disk, too. */
export function rebuild({ folder, tables, filter, history, journal }: RunningFolder): State {
  history.refresh();
  const { state, head } = recover(folder, tables, filter);
  journal.rewind(head);
  return state;
}
