/** Stock by command line: items go up as a stream and are never lost on their way down. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import {
  type CliSetting,
  FakeOperator,
  listen,
  purser,
  runProcess,
  TOKEN,
  temporaryFolder,
} from './fake-operator.ts';

const operator = new FakeOperator();
before(() => operator.start());
after(() => operator.stop());
beforeEach(() => {
  operator.seen.length = 0;
  operator.answer = {
    status: 201,
    body: { success: true, added: 2, duplicates: 1, availableStock: 40, requestId: 'req_1' },
  };
});

function stock(args: readonly string[], setting: CliSetting = {}) {
  return purser(['stock', ...args], {
    ...setting,
    env: { PURSER_OPERATOR_URL: operator.url, PURSER_OPERATOR_TOKEN: TOKEN },
  });
}

/** A file of `sizeBytes` whose lines all differ. */
function itemFile(folder: string, sizeBytes: number): string {
  const lines: string[] = [];
  for (let line = 0; lines.length * 16 < sizeBytes; line += 1)
    lines.push(`CODE-${String(line).padStart(10, '0')}`);
  const path = join(folder, 'codes.txt');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The paths of the files that this process has open. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

describe('stock add', () => {
  it('streams a file of 5 MB with its length, byte for byte', async (context) => {
    const file = itemFile(temporaryFolder(context), 5_000_000);
    const outcome = await stock(['add', '12', file]);
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    const { last } = operator;
    assert.equal(`${last.method} ${last.path}`, 'POST /operator/v1/products/12/stock');
    assert.equal(last.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(last.headers['content-length'], String(statSync(file).size));
    assert.equal(last.headers['transfer-encoding'], undefined);
    assert.ok(last.bodyBytes >= 5_000_000);
    assert.equal(last.bodySha256, sha256(readFileSync(file)));
    assert.equal(outcome.stdout, 'added:          2\nduplicates:     1\navailableStock: 40\n');
    assert.equal(outcome.stderr, '');
  });

  it('streams standard input, whose length nobody knows', async () => {
    const outcome = await stock(['add', '12', '-', '--allow-duplicates'], { stdin: 'a\nb\n' });
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    assert.equal(operator.last.path, '/operator/v1/products/12/stock?allowDuplicates=true');
    assert.equal(operator.last.headers['transfer-encoding'], 'chunked');
    assert.equal(operator.last.body, 'a\nb\n');
  });

  it('says where the items are from, and may only ask what would come of them', async () => {
    const flags = [
      '--source',
      'A & B',
      '--cost',
      '0.25',
      '--reference',
      'nr. 9',
      '--dry-run',
      '--leave-out-bad-lines',
      '--reason',
      'x',
    ];
    const outcome = await stock(['add', '12', '-', ...flags], { stdin: 'a\n' });
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    const { pathname, searchParams } = new URL(operator.last.path, operator.url);
    assert.equal(pathname, '/operator/v1/products/12/stock');
    assert.deepEqual(Object.fromEntries(searchParams), {
      source: 'A & B',
      costUsdt: '0.25',
      reference: 'nr. 9',
      dryRun: 'true',
      leaveOutBadLines: 'true',
      reason: 'x',
    });
  });

  it('draws a bar on a terminal, and keeps it off standard output', async (context) => {
    const file = itemFile(temporaryFolder(context), 2_000_000);
    const outcome = await stock(['add', '12', file], { isTerminal: true });
    assert.equal(outcome.exitCode, 0);
    assert.match(outcome.stderr, /100% \| 2\.0 MB of 2\.0 MB \| [\d.]+ [kMG]?B\/s \| eta /);
    assert.equal(outcome.stdout, 'added:          2\nduplicates:     1\navailableStock: 40\n');
  });

  it('counts on a terminal when the length is unknown', async () => {
    const outcome = await stock(['add', '12', '-'], { stdin: 'a\n', isTerminal: true });
    assert.match(outcome.stderr, /B \| [\d.]+ [kMG]?B\/s/);
    assert.doesNotMatch(outcome.stderr, /eta/);
  });

  it('reports a refusal that comes before the file is through', async (context) => {
    const file = itemFile(temporaryFolder(context), 5_000_000);
    operator.answer = {
      status: 404,
      isEarly: true,
      body: { success: false, error: 'NOT_FOUND', message: 'no such product', requestId: 'req_2' },
    };
    const outcome = await stock(['add', '99', file]);
    assert.equal(outcome.exitCode, 1);
    assert.equal(outcome.stderr, 'error NOT_FOUND: no such product (requestId req_2)\n');
  });

  it('does not mistake a broken connection for trouble with the file', async (context) => {
    const file = itemFile(temporaryFolder(context), 5_000_000);
    const args = ['stock', 'add', '12', file, '--token', TOKEN, '--operator'];
    const refused = await purser([...args, 'http://127.0.0.1:1']);
    assert.match(refused.stderr, /^error: cannot reach [^\n]*connection refused[^\n]*\n$/);
    const { url, close } = await listen((socket) => socket.once('data', () => socket.destroy()));
    context.after(close);
    const broken = await purser([...args, url]);
    assert.match(broken.stderr, /^error: [^\n]*the connection broke[^\n]*it is unknown[^\n]*\n$/);
  });

  it('lets go of the file, also when it never came to reading it', async (context) => {
    if (process.platform !== 'linux') return context.skip('open files are listed in /proc');
    const file = itemFile(temporaryFolder(context), 5_000_000);
    const isOpen = () => openFiles().includes(file);
    const handle = await open(file, 'r');
    assert.ok(isOpen(), 'the list shows an open file');
    await handle.close();
    await purser(['stock', 'add', '12', file, '--token', TOKEN, '--operator', 'http://127.0.0.1:1']);
    // Closing goes through the thread pool, behind this process's back.
    await eventually('it is closed', () => !isOpen());
  });

  it('names trouble that comes up while it reads', async () => {
    const stdin = Readable.from(
      (async function* () {
        yield Buffer.from('a\n');
        throw Object.assign(new Error('i/o error'), { code: 'EIO' });
      })(),
    );
    const outcome = await stock(['add', '12', '-'], { stdin });
    assert.equal(outcome.stderr, 'error: cannot read standard input: EIO\n');
    assert.equal(outcome.exitCode, 1);
  });

  it('notices a file that becomes shorter while it is sent', async (context) => {
    const file = itemFile(temporaryFolder(context), 5_000_000);
    const { url, close } = await listen((socket) => {
      socket.once('data', () => {
        truncateSync(file, 1_000_000);
        socket.resume();
      });
    });
    context.after(close);
    const outcome = await purser(['stock', 'add', '12', file, '--token', TOKEN, '--operator', url]);
    assert.equal(outcome.stderr, 'error: the file changed during the upload; nothing was added\n');
    assert.equal(outcome.exitCode, 1);
  });

  it('says what is wrong with the file before it calls', async (context) => {
    const folder = temporaryFolder(context);
    const empty = join(folder, 'empty.txt');
    writeFileSync(empty, '');
    const files: [path: string, line: string][] = [
      [join(folder, 'absent.txt'), `error: cannot read ${join(folder, 'absent.txt')}: no such file\n`],
      [folder, `error: cannot read ${folder}: it is a folder\n`],
      [empty, `error: ${empty} is empty: there is nothing to add\n`],
    ];
    for (const [path, line] of files) {
      const outcome = await stock(['add', '12', path]);
      assert.equal(outcome.stderr, line);
      assert.equal(outcome.exitCode, 1);
    }
    assert.equal(operator.seen.length, 0);
  });
});

describe('stock withdraw', () => {
  const items = ['CODE-1', 'tab\there', 'snow ☃'];
  beforeEach(() => {
    operator.answer = {
      status: 200,
      body: { success: true, withdrawn: items.length, items, requestId: 'req_1' },
    };
  });

  it('prints the items as they are, one a line', async () => {
    const outcome = await stock(['withdraw', '12', '--count', '3']);
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    assert.equal(
      `${operator.last.method} ${operator.last.path}`,
      'DELETE /operator/v1/products/12/stock?count=3',
    );
    assert.equal(outcome.stdout, 'CODE-1\ntab\there\nsnow ☃\n');
  });

  it('writes them to a new file that only the owner may read', async (context) => {
    const output = join(temporaryFolder(context), 'items.txt');
    const outcome = await stock(['withdraw', '12', '--count', '3', '--output', output]);
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    assert.equal(outcome.stdout, '');
    assert.equal(outcome.stderr, `written to ${output}\n`);
    assert.equal(readFileSync(output, 'utf8'), 'CODE-1\ntab\there\nsnow ☃\n');
    assert.equal(statSync(output).mode & 0o777, 0o600);
  });

  it('takes nothing out when the file exists', async (context) => {
    const output = join(temporaryFolder(context), 'items.txt');
    writeFileSync(output, 'precious\n');
    const outcome = await stock(['withdraw', '12', '--count', '3', '--output', output]);
    assert.equal(outcome.stderr, `error: cannot create ${output}: it already exists\n`);
    assert.equal(outcome.exitCode, 1);
    assert.equal(readFileSync(output, 'utf8'), 'precious\n');
    assert.equal(operator.seen.length, 0);
  });

  it('leaves no empty file behind when the server refuses', async (context) => {
    const output = join(temporaryFolder(context), 'items.txt');
    operator.answer = {
      status: 404,
      body: { success: false, error: 'NOT_FOUND', message: 'no such product', requestId: 'req_2' },
    };
    assert.equal((await stock(['withdraw', '12', '--count', '3', '--output', output])).exitCode, 1);
    assert.equal(existsSync(output), false);
  });

  it('prints the items when they could not all be written', async (context) => {
    const many = Array.from({ length: 1_000 }, (_, index) => `CODE-${index}`);
    operator.answer = { status: 200, body: { success: true, items: many, requestId: 'req_1' } };
    const output = join(temporaryFolder(context), 'items.txt');
    const entry = join(import.meta.dirname, 'entry.js');
    const limited = ['-c', 'ulimit -f 1; exec "$@"', 'sh', process.execPath, entry];
    const outcome = await runProcess(
      '/bin/sh',
      [...limited, 'stock', 'withdraw', '12', '--count', '1000', '--output', output],
      { env: { PURSER_OPERATOR_URL: operator.url, PURSER_OPERATOR_TOKEN: TOKEN } },
    );
    assert.equal(outcome.exitCode, 1);
    assert.equal(outcome.stdout, `${many.join('\n')}\n`);
    assert.match(
      outcome.stderr,
      /^error: cannot write .*: EFBIG; the items are on standard output instead\n$/,
    );
  });

  it('says how to print them again when standard output takes nothing', async (context) => {
    if (process.platform !== 'linux') return context.skip('there is no /dev/full');
    const entry = join(import.meta.dirname, 'entry.js');
    const command = 'exec "$@" > /dev/full';
    const outcome = await runProcess(
      '/bin/sh',
      ['-c', command, 'sh', process.execPath, entry, 'stock', 'withdraw', '12', '--count', '3'],
      { env: { PURSER_OPERATOR_URL: operator.url, PURSER_OPERATOR_TOKEN: TOKEN } },
    );
    assert.equal(outcome.exitCode, 1);
    assert.match(
      outcome.stderr,
      /^error: the items are withdrawn, but could not be printed; print them with `purser stock withdrawn 12 --limit 3`$/m,
    );
  });

  it('keeps an answer that it does not understand', async () => {
    operator.answer = { status: 200, body: { success: true, codes: ['x'], requestId: 'req_1' } };
    const outcome = await stock(['withdraw', '12', '--count', '3']);
    assert.deepEqual(JSON.parse(outcome.stdout), operator.answer.body);
  });

  it('prints them again, in the same order', async (context) => {
    const rows = items.map((text, item) => ({ item, text })).toReversed();
    operator.answer = { status: 200, body: { success: true, items: rows, nextCursor: '7', requestId: 'r' } };
    const outcome = await stock(['withdrawn', '12', '--limit', '3', '--cursor', '10']);
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    assert.equal(
      `${operator.last.method} ${operator.last.path}`,
      'GET /operator/v1/products/12/stock/withdrawn?limit=3&cursor=10',
    );
    assert.equal(outcome.stdout, 'CODE-1\ntab\there\nsnow ☃\n');
    assert.equal(outcome.stderr, 'Earlier ones: repeat with --cursor 7\n');
    const output = join(temporaryFolder(context), 'items.txt');
    await stock(['withdrawn', '12', '--output', output]);
    assert.equal(operator.last.path, '/operator/v1/products/12/stock/withdrawn');
    assert.equal(readFileSync(output, 'utf8'), outcome.stdout);
  });

  it('prints the answer itself with --json', async () => {
    const outcome = await stock(['withdraw', '12', '--count', '3', '--json']);
    assert.deepEqual(JSON.parse(outcome.stdout), operator.answer.body);
  });
});
