/**
 * The process that folds a journal, and compacts, in the place of a node's thread. Arguments: the folder, then what to do,
 * one after the other: `fold POSITION`, `part` of a compaction, or all that is left, `compact`.
 */
import { CheckpointFold } from '../../../../src/persistence/checkpoint/checkpoint-fold.ts';
import { openCheckpoint } from '../../../../src/persistence/checkpoint/checkpoint-tables.ts';
import { openLogReader } from '../../../../src/persistence/journal/open-log.ts';
import { SMALL_RUNS } from '../../../support/small-runs.ts';

const [folder = '', ...steps] = process.argv.slice(2);
const tables = openCheckpoint(folder);
const fold = new CheckpointFold(tables, openLogReader(folder), undefined, undefined, {
  ...SMALL_RUNS,
  movedBytes: 8 * 1024,
});
for (const step of steps) {
  const [what, position] = step.split(' ');
  if (what === 'fold') fold.foldThrough(Number(position));
  else if (what === 'part') fold.compact();
  else while (fold.compact());
}
await fold.close();
await tables.environment.close();
