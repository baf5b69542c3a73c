/**
 * Folds a journal to its end and merges, a few groups at a time, and kills itself at a call that writes: before it, or
 * amid it. Arguments: the folder, a seed, the ends of groups, such a call, and which of these it is.
 */
import { basename } from 'node:path';
import { checkpointIn } from '../../../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../../../src/persistence/checkpoint/checkpoint-fold.ts';
import { openLogReader } from '../../../../src/persistence/journal/open-log.ts';
import { Random } from '../../../support/random.ts';
import { watchFileCalls } from './file-calls.ts';
import { TINY } from './fold-scene.ts';

const MOST_PARTS = 6;

const [folder = '', seed, groups = '[]', moment, which] = process.argv.slice(2);
const store = checkpointIn(folder);
const random = new Random(Number(seed));
let work = 'start';
let left = Number(which);
watchFileCalls(store, ({ name, path, half }) => {
  const what = path.endsWith('.tbl') ? 'file' : basename(path);
  if (`${work}: ${name} of ${what}` !== moment) return;
  left -= 1;
  if (left > 0) return;
  half();
  process.kill(process.pid, 'SIGKILL');
});

const fold = new CheckpointFold(store, openLogReader(folder), TINY);
const ends = (JSON.parse(groups) as number[]).filter((end) => end > fold.position);
while (ends.length > 0) {
  const through = ends.splice(0, random.between(1, 4)).at(-1) ?? 0;
  work = 'fold';
  fold.foldThrough(through);
  work = 'merge';
  for (let parts = random.between(0, MOST_PARTS); parts > 0 && fold.mergePart(); parts -= 1);
}
while (fold.mergePart());
await fold.close();
console.log('end');
