/** The access log's file: what is in it are whole lines, whatever becomes of the disk. */
import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AccessFile } from '../../src/access-log/access-file.ts';
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
