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

test('files that are as their facts say are sound, also where there never were any, or more than facts name', async () => {
  await using scene = await FileScene.open();
  const [one, other] = await twoFiles(scene);
  const whole = { lines: ['files: 2 with 5000000 bytes, none missing or changed'], isSound: true };
  assert.deepEqual(await check(scene.dataDir, [one, other]), whole);
  const unused = `files: 1 not used by any product or order, and safe to remove: ${other.fileId}`;
  const lines = [unused, 'files: 1 with 2500000 bytes, none missing or changed'];
  assert.deepEqual(await check(scene.dataDir, [one]), { lines, isSound: true });
  const folder = await createTemporaryFolder('no-files');
  assert.equal((await check(folder.path, [])).isSound, true);
  await folder.remove();
});

test('a file that is missing, changed, or not what its fact says is amiss, and the others are looked at', async () => {
  await using scene = await FileScene.open();
  const [one, other] = await twoFiles(scene);
  const path = scene.pathOf(other.fileId);
  const sound = readFileSync(path);
  for (const position of [0, 1_234_567, 2_499_999]) {
    const bytes = Buffer.from(sound);
    bytes[position] = (bytes[position] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const { lines, isSound } = await check(scene.dataDir, [one, other]);
    assert.equal(isSound, false, `byte ${position}`);
    assert.match(lines[0] ?? '', /its content differs from the upload$/);
  }
  for (const change of [{ contentType: 'text/plain' }, { sha256: '0'.repeat(64) }, { sizeBytes: 1 }])
    assert.equal(
      (await check(scene.dataDir, [{ ...one, ...change }])).isSound,
      false,
      JSON.stringify(change),
    );
  for (const { fileId } of [one, other]) rmSync(scene.pathOf(fileId));
  const { lines, isSound } = await check(scene.dataDir, [one, other]);
  assert.equal(isSound, false);
  assert.match(lines[0] ?? '', new RegExp(`^product 7: file ${one.fileId} cannot be read: ENOENT`));
  assert.match(lines[1] ?? '', new RegExp(`^product 7: file ${other.fileId} cannot be read: ENOENT`));
});
