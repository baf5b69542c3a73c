/**
 * A data folder of each version since 13 is opened, upgraded where it is older, answers as it did when it was made, and
 * is sound before and after that. `node dist/test/formats/make.js` makes the one of the present version.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FORMAT_VERSION, OLDEST_VERSION } from '../../src/persistence/folder/folder-format.ts';
import { verifyDataFolder } from '../../src/persistence/verify.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { ask, keptVersions, startNode, unpack } from './kept-folder.ts';

async function assertSound(path: string): Promise<void> {
  const lines: string[] = [];
  assert.ok(await verifyDataFolder(path, (line) => lines.push(line)), lines.join('\n'));
}

test('a folder of each version that is upgraded is kept', () => {
  const versions = Array.from(
    { length: FORMAT_VERSION - OLDEST_VERSION + 1 },
    (_, index) => OLDEST_VERSION + index,
  );
  assert.deepEqual(
    keptVersions().sort((a, b) => a - b),
    versions,
  );
});

for (const version of keptVersions()) {
  test(`the folder of version ${version} answers as it did`, async (context) => {
    const place = await createTemporaryFolder(`format-${version}`);
    context.after(() => place.remove());
    const { folder, answered } = unpack(version, place.path);
    if (version === FORMAT_VERSION) await assertSound(folder);
    const node = await startNode(folder);
    try {
      assert.deepEqual(
        await ask(
          node,
          answered.map(({ status: _, answer: __, ...question }) => question),
        ),
        answered,
      );
    } finally {
      await node.stop();
    }
    await assertSound(folder);
    assert.equal(existsSync(join(folder, `before-${FORMAT_VERSION}`)), version < FORMAT_VERSION);
  });
}
