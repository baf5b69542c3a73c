/** The command line as a process: exit codes, streams and the absence of stack traces. More of it: `test/suites/packaging/`. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { operatorForTests, temporaryFolder } from './fake-operator.ts';

const ENTRY = join(import.meta.dirname, 'entry.js');

describe('the process', () => {
  const { operator } = operatorForTests();

  function start(line: string, stdout: 'pipe' | number, { cwd = '.', env = operator.env as object } = {}) {
    const all = { PATH: process.env.PATH, ...env };
    const stdio = ['ignore', stdout, 'pipe'] as const;
    const child = spawn(process.execPath, [ENTRY, ...line.split(' ')], { cwd, env: all, stdio: [...stdio] });
    const ended = Promise.all([text(child.stderr ?? assert.fail()), once(child, 'close')]);
    return { child, ended: ended.then(([stderr, [exitCode]]) => [exitCode, stderr]) };
  }

  it('ends with 1 and the refusal on standard error; it has found the node by ./data', async (context) => {
    const body = { success: false, error: 'UNAUTHORIZED', message: 'wrong token', requestId: 'req_2' };
    operator.answer = { status: 401, body };
    const folder = temporaryFolder(context);
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data', 'operator-address'), `${operator.url}\n`);
    writeFileSync(join(folder, 'data', 'operator-token'), 'from_folder\n');
    const { ended } = start('status', 'pipe', { cwd: folder, env: {} });
    assert.deepEqual(await ended, [1, 'error UNAUTHORIZED: wrong token (requestId req_2)\n']);
    assert.equal(operator.last.headers.authorization, 'Bearer from_folder');
  });

  it('says nothing when its reader has left', async () => {
    const accounts = Array.from({ length: 20_000 }, (_, index) => ({
      accountId: index,
      name: 'x'.repeat(50),
    }));
    operator.answer = { status: 200, body: { success: true, accounts, requestId: 'req_1' } };
    const { child, ended } = start('account list', 'pipe');
    child.stdout?.destroy();
    assert.deepEqual(await ended, [0, '']);
  });

  it('ends with 1 and one line when the output is on a full disk', async () => {
    const full = openSync('/dev/full', 'w');
    const { ended } = start('account list', full);
    assert.deepEqual(await ended, [1, 'error: cannot write the output: the disk is full\n']);
    closeSync(full);
  });
});
