/**
 * A process that folds and merges, and is killed at any call that writes: of a table file, of the list, of a merge, of
 * what is removed after it. The checkpoint then opens, reflects a group of the journal that is no older than before, and
 * has the rows that its facts give; and the next start leaves nothing that isn't listed.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkpointIn, createCheckpoint } from '../../../../src/persistence/checkpoint/checkpoint.ts';
import { randomFromEnvironment, roundsOr } from '../../../support/random.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { FoldScene } from './fold-scene.ts';

const PROGRAM = join(import.meta.dirname, 'killed-fold-child.js');
const EVENTS = 600;
/** The calls that write, in the order in which they are made. */
const OF_A_FILE = [
  'mkdirSync of unfinished',
  'openSync of file',
  'writeSync of file',
  'fdatasyncSync of file',
  'fsyncSync of file',
  'renameSync of file',
  'fsyncSync of checkpoint',
  'openSync of LIST',
  'writeFileSync of LIST',
  'fsyncSync of LIST',
  'renameSync of LIST',
];
const MOMENTS = [
  'start: rmSync of unfinished',
  ...OF_A_FILE.flatMap((call) => [`fold: ${call}`, `merge: ${call}`]),
  'merge: rmSync of file',
];
const KILLS = roundsOr(3 * MOMENTS.length);
/** Of a kill at the first such call little was done before. */
const MOST_CALLS = 6;

test(`after ${KILLS} kills amid folds and merges the checkpoint is what its facts give`, async (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const folder = await createTemporaryFolder('killed-folds');
  t.after(() => folder.remove());
  const scene = await FoldScene.make(folder.path, random, EVENTS);
  const store = checkpointIn(scene.path);
  let position = 0;
  for (let kills = 0; kills < KILLS; ) {
    const moment = MOMENTS[kills % MOMENTS.length] ?? '';
    const which = moment.startsWith('start') ? 1 : random.between(1, MOST_CALLS);
    const seed = random.between(1, 1e9);
    const args = [scene.path, String(seed), JSON.stringify(scene.ends(0)), moment, String(which)];
    const child = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' });
    const where = `${moment}, number ${which}, seed ${seed}: ${child.stdout}${child.stderr}`;
    const found = scene.expectSound(store);
    assert.ok(found >= position, `${where}: at ${found}, was at ${position}`);
    position = found;
    // A start of the writer does the same before it goes on.
    if (random.chance(0.5)) scene.expectTidied(store);
    if (child.signal === 'SIGKILL') {
      kills += 1;
      continue;
    }
    assert.deepEqual([child.status, found], [0, scene.end], where);
    scene.expectTidied(store);
    rmSync(store, { recursive: true });
    createCheckpoint(scene.path);
    position = 0;
  }
});
