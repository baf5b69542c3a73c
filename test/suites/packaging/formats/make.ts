/**
 * Makes the kept folder of the present version anew, with its answers, `test/suites/packaging/formats/16.tgz`:
 *
 *     npm run build && node dist/test/suites/packaging/formats/make.js
 */
import assert from 'node:assert/strict';
import { FORMAT_VERSION } from '../../../../src/persistence/folder/folder-format.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { ask, dataIn, pack, startNode } from './kept-folder.ts';
import { trade } from './small-shop.ts';

const place = await createTemporaryFolder('format');
const folder = dataIn(place.path);
try {
  const first = await startNode(folder);
  const questions = await trade(first);
  const before = await ask(first, questions);
  await first.stop();
  const second = await startNode(folder);
  const answered = await ask(second, questions);
  await second.stop();
  assert.deepEqual(answered, before, 'another start answers the same');
  pack(FORMAT_VERSION, place.path, answered);
  console.log(`made test/suites/packaging/formats/${FORMAT_VERSION}.tgz, with ${answered.length} answers`);
} finally {
  await place.remove();
}
