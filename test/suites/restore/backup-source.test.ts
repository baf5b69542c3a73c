/** What a restore does with a source that hangs or fails: it says what it waits for, tries again, and ends. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BackupSource } from '../../../src/restore/backup-source.ts';
import { MemoryTarget, type TargetFailure } from '../../support/memory-target.ts';

const PATIENCE = { waitsMs: [5, 5, 5], limitMs: 60_000, tellAfterMs: 60_000, tellEveryMs: 60_000 };

interface Case {
  readonly name: string;
  readonly faults: readonly (TargetFailure | undefined)[];
  readonly patience?: Partial<typeof PATIENCE>;
  /** The end of a call, and how often the target is asked. */
  readonly ends: RegExp;
  readonly calls: number;
}

/** The last of `faults` comes again and again. */
const CASES: readonly Case[] = [
  {
    name: 'that hangs is given up',
    faults: ['hang'],
    patience: { limitMs: 100, tellAfterMs: 20 },
    ends: /^TargetError: waited \d+ s in vain for keys\/a: memory does not answer; check/,
    calls: 1,
  },
  {
    name: 'that fails for good says why',
    faults: ['before'],
    ends: /^TargetError: waited \d+ s in vain for keys\/a: memory: no answer$/,
    calls: 4,
  },
  {
    name: 'that fails in passing is asked again',
    faults: ['before', 'before', undefined],
    ends: /^keys\/a/,
    calls: 3,
  },
  {
    name: 'that refuses is not asked again',
    faults: ['refused'],
    ends: /^TargetError: memory: wrong keys$/,
    calls: 1,
  },
];

describe('a source', () => {
  for (const { name, faults, patience, ends, calls } of CASES) {
    test(name, async () => {
      const target = new MemoryTarget(new Map([['keys/a', Buffer.from('keys/a')]]));
      let asked = 0;
      target.fault = () => {
        asked += 1;
        return faults[Math.min(asked, faults.length) - 1];
      };
      const lines: (string | undefined)[] = [];
      const onWait = (line: string | undefined) => lines.push(line);
      const source = new BackupSource(target, { onWait, patience: { ...PATIENCE, ...patience } });
      assert.match(await source.read('keys/a').then(String, String), ends);
      assert.equal(asked, calls);
      if (faults[0] !== 'hang') return assert.deepEqual(lines, []);
      assert.match(lines[0] ?? '', /^waiting for keys\/a since \d{4}-\S+Z: memory has not answered yet$/);
      assert.deepEqual(lines.slice(1), [undefined], 'nothing is waited for any more');
    });
  }
});
