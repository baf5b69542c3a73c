/** The log of a node, also where libraries print or nothing can be written, and its last words. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Logger, pino } from 'pino';
import { lastWords } from '../src/node/last-words.ts';
import { type ErrorStream, logWhatIsWritten } from '../src/node/node-log.ts';
import { jsonLines } from './support/json-lines.ts';
import { purserEntry } from './support/repository-root.ts';
import { createTemporaryFolder } from './support/temporary-folder.ts';

function logged(): { log: Logger; lines: () => unknown[] } {
  let text = '';
  const log = pino({ name: 'purser' }, { write: (line) => (text += line) });
  return { log, lines: () => jsonLines(text).map(({ level, msg }) => [level, msg]) };
}

test('what is written to standard error in pieces becomes lines of the log, and again what it was', async () => {
  const { log, lines } = logged();
  const written: unknown[] = [];
  const stream: ErrorStream = { write: (chunk: unknown) => written.push(chunk) > 0 };
  const giveBack = logWhatIsWritten(log, stream);
  stream.write('one\ntw');
  await new Promise<void>((resolve) => stream.write(Buffer.from('o\n\n  three'), () => resolve()));
  assert.deepEqual(lines(), [
    [40, 'one'],
    [40, 'two'],
  ]);
  giveBack();
  assert.deepEqual(lines().at(-1), [40, '  three']);
  stream.write('as ever\n');
  assert.deepEqual(written, ['as ever\n']);
});

test('a log that can not be written loses its lines, and nothing else happens', {
  skip: !existsSync('/dev/full'),
}, () => {
  const program = `
    import { openNodeLog } from ${JSON.stringify(new URL('../src/node/node-log.js', import.meta.url).href)};
    const log = openNodeLog('info');
    for (let line = 0; line < 100; line += 1) log.error('the disk is full');
    log.fatal('stopping');
    console.log('goes on');`;
  const full = openSync('/dev/full', 'w');
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', full],
    timeout: 10_000,
  });
  closeSync(full);
  assert.deepEqual({ status, stdout }, { status: 0, stdout: 'goes on\n' });
});

test('a node that can not start says so in JSON', async () => {
  const folder = await createTemporaryFolder('start-error');
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const flags = ['--data', join(folder.path, 'data'), '--port', String(port), '--operator-port', '0'];
  const refused = spawnSync(process.execPath, [purserEntry(), 'serve', ...flags], { encoding: 'utf8' });
  taken.close();
  assert.equal(refused.status, 1);
  const [starting, line, ...more] = jsonLines(refused.stderr);
  assert.deepEqual([starting?.msg, more], ['starting', []]);
  assert.equal(line?.level, 60);
  assert.match(String(line?.msg), /^cannot start: cannot listen on 127\.0\.0\.1:\d+: /);
  await folder.remove();
});

const cases: [what: string, error: unknown, words: string][] = [
  [
    "the library's number of a disk that fails",
    new Error('the journal failed', { cause: Object.assign(new Error('Input/output error'), { code: 5 }) }),
    'the journal failed: the disk failed; check the disk before you start again (EIO)',
  ],
  [
    'a cause that is in the message already',
    new Error('a cannot be read: no such place', { cause: new Error('no such place') }),
    'a cannot be read: no such place',
  ],
  ['a fault of the program', new TypeError('x is not a function'), 'TypeError: x is not a function'],
  ['several lines', new Error('first\n    at somewhere'), 'first'],
  ['no error', 'a text', 'a text'],
  ["the database's own number", Object.assign(new Error('MDB_PANIC'), { code: -30795 }), 'MDB_PANIC'],
];

test('a node that stops says in one line why', () => {
  for (const [what, error, words] of cases) assert.equal(lastWords(error), words, what);
  const circle = new Error('round');
  circle.cause = circle;
  assert.equal(lastWords(circle), 'round');
});
