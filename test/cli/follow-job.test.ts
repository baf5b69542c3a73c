/** Commands that begin a job of a node, and follow it to its outcome. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operatorForTests } from './fake-operator.ts';

const old = { drill: { ok: true, at: 1, position: null } };
const drilling = { ...old, drilling: true, error: null };
const proved = { ok: true, at: 2, position: null };
const spoilt = { ok: false, at: 2, position: null, error: 'base/1 is spoilt' };
const begun = { backupId: 'bak_1' };
const status = { journalPosition: 7 };
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
  ['backup /b', [begun, status, lists(running), lists(complete)], complete, ''],
  ['backup /b', [begun, status, lists(failed)], failed, 'the backup failed: no room'],
  ['backup /b', [begun, status, lists()], null, lost('the backup')],
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

  it('with its progress at a terminal, and the outcome in words', async () => {
    willAnswer([begun, status, lists(running), lists(complete)]);
    const { stdout, stderr } = await call('backup /b', { isTerminal: true });
    assert.equal(stdout, 'complete: /b has all facts up to 7 (ab), 9 bytes\n');
    assert.match(stderr, /of 7/);
  });
});
