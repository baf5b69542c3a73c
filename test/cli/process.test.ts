/** The command line as a process: exit codes, streams and the absence of stack traces. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, it } from 'node:test';
import { FakeOperator, runProcess, TOKEN } from './fake-operator.ts';

const ENTRY = join(import.meta.dirname, 'entry.js');
const operator = new FakeOperator();
before(() => operator.start());
after(() => operator.stop());
beforeEach(() => {
  operator.answer = { status: 200, body: { success: true, requestId: 'req_1' } };
});

function purser(args: readonly string[], stdin = '') {
  const env = { PURSER_OPERATOR_URL: operator.url, PURSER_OPERATOR_TOKEN: TOKEN };
  return runProcess(process.execPath, [ENTRY, ...args], { env, stdin });
}

/** Commands that print what they get at once, or as it comes. */
const LONG = ['account list', 'account list --json', 'statement 1 --csv'];

function argsOf(command: string): string[] {
  return [ENTRY, ...command.split(' '), '--operator', operator.url, '--token', TOKEN];
}

describe('the process', () => {
  it('ends with 0 and the answer on standard output', async () => {
    operator.answer = { status: 200, body: { success: true, ready: true, requestId: 'req_1' } };
    assert.deepEqual(await purser(['status']), { exitCode: 0, stdout: 'ready: true\n', stderr: '' });
  });

  it('ends with 1 and the refusal on standard error', async () => {
    operator.answer = {
      status: 401,
      body: { success: false, error: 'UNAUTHORIZED', message: 'wrong token', requestId: 'req_2' },
    };
    assert.deepEqual(await purser(['status']), {
      exitCode: 1,
      stdout: '',
      stderr: 'error UNAUTHORIZED: wrong token (requestId req_2)\n',
    });
  });

  it('ends with 1 and one line when nobody listens', async () => {
    const outcome = await purser(['status', '--operator', 'http://127.0.0.1:1', '--token', TOKEN]);
    assert.equal(outcome.exitCode, 1);
    assert.match(outcome.stderr, /^error: cannot reach [^\n]*connection refused[^\n]*\n$/);
  });

  it('ends with 2 and one line when the configuration is wrong', async () => {
    const outcome = await purser(['serve', '--webhook-timeout', '10']);
    assert.equal(outcome.exitCode, 2);
    assert.match(outcome.stderr, /^error: option webhook-timeout \(flag --webhook-timeout\): "10"[^\n]*\n$/);
  });

  it('pipes standard input into stock', async () => {
    operator.answer = { status: 201, body: { success: true, added: 2, requestId: 'req_1' } };
    const outcome = await purser(['stock', 'add', '12', '-'], 'a\nb\n');
    assert.deepEqual(outcome, { exitCode: 0, stdout: 'added: 2\n', stderr: '' });
    assert.equal(operator.last.body, 'a\nb\n');
  });

  it('says nothing when its reader has left', async () => {
    const accounts = Array.from({ length: 20_000 }, (_, index) => ({
      accountId: index,
      name: 'x'.repeat(50),
    }));
    operator.answer = { status: 200, body: { success: true, accounts, requestId: 'req_1' } };
    for (const command of LONG) {
      const child = spawn(process.execPath, argsOf(command), { stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.destroy();
      const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);
      assert.deepEqual([exitCode, stderr], [0, ''], command);
    }
  });

  it('ends with 1 and one line when the output is on a full disk', async () => {
    const full = openSync('/dev/full', 'w');
    for (const command of [...LONG, 'account --help']) {
      const child = spawn(process.execPath, argsOf(command), { stdio: ['ignore', full, 'pipe'] });
      assert.ok(child.stderr !== null);
      const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);
      assert.deepEqual(
        [exitCode, stderr],
        [1, 'error: cannot write the output: the disk is full\n'],
        command,
      );
    }
    closeSync(full);
  });
});
