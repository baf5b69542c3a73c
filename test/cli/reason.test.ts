/** Why something is changed: said by `--reason`, or asked at a terminal; never asked of a script. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { type CliSetting, operatorForTests, temporaryFolder } from './fake-operator.ts';

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

  it('is what is typed at a terminal', async () => {
    const answers = { '  with spaces  \nmore\n': 'with spaces', '   \n': undefined };
    for (const [stdin, reason] of Object.entries(answers))
      for (const line of ['key revoke 7', 'account update 7 --name a']) {
        const { exitCode, stderr } = await call(line, { ...atTerminal, stdin });
        assert.deepEqual([exitCode, stderr, sentReason()], [0, QUESTION, reason]);
      }
  });

  it('is asked for once, also before an upload', async (context) => {
    const file = join(temporaryFolder(context), 'codes.txt');
    writeFileSync(file, 'a\n');
    const { stderr } = await call(`stock add 12 ${file}`, { ...atTerminal, stdin: 'restock\n' });
    assert.ok(stderr.startsWith(QUESTION));
    assert.equal(sentReason(), 'restock');
    operator.answers = [{ status: 202, body: { success: true, replayed: 500, nextCursor: '4001' } }];
    operator.answer = { status: 202, body: { success: true, replayed: 1 } };
    const replay = await call('webhook replay 7 --since 0', { ...atTerminal, stdin: 'outage\n' });
    assert.equal(replay.stderr, QUESTION);
    const reasons = operator.seen.slice(-2).map(({ body }) => JSON.parse(body).reason);
    assert.deepEqual(reasons, ['outage', 'outage']);
  });

  const silent: [why: string, line: string, setting: CliSetting][] = [
    ['standard input is no terminal', 'key revoke 7', { isTerminal: true, stdin: 'x\n' }],
    ['standard error is no terminal', 'key revoke 7', { isAnswered: true, stdin: 'x\n' }],
    ['nothing is changed', 'account list', { ...atTerminal, stdin: 'x\n' }],
    ['it was said', 'key revoke 7 --reason why', { ...atTerminal, stdin: 'x\n' }],
    ['standard input was read to its end', 'order complete 31 -', { ...atTerminal, stdin: 'x\n' }],
  ];
  for (const [why, line, setting] of silent)
    it(`is not asked for when ${why}`, async () => {
      const { exitCode, stderr } = await call(line, setting);
      assert.deepEqual([exitCode, stderr], [0, '']);
      assert.equal(sentReason(), line.includes('--reason') ? 'why' : undefined);
    });

  it('that is too long, or that nobody gives, keeps the change from happening', async () => {
    const long = await call('key revoke 7', { ...atTerminal, stdin: `${'x'.repeat(501)}\n` });
    assert.equal(long.exitCode, 2);
    assert.match(long.stderr, /a reason has at most 500 characters/);
    const none = await call('key revoke 7', { ...atTerminal, stdin: new PassThrough().end() });
    assert.equal(none.exitCode, 1);
    assert.match(none.stderr, /there was no answer; nothing was changed\n$/);
    assert.equal(operator.seen.length, 0);
  });
});
