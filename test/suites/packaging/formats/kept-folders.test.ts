/**
 * A data folder of each version since 13 is opened, upgraded where it is older, answers as it did when it was made, and
 * is sound before and after that. Later versions of the API may add fields, but never change or remove one. `node dist/test/suites/packaging/formats/make.js` makes the one of the present version.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FORMAT_VERSION, OLDEST_VERSION } from '../../../../src/persistence/folder/folder-format.ts';
import { verifyDataFolder } from '../../../../src/persistence/verify.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
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
      const now = await ask(
        node,
        answered.map(({ status: _, answer: __, ...question }) => question),
      );
      assert.deepEqual(withoutNewFields(now, answered), answered);
    } finally {
      await node.stop();
    }
    await assertSound(folder);
    assert.equal(existsSync(join(folder, `before-${FORMAT_VERSION}`)), version < FORMAT_VERSION);
  });
}

/** `now` without the fields of objects that `before` lacks. */
function withoutNewFields(now: unknown, before: unknown): unknown {
  if (Array.isArray(now) && Array.isArray(before))
    return now.map((element, at) => withoutNewFields(element, before[at]));
  if (!isFields(now) || !isFields(before)) return now;
  return Object.fromEntries(
    Object.entries(now)
      .filter(([name]) => name in before)
      .map(([name, value]) => [name, withoutNewFields(value, before[name])]),
  );
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
