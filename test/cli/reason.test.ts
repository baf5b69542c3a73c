/** Why something is changed: said by `--reason`, or asked at a terminal; never asked of a script. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { type CliSetting, operatorForTests, purser, temporaryFolder } from './fake-operator.ts';

const QUESTION = 'Reason (Enter for none): ';
const atTerminal = { isTerminal: true, isAnswered: true };

describe('a reason', () => {
  const { operator, call } = operatorForTests();
  /** In the last request, wherever it stands. */
  const sentReason = (): unknown => {
    const { path, body } = operator.last;
    const inQuery = new URL(path, 'http://x').searchParams.get('reason') ?? undefined;
    return inQuery ?? (body.startsWith('{') ? JSON.parse(body).reason : undefined);
  };

  const answers: [typed: string, reason: string | undefined][] = [
    ['chargeback 4711\n', 'chargeback 4711'],
    ['  with spaces  \nmore\n', 'with spaces'],
    ['\n', undefined],
    ['   \n', undefined],
    [`${'é'.repeat(500)}\n`, 'é'.repeat(500)],
  ];
  for (const [stdin, reason] of answers) {
    it(`is what is typed at a terminal: ${JSON.stringify(stdin.slice(0, 30))}`, async () => {
      for (const line of ['key revoke 7', 'account update 7 --name a', 'webhook test 7']) {
        const { exitCode, stderr } = await call(line, { ...atTerminal, stdin });
        assert.equal(exitCode, 0, stderr);
        assert.equal(stderr, QUESTION);
        assert.equal(sentReason(), reason);
      }
    });
  }

  it('is asked for before the progress of an upload is drawn', async (context) => {
    const file = join(temporaryFolder(context), 'codes.txt');
    writeFileSync(file, 'a\n');
    for (const line of [`stock add 12 ${file}`, `product file 12 ${file}`]) {
      const { exitCode, stderr } = await call(line, { ...atTerminal, stdin: 'restock\n' });
      assert.equal(exitCode, 0, stderr);
      assert.ok(stderr.startsWith(QUESTION));
      assert.equal(sentReason(), 'restock');
    }
  });

  it('is asked for once, also when a command makes several calls', async () => {
    operator.answers = [{ status: 202, body: { success: true, replayed: 500, nextCursor: '4001' } }];
    operator.answer = { status: 202, body: { success: true, replayed: 1 } };
    const { stderr } = await call('webhook replay 7 --since 0', { ...atTerminal, stdin: 'outage\n' });
    assert.equal(stderr, QUESTION);
    assert.deepEqual(
      operator.seen.map(({ body }) => JSON.parse(body).reason),
      ['outage', 'outage'],
    );
  });

  const silent: [why: string, line: string, setting: CliSetting][] = [
    ['standard input is no terminal', 'key revoke 7', { isTerminal: true, stdin: 'x\n' }],
    ['standard error is no terminal', 'key revoke 7', { isAnswered: true, stdin: 'x\n' }],
    ['nothing is changed', 'account list', { ...atTerminal, stdin: 'x\n' }],
    ['it was said', 'key revoke 7 --reason why', { ...atTerminal, stdin: 'x\n' }],
    ['standard input was read to its end', 'order complete 31 -', { ...atTerminal, stdin: 'x\n' }],
  ];
  for (const [why, line, setting] of silent) {
    it(`is not asked for when ${why}`, async () => {
      const { exitCode, stderr } = await call(line, setting);
      assert.deepEqual([exitCode, stderr], [0, '']);
      assert.equal(sentReason(), line.includes('--reason') ? 'why' : undefined);
    });
  }

  it('is not asked for when it was said to be empty', async () => {
    const outcome = await call(['key', 'revoke', '7', '--reason', ''], { ...atTerminal, stdin: 'x\n' });
    assert.deepEqual([outcome.exitCode, outcome.stderr], [0, '']);
    assert.equal(sentReason(), undefined);
  });

  it('is not asked for by a command line that makes no sense, or without a node', async () => {
    const wrong = await call('account update 7', { ...atTerminal, stdin: 'x\n' });
    assert.match(wrong.stderr, /^error: nothing to change/);
    const nowhere = await purser(['key', 'revoke', '7', '--data', '/nowhere'], {
      ...atTerminal,
      stdin: 'x\n',
    });
    assert.match(nowhere.stderr, /^error: no node found/);
  });

  it('that is too long is refused, and nothing is sent', async () => {
    const outcome = await call('key revoke 7', { ...atTerminal, stdin: `${'x'.repeat(501)}\n` });
    assert.equal(outcome.exitCode, 2);
    assert.match(outcome.stderr, /a reason has at most 500 characters/);
    assert.equal(operator.seen.length, 0);
  });

  it('without an answer keeps the change from happening', async () => {
    const stdin = new PassThrough();
    stdin.end();
    const outcome = await call('key revoke 7', { ...atTerminal, stdin });
    assert.equal(outcome.exitCode, 1);
    assert.match(outcome.stderr, /there was no answer; nothing was changed\n$/);
    assert.equal(operator.seen.length, 0);
  });
});
