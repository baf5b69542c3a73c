/** Commands that begin a job of a node, and follow it to its outcome. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { GoingOn } from '../../src/cli/terminal/going-on.ts';
import { sizeText } from '../../src/cli/terminal/size-text.ts';
import { operatorForTests } from './fake-operator.ts';

const old = { drill: { ok: true, at: 1, position: null } };
const drilling = { ...old, drilling: true, error: null };
const proved = { ok: true, at: 2, position: null };
const spoilt = { ok: false, at: 2, position: null, error: 'base/1 is spoilt' };
const begun = { backupId: 'bak_1' };
const running = { ...begun, target: '/b', state: 'running', position: null, bytes: 0, at: 1 };
const complete = { ...running, state: 'complete', position: { seq: 7, hash: 'ab' }, bytes: 9 };
const failed = { ...running, state: 'failed', error: 'no room' };
const trimming = { state: 'running' };
const trimmed = { state: 'complete', removed: 4 };
const lists = (...backups: object[]) => ({ backups });
const lost = (name: string) => `the node was stopped before ${name} had ended: call it again`;

/** Commands; what the node answers in turn; then the outcome on standard output, and what is said of a failure. */
const COMMANDS: readonly [line: string, answers: object[], outcome: object | null, says: string][] = [
  ['backup drill', [old, drilling, { drill: proved }], proved, ''],
  ['backup drill', [{ drill: null }, { drill: spoilt }], spoilt, 'the drill failed: base/1 is spoilt'],
  ['backup drill', [old, old], null, lost('the drill')],
  ['backup /b', [begun, lists(running), lists(complete)], complete, ''],
  ['backup /b', [begun, lists(failed)], failed, 'the backup failed: no room'],
  ['backup /b', [begun, lists()], null, lost('the backup')],
  ['cluster trim', [trimmed], trimmed, ''],
  ['cluster trim', [trimming, trimming, trimmed], trimmed, ''],
];

describe('a job is followed', () => {
  const { operator, call } = operatorForTests({ status: 500, body: { success: false } });
  const willAnswer = (answers: object[]) => {
    operator.answers = answers.map((body) => ({ status: 200, body: { success: true, ...body } }));
  };

  for (const [line, answers, outcome, says] of COMMANDS)
    it(`${line}: ${says || 'to its end'}, after ${answers.length}`, async () => {
      willAnswer(answers);
      const { exitCode, stdout, stderr } = await call(`${line} --json`);
      assert.deepEqual([exitCode, stderr], says === '' ? [0, ''] : [1, `error: ${says}\n`]);
      assert.equal(operator.answers.length, 0, 'it asks until it knows');
      const { success: _, ...said } = stdout === '' ? {} : JSON.parse(stdout);
      assert.deepEqual(said, outcome ?? {});
    });

  it('with the outcome in words', async () => {
    willAnswer([begun, lists(running), lists(complete)]);
    const { stdout } = await call('backup /b');
    assert.equal(stdout, 'complete: /b has all facts up to 7 (ab), 9 bytes\n');
  });
});

it('what goes on is told after five seconds, and then every half minute', () => {
  const stderr = new PassThrough();
  const { stdin, stdout } = process;
  let nowMs = 0;
  const goingOn = new GoingOn({ env: {}, stdin, stdout, stderr }, 'the drill', () => nowMs);
  for (; nowMs <= 40_000; nowMs += 1_000) goingOn.now(`it has read ${sizeText(nowMs)}`);
  assert.equal(
    String(stderr.read()),
    'the drill has taken 5 s: it has read 5.0 kB\nthe drill has taken 35 s: it has read 35.0 kB\n',
  );
});
