/**
 * The process that folds a journal, and merges, in the place of a node's thread. Arguments: the folder, then what to do,
 * one after the other: `fold POSITION`, `part` of a merge, or all that is left, `merge`.
 */
import { checkpointIn } from '../../../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../../../src/persistence/checkpoint/checkpoint-fold.ts';
import { openLogReader } from '../../../../src/persistence/journal/open-log.ts';

const [folder = '', ...steps] = process.argv.slice(2);
const fold = new CheckpointFold(checkpointIn(folder), openLogReader(folder), { stepBytes: 4 * 1024 });
for (const step of steps) {
  const [what, position] = step.split(' ');
  if (what === 'fold') fold.foldThrough(Number(position));
  else if (what === 'part') fold.mergePart();
  else while (fold.mergePart());
}
await fold.close();
