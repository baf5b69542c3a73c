/**
 * The lines of the access log, made of requests that have ended, and its file: what is in it are whole lines, whatever
 * clients send and whatever becomes of the disk.
 */
import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AccessBatch, MAX_ROWS } from '../../src/access-log/access-batch.ts';
import { AccessFile } from '../../src/access-log/access-file.ts';
import { AccessLines } from '../../src/access-log/access-lines.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const LINE = `${'x'.repeat(999)}\n`;

test('a file that was renamed is left when it is opened anew, and not before', async () => {
  const folder = await createTemporaryFolder('access-file');
  const [path, old] = [join(folder.path, 'access.log'), join(folder.path, 'access.log.1')];
  const file = new AccessFile(path);
  assert.equal(file.append(Buffer.from('one\n')), undefined);
  renameSync(path, old);
  file.append(Buffer.from('two\n'));
  file.reopen();
  file.append(Buffer.from('three\n'));
  assert.deepEqual([readFileSync(old, 'utf8'), readFileSync(path, 'utf8')], ['one\ntwo\n', 'three\n']);
  assert.equal(statSync(path).mode & 0o007, 0, 'others may not read it');
  rmSync(folder.path, { recursive: true });
  assert.throws(() => file.reopen(), /cannot open the access log .*: no such file or folder/);
  assert.equal(file.append(Buffer.from('four\n')), undefined);
});

test('half a line that a killed process left stays a line of its own', async () => {
  const folder = await createTemporaryFolder('access-file');
  const path = join(folder.path, 'access.log');
  writeFileSync(path, 'one\nha');
  const file = new AccessFile(path);
  file.append(Buffer.from('two\n'));
  file.append(Buffer.from('three\n'));
  assert.equal(readFileSync(path, 'utf8'), 'one\nha\ntwo\nthree\n');
  file.close();
  await folder.remove();
});

test('a disk that has room for a part gets whole lines, and the others are counted', {
  skip: whyNoSmallDisk() ?? false,
}, async () => {
  const folder = await createTemporaryFolder('access-file');
  const disk = mountSmallDisk(folder.path, 1);
  try {
    const path = join(disk.path, 'access.log');
    const file = new AccessFile(path);
    disk.fill(8_192);
    const lost = file.append(Buffer.from(LINE.repeat(20)));
    const kept = readFileSync(path, 'utf8');
    assert.ok(kept.length > 0 && kept.length % LINE.length === 0, `${kept.length} bytes`);
    assert.equal(lost?.lines, 20 - kept.length / LINE.length);
    assert.match(lost?.reason ?? '', /the disk is full/);
    disk.fill();
    assert.equal(file.append(Buffer.from(LINE.repeat(9)))?.lines, 9);
    disk.free();
    assert.equal(file.append(Buffer.from('then\n')), undefined);
    assert.equal(readFileSync(path, 'utf8'), `${kept}then\n`);
    file.close();
  } finally {
    disk.unmount();
    await folder.remove();
  }
});

const ORIGIN_MS = 1_790_000_000_000;
const PURCHASE = {
  requestId: 'req_1790000000003_17',
  method: 'POST',
  path: '/api/v1/buyer/orders',
  route: '/api/v1/buyer/orders',
  accountId: 7,
  operator: '',
  clientAddress: '',
};
const made = new AccessLines();

function linesOf(batch: AccessBatch): string[] {
  return Buffer.from(made.of(batch.take(ORIGIN_MS)))
    .toString()
    .split('\n')
    .filter(Boolean);
}

test('whatever a client sends as its method and path is one line of JSON; one that has left has no status', () => {
  const strange = { ...PURCHASE, route: '', path: '/"\n\u2028\\\ud800', method: '"' };
  const batch = new AccessBatch();
  batch.add('buyer', strange, 404, 412, 3.4, 1.23456);
  batch.add('buyer', PURCHASE, 0, 412, 3.4, 1.23456);
  const [first, second, ...more] = linesOf(batch).map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual([first?.path, first?.method, first?.route], [strange.path, '"', undefined]);
  assert.deepEqual([second?.aborted, second?.status, more], [true, undefined, []]);
});

test('numbers of every size', () => {
  for (const bytes of [0, 999_999_999, Number.MAX_SAFE_INTEGER]) {
    for (const durationMs of [0, 0.0004, 0.9996, 59.999, 86_400_000.5]) {
      const batch = new AccessBatch();
      batch.add('buyer', { ...PURCHASE, accountId: 4_294_967_295 }, 200, bytes, 0, durationMs);
      const line = JSON.parse(linesOf(batch)[0] ?? '') as Record<string, unknown>;
      const rounded = Math.round(durationMs * 1_000) / 1_000;
      assert.deepEqual([line.bytes, line.durationMs, line.accountId], [bytes, rounded, 4_294_967_295]);
    }
  }
});

test('a batch is full of rows, or of characters; a long path is cut', () => {
  const batch = new AccessBatch();
  for (let count = 0; count < MAX_ROWS; count += 1) {
    assert.ok(!batch.isFull);
    batch.add('buyer', PURCHASE, 201, 0, 0, 0);
  }
  assert.ok(batch.isFull);
  batch.take(0);
  const path = `/${'x'.repeat(16_000)}`;
  while (!batch.isFull) batch.add('buyer', { ...PURCHASE, path, route: '' }, 404, 0, 0, 0);
  assert.ok(batch.rows <= 64);
  const [first = ''] = linesOf(batch);
  assert.equal((JSON.parse(first) as { path: string }).path, path.slice(0, 1_024));
});
