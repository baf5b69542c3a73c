/** Commands that begin a job of a node, and follow it to its outcome. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operatorForTests } from './fake-operator.ts';

const at = 1_767_225_600_000;
const old = { ok: true, at: at - 1, position: null };
const proved = { ok: true, at, position: null };
const spoilt = { ok: false, at, position: null, error: 'base/1 is spoilt' };
const begun = { backupId: 'bak_1' };
const running = { ...begun, target: '/b', state: 'running', position: null, bytes: 0, at };
const complete = { ...running, state: 'complete', position: { seq: 7, hash: 'ab' }, bytes: 9 };
const failed = { ...running, state: 'failed', error: 'no room' };
const trimmed = { state: 'complete', removed: 4 };

/** A command, what the node answers in turn, and then the outcome on standard output and what it says of a failure. */
const COMMANDS: readonly [
  what: string,
  line: string,
  answers: object[],
  outcome: object | null,
  says: RegExp,
][] = [
  [
    'drill',
    'backup drill',
    [{ drill: old }, { drill: old, drilling: true, error: null }, { drill: proved, drilling: false }],
    proved,
    /^$/,
  ],
  [
    'drill that fails',
    'backup drill',
    [{ drill: null }, { drill: spoilt, drilling: false }],
    spoilt,
    /^error: the drill failed: base\/1 is spoilt\n$/,
  ],
  [
    'drill that a stop broke off',
    'backup drill',
    [{ drill: old }, { drill: old, drilling: false }],
    null,
    /^error: the node was stopped before the drill had ended: call it again\n$/,
  ],
  [
    'backup',
    'backup /b',
    [begun, { journalPosition: 7 }, { backups: [running] }, { backups: [complete] }],
    complete,
    /^$/,
  ],
  [
    'backup that fails',
    'backup /b',
    [begun, { journalPosition: 7 }, { backups: [failed] }],
    failed,
    /^error: the backup failed: no room\n$/,
  ],
  [
    'backup of a node that has started again',
    'backup /b',
    [begun, { journalPosition: 7 }, { backups: [] }],
    null,
    /^error: the node was stopped before the backup had ended: call it again\n$/,
  ],
  ['trim that is done at once', 'cluster trim', [trimmed], trimmed, /^$/],
  ['trim', 'cluster trim', [{ state: 'running' }, { state: 'running' }, trimmed], trimmed, /^$/],
];

describe('a job is followed to its outcome', () => {
  const { operator, call } = operatorForTests({ status: 500, body: { success: false } });

  for (const [what, line, answers, outcome, says] of COMMANDS)
    it(what, async () => {
      operator.answers = answers.map((body) => ({ status: 200, body: { success: true, ...body } }));
      const { exitCode, stdout, stderr } = await call(`${line} --json`);
      assert.match(stderr, says);
      assert.equal(exitCode, stderr === '' ? 0 : 1);
      assert.equal(operator.answers.length, 0, 'it asks until it knows');
      const said = stdout === '' ? null : JSON.parse(stdout);
      if (said !== null) delete said.success;
      assert.deepEqual(said, outcome);
    });

  it('with the progress at a terminal, and the outcome in words', async () => {
    operator.answers = [begun, { journalPosition: 7 }, { backups: [running] }, { backups: [complete] }].map(
      (body) => ({ status: 200, body: { success: true, ...body } }),
    );
    const { stdout, stderr } = await call('backup /b', { isTerminal: true });
    assert.equal(stdout, 'complete: /b has all facts up to 7 (ab), 9 bytes\n');
    assert.match(stderr, /of 7/);
  });
});
