/** When operators are told of daily archives: of each that fails, of none for too long, and when one succeeds again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ArchiveHealth, ArchiveWatch } from '../../src/alerts/archive-watch.ts';
import { Watched } from './watched.ts';

const succeeded = (at: number) => ({ ok: true, at });
const failed = (at: number) => ({ ok: false, at, error: 'the bucket is gone' });
const firing = (archive: object | null) => `ARCHIVE firing ${JSON.stringify({ archive })}`;
const resolved = (archive: object | null) => `ARCHIVE resolved ${JSON.stringify({ archive })}`;

test('an archive that fails, or is overdue, is told of, once each', () => {
  const watched = new Watched();
  const health: { -readonly [Name in keyof ArchiveHealth]: ArchiveHealth[Name] } = {
    last: null,
    ageMs: 0,
    isOverdue: false,
  };
  const watch = new ArchiveWatch({ standing: watched.standing, health });
  const steps = [
    { now: {}, told: [] },
    { now: { isOverdue: true, ageMs: 49 * 3_600_000 }, told: [firing(null)] },
    { now: {}, told: [] },
    { now: { last: failed(1), isOverdue: false, ageMs: 0 }, told: [firing(failed(1))] },
    { now: {}, told: [] },
    { now: { last: failed(2) }, told: [firing(failed(2))] },
    { now: { last: succeeded(3) }, told: [resolved(succeeded(3))] },
    { now: {}, told: [] },
  ];
  for (const { now, told } of steps) {
    Object.assign(health, now);
    watch.look();
    assert.deepEqual(watched.told(), told);
  }
  assert.match(watched.messages[0] ?? '', /No daily archive has succeeded for 49 hours/);
  assert.match(watched.messages[1] ?? '', /archive failed.*: the bucket is gone\.$/);
});
