/** When operators are told of drills: of each that fails, of none for too long, and when one succeeds again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DrillWatch } from '../../src/alerts/drill-watch.ts';
import { Watched } from './watched.ts';

const POSITION = { seq: 7, hash: 'ab' };
const passed = (at: number) => ({ ok: true, at, position: POSITION });
const failed = (at: number) => ({ ok: false, at, position: POSITION, error: 'a chunk is spoilt' });

test('a drill that fails, or is overdue, is told of, once each', () => {
  const watched = new Watched();
  const health = {
    last: null as ReturnType<typeof passed> | ReturnType<typeof failed> | null,
    ageMs: 0,
    isOverdue: false,
  };
  const watch = new DrillWatch({ standing: watched.standing, health });
  const steps = [
    { now: {}, told: [] },
    { now: { isOverdue: true, ageMs: 49 * 3_600_000 }, told: ['BACKUP_DRILL firing {"drill":null}'] },
    { now: {}, told: [] },
    {
      now: { last: failed(1), isOverdue: false, ageMs: 0 },
      told: [`BACKUP_DRILL firing ${JSON.stringify({ drill: failed(1) })}`],
    },
    { now: {}, told: [] },
    { now: { last: failed(2) }, told: [`BACKUP_DRILL firing ${JSON.stringify({ drill: failed(2) })}`] },
    { now: { last: passed(3) }, told: [`BACKUP_DRILL resolved ${JSON.stringify({ drill: passed(3) })}`] },
    { now: {}, told: [] },
  ];
  for (const { now, told } of steps) {
    Object.assign(health, now);
    watch.look();
    assert.deepEqual(watched.told(), told);
  }
  assert.match(watched.messages[0] ?? '', /no drill of the backup for 49 hours/);
  assert.match(watched.messages[1] ?? '', /drill of the backup failed.*: a chunk is spoilt\.$/);
});

test('without a continuous backup there is nothing to tell', () => {
  const watched = new Watched();
  new DrillWatch({ standing: watched.standing, health: undefined }).look();
  assert.deepEqual(watched.told(), []);
});
