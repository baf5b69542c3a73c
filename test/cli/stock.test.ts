/** Stock and files by command line: they go up as a stream, and items are never lost on their way down. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import {
  type CliSetting,
  listen,
  operatorForTests,
  purser,
  TOKEN,
  temporaryFolder,
} from './fake-operator.ts';

/** A file of `sizeBytes` whose lines all differ. */
function itemFile(folder: string, sizeBytes: number): string {
  const lines: string[] = [];
  for (let line = 0; lines.length * 16 < sizeBytes; line += 1)
    lines.push(`CODE-${String(line).padStart(10, '0')}`);
  const path = join(folder, 'codes.txt');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const ADDED = { success: true, added: 2, duplicates: 1, availableStock: 40, requestId: 'req_1' };
const REFUSED = {
  status: 404,
  body: { success: false, error: 'NOT_FOUND', message: 'no such product', requestId: 'req_2' },
};

describe('stock add', () => {
  const { operator, call } = operatorForTests({ status: 201, body: ADDED });
  const stock = (args: readonly string[], setting: CliSetting = {}) => call(['stock', ...args], setting);

  const uploads: readonly [line: string, request: string, type: string][] = [
    ['stock add 12', 'POST /operator/v1/products/12/stock', 'text/plain; charset=utf-8'],
    ['product file 12', 'PUT /operator/v1/products/12/file', 'application/octet-stream'],
  ];
  for (const [line, request, type] of uploads)
    it(`${line}: streams a file byte for byte, with its length, or standard input`, async (context) => {
      const file = itemFile(temporaryFolder(context), 5_000_000);
      const bytes = readFileSync(file);
      const { exitCode, stdout, stderr } = await call([...line.split(' '), file]);
      assert.deepEqual([exitCode, stderr], [0, '']);
      assert.match(stdout, /^availableStock: +40$/m);
      const { last } = operator;
      assert.equal(`${last.method} ${last.path}`, request);
      assert.equal(last.headers['content-type'], type);
      assert.equal(last.headers['content-length'], String(bytes.length));
      assert.equal(last.bodySha256, createHash('sha256').update(bytes).digest('hex'));
      await call(`${line} -`, { stdin: 'a\nb\n' });
      assert.equal(operator.last.headers['transfer-encoding'], 'chunked');
      assert.equal(operator.last.body, 'a\nb\n');
    });

  it('sends a file with the type that buyers shall get it with, and no header of its own making', async () => {
    const file = (type: string) => call(['product', 'file', '12', '-', '--content-type', type]);
    const type = 'text/plain; charset=utf-8';
    await file(type);
    assert.equal(operator.last.headers['content-type'], type);
    for (const wrong of ['pdf', 'a/b\r\nx-evil: 1'])
      assert.match((await file(wrong)).stderr, /expected a media type, such as application\/pdf/);
    assert.equal(operator.seen.length, 1);
  });

  it('says where the items are from, and may only ask what would come of them', async () => {
    const flags = ['--source', 'A & B', ...'--cost 0.25 --reference nr9 --dry-run'.split(' ')];
    flags.push('--leave-out-bad-lines', '--reason', 'x');
    const outcome = await stock(['add', '12', '-', ...flags], { stdin: 'a\n' });
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    const { pathname, searchParams } = new URL(operator.last.path, operator.url);
    assert.equal(pathname, '/operator/v1/products/12/stock');
    assert.deepEqual(Object.fromEntries(searchParams), {
      source: 'A & B',
      costUsdt: '0.25',
      reference: 'nr9',
      dryRun: 'true',
      leaveOutBadLines: 'true',
      reason: 'x',
    });
  });

  it('reports a refusal that comes before the file is through', async (context) => {
    const file = itemFile(temporaryFolder(context), 5_000_000);
    operator.answer = { ...REFUSED, isEarly: true };
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

  it('tells of a dry run in ranges, with reasons and what buyers will see', async () => {
    const lines = [{ first: 1, last: 301 }];
    const body = {
      ...{ success: true, productId: 12, wouldAdd: 1, requestId: 'req_3' },
      ...{ duplicateLineCount: 1, duplicateLines: [302], badLineCount: 301, badLines: [1, 2, 3] },
      duplicatesOf: [{ productId: 9, count: 1, lines: [{ first: 302, last: 302 }] }],
      badLineReasons: [{ reason: 'is not valid UTF-8', count: 301, lines }],
      lookAlikeCount: 1,
      lookAlikes: [{ line: 303, added: true, differsIn: ['case'], productId: 12, item: 4 }],
      sample: ['AAA-1\u202e'],
      encoding: 'windows-1252',
      table: { delimiter: ';', columns: ['Name', 'Code'] },
    };
    operator.answer = { status: 200, body };
    const { stdout } = await stock(['add', '12', '-', '--dry-run'], { stdin: 'a\n' });
    operator.answer = { status: 201, body: ADDED };
    assert.doesNotMatch(stdout, /badLines:/);
    assert.match(stdout, /^badLineCount: +301$/m);
    for (const line of [
      '  1 of product 9: line 302',
      '  301 lines, each is not valid UTF-8: lines 1-301',
      '  line 303 looks like item 4 of product 12 but for case',
      '  AAA-1\\u202e',
      'It looks like a table with the columns Name, Code: say which has the items, by --column NAME --charset windows-1252.',
    ])
      assert.ok(stdout.split('\n').includes(line), `${line}\n${stdout}`);
  });

  it('sends a table with its column, as it is', async () => {
    operator.answer = {
      status: 200,
      body: { ...ADDED, table: { delimiter: ';', columns: ['Name', 'Code'] } },
    };
    const table = ['add', '12', '-', '--column', 'Gültig bis', '--charset', 'windows-1252'];
    const { stdout, stderr } = await stock(table, { stdin: 'a;b\n' });
    operator.answer = { status: 201, body: ADDED };
    assert.doesNotMatch(stdout, /looks like a table/, stderr);
    const { last } = operator;
    assert.deepEqual([last.headers['content-type'], last.body], ['text/csv', 'a;b\n']);
    const { searchParams } = new URL(last.path, operator.url);
    const said = { column: 'Gültig bis', charset: 'windows-1252' };
    assert.deepEqual(Object.fromEntries(searchParams), said);
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
    for (const [path, trouble] of [
      [folder, `cannot read ${folder}: it is a folder`],
      [empty, `${empty} is empty: there is nothing to add`],
    ] as const) {
      const { exitCode, stderr } = await stock(['add', '12', path]);
      assert.deepEqual([exitCode, stderr], [1, `error: ${trouble}\n`]);
    }
    assert.equal(operator.seen.length, 0);
  });
});

describe('stock withdraw', () => {
  const items = ['CODE-1', 'tab\there', 'snow ☃'];
  const body = { success: true, withdrawn: items.length, items, requestId: 'req_1' };
  const { operator, call } = operatorForTests({ status: 200, body });
  const stock = (args: readonly string[]) => call(['stock', ...args]);

  it('prints the items as they are, or writes them to a new file that only the owner may read', async (context) => {
    const text = 'CODE-1\ntab\there\nsnow ☃\n';
    const outcome = await stock(['withdraw', '12', '--count', '3']);
    assert.deepEqual([outcome.exitCode, outcome.stdout], [0, text]);
    const { method, path } = operator.last;
    assert.equal(`${method} ${path}`, 'DELETE /operator/v1/products/12/stock?count=3');
    const output = join(temporaryFolder(context), 'items.txt');
    const written = await stock(['withdraw', '12', '--count', '3', '--output', output]);
    assert.deepEqual(written, { exitCode: 0, stdout: '', stderr: `written to ${output}\n` });
    assert.equal(readFileSync(output, 'utf8'), text);
    assert.equal(statSync(output).mode & 0o777, 0o600);
  });

  it('takes nothing out when the file exists, and leaves none behind when the server refuses', async (context) => {
    const output = join(temporaryFolder(context), 'items.txt');
    const withdraw = () => stock(['withdraw', '12', '--count', '3', '--output', output]);
    operator.answer = REFUSED;
    assert.equal((await withdraw()).exitCode, 1);
    assert.equal(existsSync(output), false);
    writeFileSync(output, 'precious\n');
    const { exitCode, stderr } = await withdraw();
    assert.deepEqual([exitCode, stderr], [1, `error: cannot create ${output}: it already exists\n`]);
    assert.equal(readFileSync(output, 'utf8'), 'precious\n');
    assert.equal(operator.seen.length, 1);
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
});
