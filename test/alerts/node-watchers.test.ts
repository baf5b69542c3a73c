/**
 * The watches of the node itself and of its suppliers: the beginning and the end of each trouble, and nothing in
 * between.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AlertWatch } from '../../src/alerts/alert-watch.ts';
import { type BackupHealth, BackupWatch } from '../../src/alerts/backup-watch.ts';
import { CheckpointWatch } from '../../src/alerts/checkpoint-watch.ts';
import { DiskWatch } from '../../src/alerts/disk-watch.ts';
import { DrillWatch } from '../../src/alerts/drill-watch.ts';
import { OutboxWatch } from '../../src/alerts/outbox-watch.ts';
import { SalesWatch } from '../../src/alerts/sales-watch.ts';
import type { Gap } from '../../src/engine/recovery/epochs.ts';
import { MINUTE_MS, type Step, told, Watched } from './watched.ts';

const GIB = 1024 ** 3;

type Changeable<T> = { -readonly [Name in keyof T]: T[Name] };

function diskWatch(watched: Watched, lowPercent: number) {
  const figures = { freeBytes: GIB, totalBytes: GIB };
  const engine = { counters: { groups: 0, facts: 0, full: 3 }, isFull: false };
  const disk = { look: async () => ({ ...figures }) };
  const watch = new DiskWatch({ standing: watched.standing, disk, engine, lowPercent });
  return { figures, engine, watch };
}

test('a disk is nearly full below its limit, until a tenth more is free; with 0 % nobody hears of it', async () => {
  const watched = new Watched();
  const { figures, watch } = diskWatch(watched, 10);
  const steps: [percent: number, state?: string][] = [
    [10.1],
    [9.9, 'firing'],
    [10.5],
    [11.1, 'resolved'],
    [3, 'firing'],
  ];
  await watched.follow(
    () => watch.look(),
    steps.map(([percent, state]): Step => {
      const freeBytes = Math.round((GIB * percent) / 100);
      const line = `DISK_LOW ${state} ${JSON.stringify({ freeBytes, totalBytes: GIB })}`;
      return [`${percent} %`, () => (figures.freeBytes = freeBytes), state === undefined ? [] : [line]];
    }),
  );
  assert.match(watched.messages.at(-1) ?? '', /^3\.0 % .*\(30 MiB\), less than 10 %/);
  const high = new Watched();
  const nearly = diskWatch(high, 99);
  nearly.figures.freeBytes = GIB * 0.98;
  await nearly.watch.look();
  nearly.figures.freeBytes = GIB * 0.996;
  await nearly.watch.look();
  assert.equal(high.messages.length, 2, 'it ends');
  const deaf = new Watched();
  const off = diskWatch(deaf, 0);
  off.figures.freeBytes = GIB / 100;
  await deaf.follow(() => off.watch.look(), [['1 % is free', () => {}, []]]);
});

test('a disk is full when the journal says so or hardly anything is free, and over after a minute with room', async () => {
  const watched = new Watched();
  const { figures, engine, watch } = diskWatch(watched, 0);
  const line = (state: 'firing' | 'resolved', freeBytes = GIB) =>
    told('DISK_FULL')(state, { freeBytes, totalBytes: GIB });
  const look = () => {
    watched.nowMs += 10_000;
    return watch.look();
  };
  await watched.follow(look, [
    ['full long ago', () => {}, []],
    ['full for a moment between two looks', () => (engine.counters.full += 1), line('firing')],
    ['room again', () => {}, []],
    ['full', () => (engine.isFull = true), []],
    ['room for less than a minute', () => (engine.isFull = false), []],
    ['room', () => (watched.nowMs += MINUTE_MS), line('resolved')],
    ['hardly any', () => (figures.freeBytes = 1_000_000), line('firing', 1_000_000)],
  ]);
});

test('the checkpoint is behind after a minute without what is durable, or when commands wait for it', async () => {
  const watched = new Watched();
  const engine = { acceptsCommands: true, isFull: false };
  let lag = { facts: 0, ms: 0 };
  const watch = new CheckpointWatch({ standing: watched.standing, engine, lag: () => lag });
  const line = told('CHECKPOINT_BEHIND');
  const none = { facts: 0, behindMs: 0 };
  await watched.follow(
    () => watch.look(),
    [
      ['all is folded', () => {}, []],
      ['half a minute', () => (lag = { facts: 100, ms: 30_000 }), []],
      [
        'a minute',
        () => (lag = { facts: 100, ms: 60_000.4 }),
        line('firing', { facts: 100, behindMs: 60_000 }),
      ],
      ['longer', () => (lag = { facts: 200, ms: 90_000 }), []],
      ['folded', () => (lag = { facts: 0, ms: 0 }), line('resolved', none)],
      ['commands wait', () => (engine.acceptsCommands = false), line('firing', none)],
      ['they go on', () => (engine.acceptsCommands = true), line('resolved', none)],
      ['they wait for the disk', () => Object.assign(engine, { acceptsCommands: false, isFull: true }), []],
    ],
  );
});

test('the backup is behind after five minutes, and stopped when nothing is shipped any more', async () => {
  const watched = new Watched();
  const health = { lagMs: 0, end: undefined, error: null, altered: [] } as Changeable<BackupHealth>;
  const watch = new BackupWatch({ standing: watched.standing, health });
  const steps: [what: string, change: Partial<BackupHealth>, told: string[]][] = [
    ['all is there', {}, []],
    ['five minutes', { lagMs: 300_000 }, []],
    ['longer', { lagMs: 300_001, error: 'no room' }, told('BACKUP_BEHIND')('firing', { behindMs: 300_001 })],
    ['some is there', { lagMs: 60_000 }, []],
    ['all but a minute', { lagMs: 59_999 }, told('BACKUP_BEHIND')('resolved', { behindMs: 59_999 })],
    [
      'fenced',
      { end: { why: 'fenced', message: 'another' } },
      told('BACKUP_STOPPED')('firing', { reason: 'fenced' }),
    ],
    ['begun again', { end: undefined }, told('BACKUP_STOPPED')('resolved', { reason: 'failed' })],
    ['a forged run', { altered: ['runs/x'] }, told('BACKUP_ALTERED')('firing', { objects: ['runs/x'] })],
    ['it is gone', { altered: [] }, told('BACKUP_ALTERED')('resolved', { objects: [] })],
  ];
  await watched.follow(
    () => watch.look(),
    steps.map(([what, change, lines]): Step => [what, () => Object.assign(health, change), lines]),
  );
  assert.match(watched.messages[0] ?? '', /5 minutes: no room/);
  new BackupWatch({ standing: watched.standing, health: undefined }).look();
});

test('a drill is told of each that fails, once, of none for too long, and when one succeeds again', async () => {
  const watched = new Watched();
  const health = { last: null as object | null, ageMs: 0, isOverdue: false };
  const ofPosition = { position: { seq: 7, hash: 'ab' } };
  const failed = (at: number) => ({ ok: false, at, ...ofPosition, error: 'it is spoilt' });
  const succeeded = { ok: true, at: 3, ...ofPosition };
  const line = (state: 'firing' | 'resolved', drill: object | null) => told('BACKUP_DRILL')(state, { drill });
  const steps: [what: string, now: Partial<typeof health>, told: string[]][] = [
    ['nothing yet', {}, []],
    ['overdue', { isOverdue: true, ageMs: 49 * 3_600_000 }, line('firing', null)],
    ['still', {}, []],
    ['one fails', { last: failed(1), isOverdue: false, ageMs: 0 }, line('firing', failed(1))],
    ['nothing new', {}, []],
    ['another one fails', { last: failed(2) }, line('firing', failed(2))],
    ['one succeeds', { last: succeeded }, line('resolved', succeeded)],
  ];
  const watcher = new DrillWatch({ standing: watched.standing, health: health as never });
  await watched.follow(
    () => watcher.look(),
    steps.map(([what, now, lines]): Step => [what, () => Object.assign(health, now), lines]),
  );
  assert.match(watched.messages[0] ?? '', /for 49 hours/);
  assert.match(watched.messages[1] ?? '', /failed.*: it is spoilt\.$/);
});

test('the outbox is behind when an event waits too long, or the journal is not read', async () => {
  const watched = new Watched();
  const backlog = { waitedMs: 0, position: 5 };
  const engine = { durablePosition: 5 };
  let isStopping = false;
  const watch = new OutboxWatch({
    standing: watched.standing,
    engine,
    backlog: async () => (isStopping ? undefined : backlog),
    limitMs: 120 * MINUTE_MS,
    monotonicMs: watched.clock,
  });
  const behind = (state: 'firing' | 'resolved', minutes: number) =>
    told('OUTBOX_BEHIND')(state, { behindMs: minutes * MINUTE_MS });
  const waits = (minutes: number) => () => {
    isStopping = false;
    backlog.waitedMs = minutes * MINUTE_MS;
  };
  const unread = () => {
    backlog.waitedMs = 0;
    engine.durablePosition = 6;
  };
  await watched.follow(
    () => watch.look(),
    [
      ['two hours', waits(120), []],
      ['more', waits(121), behind('firing', 121)],
      ['a little over one', waits(61), []],
      ['the node stops', () => (isStopping = true), []],
      ['one', waits(60), behind('resolved', 60)],
      ['facts that are not read', unread, []],
      ['for too long', () => (watched.nowMs += 121 * MINUTE_MS), behind('firing', 121)],
      ['they are read', () => (backlog.position = 6), behind('resolved', 0)],
    ],
  );
});

test('a watcher that fails or hangs keeps no other from looking, and is not asked twice at a time', async () => {
  const looks = { failing: 0, hanging: 0, well: 0 };
  const faults: string[] = [];
  const watcher = (name: keyof typeof looks, act: () => unknown) => ({
    look: () => {
      looks[name] += 1;
      return act() as undefined;
    },
  });
  const fail = () => {
    throw new Error('no such disk');
  };
  const watch = new AlertWatch({
    watchers: {
      failing: watcher('failing', fail),
      hanging: watcher('hanging', () => new Promise(() => {})),
      well: watcher('well', () => undefined),
    },
    onFault: (name, error) => faults.push(`${name}: ${(error as Error).message}`),
  });
  for (let round = 0; round < 3; round += 1) {
    watch.look();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(looks, { failing: 3, hanging: 1, well: 3 });
  assert.deepEqual(faults, Array(3).fill('failing: no such disk'));
});

test('sales that are closed after a restore are told once, and when they are open', async () => {
  const watched = new Watched();
  const state: { gap: Gap | null } = { gap: null };
  const watch = new SalesWatch({ standing: watched.standing, engine: { state } });
  const gap = { from: 1, to: 2 };
  const says = told('SALES_CLOSED');
  await watched.follow(
    () => watch.look(),
    [
      ['open', () => {}, []],
      ['closed', () => (state.gap = { fromMs: 1, toMs: 2 }), says('firing', { gap })],
      ['still closed', () => {}, []],
      ['open again', () => (state.gap = null), says('resolved', { gap: null })],
    ],
  );
});
