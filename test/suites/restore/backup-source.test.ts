/** What a restore does with a source that hangs or fails: it says what it waits for, and ends. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TargetError } from '../../../src/backup/target/backup-target.ts';
import { BackupSource } from '../../../src/restore/backup-source.ts';
import { MemoryTarget, type TargetFailure } from '../../support/memory-target.ts';

const PATIENCE = { waitsMs: [5, 5, 5], limitMs: 60_000, tellAfterMs: 60_000, tellEveryMs: 60_000 };
const SHORT = { ...PATIENCE, limitMs: 100, tellAfterMs: 20 };
const SINCE = 'since \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z';

/** Two objects, and what becomes of each call to them. */
function sourceWith(fault: () => TargetFailure | undefined, patience = PATIENCE) {
  const target = new MemoryTarget();
  for (const name of ['keys/a', 'keys/b']) target.objects.set(name, Buffer.from(name));
  target.fault = fault;
  const lines: (string | undefined)[] = [];
  return { source: new BackupSource(target, { onWait: (line) => lines.push(line), patience }), lines };
}

async function namesOf(source: BackupSource): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of source.list('keys/')) names.push(name);
  return names;
}

const CALLS = {
  'an object': { call: (source: BackupSource) => source.read('keys/a'), what: 'keys/a' },
  'a list': { call: namesOf, what: 'the list of keys/' },
};

describe('a source', () => {
  for (const [name, { call, what }] of Object.entries(CALLS)) {
    test(`that hangs with ${name} is told of, and given up`, async () => {
      const { source, lines } = sourceWith(() => 'hang', SHORT);
      await assert.rejects(call(source), (error) => {
        assert.ok(error instanceof TargetError);
        assert.match(
          error.message,
          new RegExp(`^waited \\d+ s in vain for ${what}: memory does not answer; check`),
        );
        return true;
      });
      assert.match(lines[0] ?? '', new RegExp(`^waiting for ${what} ${SINCE}: memory has not answered yet$`));
      assert.deepEqual(lines.slice(1), [undefined], 'nothing is waited for any more');
    });

    test(`that fails with ${name} for good says why`, async () => {
      let calls = 0;
      const { source } = sourceWith(() => {
        calls += 1;
        return 'before';
      });
      await assert.rejects(
        call(source),
        new RegExp(`^TargetError: waited \\d+ s in vain for ${what}: memory: no answer$`),
      );
      assert.equal(calls, 4);
    });

    test(`that fails with ${name} in passing is asked again`, async () => {
      let calls = 0;
      const { source, lines } = sourceWith(() => {
        calls += 1;
        return calls < 4 ? 'before' : undefined;
      });
      assert.deepEqual(String(await call(source)), name === 'a list' ? 'keys/a,keys/b' : 'keys/a');
      assert.deepEqual(lines, []);
    });
  }

  test('that refuses is not asked again', async () => {
    let calls = 0;
    const { source } = sourceWith(() => {
      calls += 1;
      return 'refused';
    });
    await assert.rejects(source.read('keys/a'), /^TargetError: memory: wrong keys$/);
    assert.equal(calls, 1);
  });

  test('is told of once, however many objects are waited for', async () => {
    const { source, lines } = sourceWith(() => 'hang', SHORT);
    await Promise.allSettled(['keys/a', 'keys/b'].map((name) => source.read(name)));
    assert.equal(lines.filter((line) => line !== undefined).length, 1);
  });
});
