/**
 * The lines of the access log, made of requests that have ended, and its file: what is in it are whole lines, whatever
 * clients send and whatever becomes of the disk.
 */
import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { AccessFile } from '../../src/access-log/access-file.ts';
import { accessLine } from '../../src/access-log/access-line.ts';
import { AccessLog } from '../../src/access-log/access-log.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const LINE = `${'x'.repeat(999)}\n`;

test('a file that was renamed is left when it is opened anew, and not before', async () => {
  const folder = await createTemporaryFolder('access-file');
  const [path, old] = [join(folder.path, 'access.log'), join(folder.path, 'access.log.1')];
  const file = await AccessFile.open(path);
  assert.equal(await file.append('one\n'), undefined);
  renameSync(path, old);
  await file.append('two\n');
  await file.reopen();
  await file.append('three\n');
  assert.deepEqual([readFileSync(old, 'utf8'), readFileSync(path, 'utf8')], ['one\ntwo\n', 'three\n']);
  assert.equal(statSync(path).mode & 0o007, 0, 'others may not read it');
  rmSync(folder.path, { recursive: true });
  await assert.rejects(file.reopen(), /cannot open the access log .*: no such file or folder/);
  assert.equal(await file.append('four\n'), undefined);
});

test('half a line that a killed process left stays a line of its own', async () => {
  const folder = await createTemporaryFolder('access-file');
  const path = join(folder.path, 'access.log');
  writeFileSync(path, 'one\nha');
  const file = await AccessFile.open(path);
  await file.append('two\n');
  await file.append('three\n');
  assert.equal(readFileSync(path, 'utf8'), 'one\nha\ntwo\nthree\n');
  await file.close();
  await folder.remove();
});

test('a disk that has room for a part gets whole lines, and the others are counted', {
  skip: whyNoSmallDisk() ?? false,
}, async () => {
  const folder = await createTemporaryFolder('access-file');
  const disk = mountSmallDisk(folder.path, 1);
  try {
    const path = join(disk.path, 'access.log');
    const file = await AccessFile.open(path);
    disk.fill(8_192);
    const lost = await file.append(LINE.repeat(20));
    const kept = readFileSync(path, 'utf8');
    assert.ok(kept.length > 0 && kept.length % LINE.length === 0, `${kept.length} bytes`);
    assert.equal(lost?.lines, 20 - kept.length / LINE.length);
    assert.match(lost?.reason ?? '', /the disk is full/);
    disk.fill();
    assert.equal((await file.append(LINE.repeat(9)))?.lines, 9);
    disk.free();
    assert.equal(await file.append('then\n'), undefined);
    assert.equal(readFileSync(path, 'utf8'), `${kept}then\n`);
    await file.close();
  } finally {
    disk.unmount();
    await folder.remove();
  }
});

const ENDED = { status: 201, bytes: 412, startedAt: 1_790_000_000_003.4, durationMs: 1.23456 };
const PURCHASE = {
  requestId: 'req_1790000000003_17',
  method: 'POST',
  path: '/api/v1/buyer/orders',
  route: '/api/v1/buyer/orders',
  accountId: 7,
  operator: '',
  clientAddress: '',
};

function parsed(line: string): Record<string, unknown> {
  assert.equal(line.indexOf('\n'), line.length - 1, 'one line');
  return JSON.parse(line) as Record<string, unknown>;
}

test('whatever a client sends as its method and path is one line of JSON; one that has left has no status', () => {
  const strange = { ...PURCHASE, route: '', path: '/"\n\u2028\\\ud800', method: '"' };
  const first = parsed(accessLine('buyer', strange, ENDED));
  const second = parsed(accessLine('buyer', PURCHASE, { ...ENDED, status: 0 }));
  assert.deepEqual([first.path, first.method, first.route], [strange.path, '"', undefined]);
  assert.deepEqual([second.aborted, second.status], [true, undefined]);
  const long = { ...PURCHASE, path: `/${'x'.repeat(16_000)}` };
  assert.equal(parsed(accessLine('buyer', long, ENDED)).path, long.path.slice(0, 1_024));
});

test('numbers of every size', () => {
  for (const bytes of [0, 999_999_999, Number.MAX_SAFE_INTEGER]) {
    for (const durationMs of [0, 0.0004, 0.9996, 59.999, 86_400_000.5]) {
      const request = { ...PURCHASE, accountId: 4_294_967_295 };
      const line = parsed(accessLine('buyer', request, { ...ENDED, bytes, durationMs }));
      const rounded = Math.round(durationMs * 1_000) / 1_000;
      assert.deepEqual([line.bytes, line.durationMs, line.accountId], [bytes, rounded, 4_294_967_295]);
      assert.equal(line.time, 1_790_000_000_003);
    }
  }
});

test('a disk that does not answer costs bounded memory: what is more is lost and counted, the rest is written when it does', async () => {
  let answer = () => {};
  const isAnswering = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let written = '';
  const file = {
    path: 'access.log',
    append: async (lines: string) => {
      await isAnswering;
      written += lines;
      return undefined;
    },
    reopen: async () => {},
    close: async () => {},
  };
  const log = new AccessLog(file, pino({ level: 'silent' }));
  const note = log.listener('buyer');
  const path = `/${'x'.repeat(1_000)}`;
  const noted = 20_000;
  for (let count = 0; count < noted; count += 1) note({ ...PURCHASE, path }, 201, 412, 3.4, 1.2);
  answer();
  await log.stop();
  const { lines, lost } = log.counters;
  assert.equal(lines + lost, noted);
  assert.equal(written.split('\n').length - 1, lines);
  assert.ok(lost > 0 && written.length < 16 * 1024 * 1024, `${written.length} bytes`);
});
