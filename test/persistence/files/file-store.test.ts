/**
 * Files of products on disk: read as they were sent, whole or not at all, also from a disk that was full or is damaged; and
 * what `purser verify` finds among them, given what the facts say.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ProductFile } from '../../../src/engine/products.ts';
import { DamagedDataError } from '../../../src/persistence/codec/byte-reader.ts';
import { FileCheck } from '../../../src/persistence/files/file-check.ts';
import { FileStore, MAX_UPLOADS } from '../../../src/persistence/files/file-store.ts';
import { patternBytes } from '../../support/pattern-bytes.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { chunksOf, FileScene, listFiles, readBack } from './file-scene.ts';

const PDF = 'application/pdf';

describe('a stored file', () => {
  test('is read as it was sent, also in part, whatever its size; is for its owner only, and begins with its content', async () => {
    await using scene = await FileScene.open();
    for (const sizeBytes of [1, 511, 512, 128 * 1024, 128 * 1024 + 1, 1_234_567]) {
      const bytes = patternBytes(sizeBytes, 1);
      const file = await scene.store.add(chunksOf(bytes), PDF);
      const { fileId } = file;
      assert.match(fileId, /^[0-9a-f]{32}$/);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      assert.deepEqual(file, { fileId, sizeBytes, contentType: PDF, sha256 });
      assert.ok((await readBack(scene.store, fileId)).equals(bytes));
      const [start, end] = [Math.floor(sizeBytes / 3), Math.ceil(sizeBytes / 2)];
      assert.ok((await readBack(scene.store, fileId, start, end)).equals(bytes.subarray(start, end)));
      const opened = await scene.store.openFile(fileId);
      assert.deepEqual(opened.description, file);
      await opened.close();
      assert.equal(statSync(scene.pathOf(fileId)).mode & 0o777, 0o600);
      assert.ok(scene.bytesOnDisk(fileId).subarray(0, sizeBytes).equals(bytes));
    }
  });

  test('outlives the store with its longest description, and is read by many at once', async () => {
    await using scene = await FileScene.open();
    const bytes = patternBytes(500_000, 6);
    const contentType = `text/plain; a="${'\\"'.repeat(56)}"`;
    const { fileId } = await scene.store.add(chunksOf(bytes), contentType);
    await scene.reopen();
    const opened = await scene.store.openFile(fileId);
    assert.equal(opened.description.contentType, contentType);
    await opened.close();
    const read = await Promise.all(Array.from({ length: 40 }, () => readBack(scene.store, fileId)));
    for (const one of read) assert.ok(one.equals(bytes));
  });
});

describe('an upload', () => {
  test('that breaks off, has no byte, or one too many leaves nothing, and its sender is stopped', async () => {
    await using scene = await FileScene.open({ maxFileBytes: 20_000 });
    const broken = async function* () {
      yield patternBytes(15_000, 1);
      assert.equal(scene.names().length, 1, 'something was written');
      throw new Error('the sender left');
    };
    let isStopped = false;
    const endless = async function* () {
      try {
        for (;;) yield Buffer.alloc(10_000);
      } finally {
        isStopped = true;
      }
    };
    await assert.rejects(scene.store.add(broken(), PDF), /the sender left/);
    await assert.rejects(scene.store.add(endless(), PDF), { reason: 'too-large' });
    assert.ok(isStopped);
    await assert.rejects(scene.store.add(chunksOf(patternBytes(20_001, 1)), PDF), { reason: 'too-large' });
    await assert.rejects(scene.store.add(chunksOf(Buffer.alloc(0)), PDF), { reason: 'empty' });
    assert.deepEqual(scene.names(), []);
    assert.equal((await scene.store.add(chunksOf(patternBytes(20_000, 1)), PDF)).sizeBytes, 20_000);
  });

  test('beyond those that are taken in at once is refused, and the next one after is not', async () => {
    await using scene = await FileScene.open();
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const slow = async function* () {
      yield Buffer.from('x');
      await finished;
    };
    const uploads = Array.from({ length: MAX_UPLOADS }, () => scene.store.add(slow(), PDF));
    await assert.rejects(scene.store.add(slow(), PDF), { reason: 'too-many' });
    finish();
    await Promise.all(uploads);
    await scene.store.add(chunksOf(Buffer.from('y')), PDF);
    assert.equal(scene.names().length, MAX_UPLOADS + 1);
  });

  test('can be discarded, also twice; is waited for by close, and none begins after it', async () => {
    await using scene = await FileScene.open();
    const { fileId } = await scene.store.add(chunksOf(Buffer.from('y')), PDF);
    await scene.store.discard(fileId);
    await scene.store.discard(fileId);
    assert.deepEqual(scene.names(), []);
    const upload = scene.store.add(chunksOf(patternBytes(100_000, 1)), PDF);
    await scene.store.close();
    assert.equal(scene.names().length, 1);
    await upload;
    await assert.rejects(scene.store.add(chunksOf(Buffer.from('y')), PDF), { reason: 'closed' });
  });

  test('to a full disk fails and leaves nothing; reading goes on; with room again it works', {
    skip: whyNoSmallDisk() ?? false,
  }, async () => {
    const folder = await createTemporaryFolder('files-full');
    const disk = mountSmallDisk(folder.path, 8);
    const dataDir = join(disk.path, 'data');
    mkdirSync(dataDir);
    const store = FileStore.open(dataDir);
    try {
      const bytes = patternBytes(2_000_000, 1);
      const { fileId } = await store.add(chunksOf(bytes), PDF);
      disk.fill();
      for (const length of [1, 50_000, 20_000_000]) {
        await assert.rejects(store.add(chunksOf(patternBytes(length, 2)), PDF), { reason: 'no-room' });
        assert.deepEqual(listFiles(dataDir), [fileId]);
      }
      assert.ok((await readBack(store, fileId)).equals(bytes));
      disk.free();
      await assert.rejects(store.add(chunksOf(patternBytes(20_000_000, 2), 1_000_000), PDF), {
        reason: 'no-room',
      });
      await store.add(chunksOf(bytes), PDF);
    } finally {
      await store.close();
      disk.unmount();
      await folder.remove();
    }
  });
});

describe('a file that is not what was stored', () => {
  const damages: readonly (readonly [what: string, damage: (path: string, other: string) => void])[] = [
    ['is missing', (path) => rmSync(path)],
    ['is empty', (path) => truncateSync(path, 0)],
    ['lost its last byte', (path) => truncateSync(path, statSync(path).size - 1)],
    ['lost its description', (path) => truncateSync(path, statSync(path).size - 512)],
    ['has a byte more', (path) => appendFileSync(path, 'x')],
    [
      'describes itself otherwise',
      (path) => writeFileSync(path, readFileSync(path, 'latin1').replace(PDF, 'application/zip'), 'latin1'),
    ],
    ['holds another file', (path, other) => copyFileSync(other, path)],
    ['is a folder', (path) => [rmSync(path), mkdirSync(path)]],
  ];

  test('is refused when it is opened, and keeps no store from opening', async () => {
    await using scene = await FileScene.open();
    const sound = await scene.store.add(chunksOf(patternBytes(5_000, 2)), PDF);
    const files: (readonly [what: string, fileId: string])[] = [];
    for (const [what, damage] of damages) {
      const { fileId } = await scene.store.add(chunksOf(patternBytes(5_000, 1)), PDF);
      damage(scene.pathOf(fileId), scene.pathOf(sound.fileId));
      files.push([what, fileId]);
    }
    await scene.reopen();
    for (const [what, fileId] of files)
      await assert.rejects(scene.store.openFile(fileId), { name: 'FileError', reason: 'unreadable' }, what);
    await readBack(scene.store, sound.fileId);
  });

  test('ends a read that it cuts short', async () => {
    await using scene = await FileScene.open();
    const { fileId } = await scene.store.add(chunksOf(patternBytes(500_000, 1)), PDF);
    const range = (await scene.store.openFile(fileId)).range(0, 500_000);
    await range.read();
    truncateSync(scene.pathOf(fileId), 100_000);
    await assert.rejects(range.read(), { name: 'FileError', reason: 'unreadable' });
    await range.close();
  });

  test('has no name outside the folder', async () => {
    await using scene = await FileScene.open();
    for (const name of ['../format', '../unfinished', '', 'A'.repeat(32), `${'a'.repeat(32)}/x`]) {
      await assert.rejects(async () => scene.store.openFile(name), /is no file's id/);
      await assert.rejects(scene.store.discard(name), /is no file's id/);
    }
  });
});

async function twoFiles(scene: FileScene): Promise<[ProductFile, ProductFile]> {
  const store = (seed: number) => scene.store.add(chunksOf(patternBytes(2_500_000, seed)), 'application/pdf');
  return [await store(1), await store(2)];
}

/** The lines of a check, and whether it found anything amiss. */
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

describe('the check of all files', () => {
  test('files that are as their facts say are sound, also where there are more than facts name', async () => {
    await using scene = await FileScene.open();
    const [one, other] = await twoFiles(scene);
    const whole = { lines: ['files: 2 with 5000000 bytes, none missing or changed'], isSound: true };
    assert.deepEqual(await check(scene.dataDir, [one, other]), whole);
    const unused = `files: 1 not used by any product or order, and safe to remove: ${other.fileId}`;
    const lines = [unused, 'files: 1 with 2500000 bytes, none missing or changed'];
    assert.deepEqual(await check(scene.dataDir, [one]), { lines, isSound: true });
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
});
