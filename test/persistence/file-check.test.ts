/** What `purser verify` finds in the folder of files, given what the facts say. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ProductFile } from '../../src/engine/products.ts';
import { DamagedDataError } from '../../src/persistence/codec/byte-reader.ts';
import { FileCheck } from '../../src/persistence/files/file-check.ts';
import { patternBytes } from '../support/pattern-bytes.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { chunksOf, FileScene } from './file-scene.ts';

async function twoFiles(scene: FileScene): Promise<[ProductFile, ProductFile]> {
  const store = (seed: number) => scene.store.add(chunksOf(patternBytes(2_500_000, seed)), 'application/pdf');
  return [await store(1), await store(2)];
}

/** What it prints, and whether it finds anything amiss. */
async function check(
  dataDir: string,
  files: readonly ProductFile[],
): Promise<{ lines: string[]; isSound: boolean }> {
  const lines: string[] = [];
  const fileCheck = new FileCheck(dataDir, (line) => lines.push(line));
  for (const file of files) await fileCheck.add({ productId: 7, file });
  try {
    fileCheck.finish();
    return { lines, isSound: true };
  } catch (error) {
    assert.ok(error instanceof DamagedDataError);
    return { lines: [...lines, error.message], isSound: false };
  }
}

test('files that are as their facts say are sound', async () => {
  await using scene = await FileScene.open();
  assert.deepEqual(await check(scene.dataDir, await twoFiles(scene)), {
    lines: ['files: 2 with 5000000 bytes, none missing or changed'],
    isSound: true,
  });
});

test('a folder that never had files is sound', async () => {
  const folder = await createTemporaryFolder('no-files');
  assert.equal((await check(folder.path, [])).isSound, true);
  await folder.remove();
});

test('a missing file is amiss, and the others are looked at nevertheless', async () => {
  await using scene = await FileScene.open();
  const [one, other] = await twoFiles(scene);
  rmSync(scene.pathOf(one.fileId));
  rmSync(scene.pathOf(other.fileId));
  const { lines, isSound } = await check(scene.dataDir, [one, other]);
  assert.equal(isSound, false);
  assert.match(lines[0] ?? '', new RegExp(`^product 7: file ${one.fileId} cannot be read: ENOENT`));
  assert.match(lines[1] ?? '', new RegExp(`^product 7: file ${other.fileId} cannot be read: ENOENT`));
  assert.equal(lines[2], "2 of 2 product files can't be delivered");
});

for (const position of [0, 1_234_567, 2_499_999]) {
  test(`one changed bit at byte ${position} of the content is found`, async () => {
    await using scene = await FileScene.open();
    const files = await twoFiles(scene);
    const path = scene.pathOf(files[1].fileId);
    const bytes = readFileSync(path);
    bytes[position] = (bytes[position] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const { lines, isSound } = await check(scene.dataDir, files);
    assert.equal(isSound, false);
    assert.match(lines[0] ?? '', /its content differs from the upload$/);
  });
}

for (const change of [{ contentType: 'text/plain' }, { sha256: '0'.repeat(64) }, { sizeBytes: 1 }]) {
  test(`a file whose fact says ${JSON.stringify(change)} is amiss`, async () => {
    await using scene = await FileScene.open();
    const [one] = await twoFiles(scene);
    const { isSound } = await check(scene.dataDir, [{ ...one, ...change }]);
    assert.equal(isSound, false);
  });
}

test('a file that no fact names is told, and is no damage', async () => {
  await using scene = await FileScene.open();
  const [one, other] = await twoFiles(scene);
  assert.deepEqual(await check(scene.dataDir, [one]), {
    lines: [
      `files: 1 not used by any product or order, and safe to remove: ${other.fileId}`,
      'files: 1 with 2500000 bytes, none missing or changed',
    ],
    isSound: true,
  });
});
