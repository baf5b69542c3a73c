/**
 * Makes the kept folder of the present version anew, and writes it and its answers into `test/formats/`:
 *
 *     npm run build && node dist/test/formats/make.js
 */
import assert from 'node:assert/strict';
import { FORMAT_VERSION } from '../../src/persistence/folder/folder-format.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { ask, pack, startNode } from './kept-folder.ts';
import { trade } from './small-shop.ts';

const folder = await createTemporaryFolder('format');
try {
  const first = await startNode(folder.path);
  const questions = await trade(first);
  const before = await ask(first, questions);
  await first.stop();
  const second = await startNode(folder.path);
  const answered = await ask(second, questions);
  await second.stop();
  assert.deepEqual(answered, before, 'another start answers the same');
  pack(FORMAT_VERSION, folder.path, answered);
  console.log(`made test/formats/${FORMAT_VERSION}.tgz, with ${answered.length} answers`);
} finally {
  await folder.remove();
}
