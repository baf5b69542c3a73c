/** What is watched of the node itself and of its suppliers: when it begins, when it is over, and nothing in between. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AlertWatch } from '../../src/alerts/alert-watch.ts';
import { type BackupHealth, BackupWatch } from '../../src/alerts/backup-watch.ts';
import { CheckpointWatch } from '../../src/alerts/checkpoint-watch.ts';
import { CircuitWatch } from '../../src/alerts/circuit-watch.ts';
import { DiskWatch } from '../../src/alerts/disk-watch.ts';
import {
  MANY_OPEN,
  OpenPurchasesWatch,
  type OpenPurchasesWatchOptions,
} from '../../src/alerts/open-purchases-watch.ts';
import { OutboxWatch } from '../../src/alerts/outbox-watch.ts';
import { PositionLag } from '../../src/alerts/position-lag.ts';
import { Watched } from './watched.ts';

const GIB = 1024 ** 3;
const MINUTE_MS = 60_000;

test('a disk is nearly full below its limit, until a tenth more is free', async () => {
  const watched = new Watched();
  const figures = { freeBytes: 0, totalBytes: GIB };
  const watch = new DiskWatch({
    standing: watched.standing,
    disk: { look: async () => ({ ...figures }) },
    engine: { counters: { groups: 0, facts: 0, full: 0 }, isFull: false },
    lowPercent: 10,
  });
  const steps: [percent: number, told: string | undefined][] = [
    [50, undefined],
    [10.1, undefined],
    [9.9, 'firing'],
    [5, undefined],
    [10.5, undefined],
    [9.9, undefined],
    [11.1, 'resolved'],
    [3, 'firing'],
  ];
  for (const [percent, expected] of steps) {
    figures.freeBytes = Math.round((GIB * percent) / 100);
    await watch.look();
    const line = `DISK_LOW ${expected} ${JSON.stringify(figures)}`;
    assert.deepEqual(watched.told(), expected === undefined ? [] : [line], `${percent} %`);
  }
  assert.match(watched.messages.at(-1) ?? '', /^3\.0 % .*\(30 MiB\), less than 10 %/);
});

test('0% turns the alert off', async () => {
  for (const [lowPercent, freePercent, expected] of [
    [50, 49, 1],
    [50, 51, 0],
    [0, 1, 0],
  ] as const) {
    const watched = new Watched();
    const { standing } = watched;
    const disk = { look: async () => ({ freeBytes: freePercent * GIB, totalBytes: 100 * GIB }) };
    const engine = { counters: { groups: 0, facts: 0, full: 0 }, isFull: false };
    await new DiskWatch({ standing, disk, engine, lowPercent }).look();
    assert.equal(watched.told().length, expected, `${freePercent} % are free, the limit is ${lowPercent} %`);
  }
});

test('a disk is full when the journal says so or hardly anything is free, and over after a minute with room', async () => {
  const watched = new Watched();
  const figures = { freeBytes: GIB, totalBytes: GIB };
  const engine = { counters: { groups: 0, facts: 0, full: 3 }, isFull: false };
  const { standing } = watched;
  const watch = new DiskWatch({ standing, disk: { look: async () => figures }, engine, lowPercent: 0 });
  const steps: [what: string, change: () => void, told: string[]][] = [
    ['full long ago', () => {}, []],
    ['full for a moment between two looks', () => (engine.counters.full += 1), ['firing']],
    ['room again', () => {}, []],
    ['full', () => (engine.isFull = true), []],
    ['room for less than a minute', () => (engine.isFull = false), []],
    ['room', () => (watched.nowMs += MINUTE_MS), ['resolved']],
    ['hardly any', () => (figures.freeBytes = 1_000_000), ['firing']],
  ];
  for (const [what, change, expected] of steps) {
    watched.nowMs += 10_000;
    change();
    await watch.look();
    const told = watched.told().map((line) => line.split(' ')[1]);
    assert.deepEqual(told, expected, what);
  }
});

test('the lag is how long something durable has not been reached', () => {
  const lag = new PositionLag(32_000);
  const steps: [nowMs: number, durable: number, reached: number, lagMs: number][] = [
    [0, 10, 10, 0],
    [10_000, 20, 10, 0],
    [20_000, 30, 10, 10_000],
    [20_500, 31, 10, 10_500],
    [30_000, 40, 20, 10_000],
    [31_000, 40, 31, 1_000],
    [99_000, 40, 40, 0],
    [100_000_000, 40, 40, 0],
    [100_000_000, 41, 40, 0],
  ];
  for (const [nowMs, durable, reached, expected] of steps) {
    assert.equal(lag.look(nowMs, durable, reached), expected, `${durable} and ${reached} at ${nowMs}`);
  }
});

test('the checkpoint is behind after a minute without what is durable, or when commands wait for it', () => {
  const watched = new Watched();
  const engine = { acceptsCommands: true, isFull: false };
  let lag = { facts: 0, ms: 0 };
  const watch = new CheckpointWatch({ standing: watched.standing, engine, lag: () => lag });
  const steps: [what: string, change: () => void, told: string[]][] = [
    ['all is folded', () => {}, []],
    ['half a minute', () => (lag = { facts: 100, ms: 30_000.4 }), []],
    [
      'a minute',
      () => (lag = { facts: 100, ms: 60_000.4 }),
      ['CHECKPOINT_BEHIND firing {"facts":100,"behindMs":60000}'],
    ],
    ['longer', () => (lag = { facts: 200, ms: 90_000 }), []],
    ['folded', () => (lag = { facts: 0, ms: 0 }), ['CHECKPOINT_BEHIND resolved {"facts":0,"behindMs":0}']],
    [
      'commands wait',
      () => Object.assign(engine, { acceptsCommands: false }),
      ['CHECKPOINT_BEHIND firing {"facts":0,"behindMs":0}'],
    ],
    [
      'they go on',
      () => Object.assign(engine, { acceptsCommands: true }),
      ['CHECKPOINT_BEHIND resolved {"facts":0,"behindMs":0}'],
    ],
    ['they wait for the disk', () => Object.assign(engine, { acceptsCommands: false, isFull: true }), []],
  ];
  for (const [what, change, expected] of steps) {
    change();
    watch.look();
    assert.deepEqual(watched.told(), expected, what);
  }
  assert.match(watched.messages[1] ?? '', /caught up/);
  assert.match(watched.messages[2] ?? '', /refused with 429/);
});

test('the backup is behind after five minutes, and stopped when nothing is shipped any more', () => {
  const watched = new Watched();
  const health = { lagMs: 0, end: undefined, error: null, altered: [] } as {
    -readonly [Name in keyof BackupHealth]: BackupHealth[Name];
  };
  const watch = new BackupWatch({ standing: watched.standing, health });
  const steps: [what: string, change: Partial<BackupHealth>, told: string[]][] = [
    ['all is there', {}, []],
    ['five minutes', { lagMs: 300_000 }, []],
    ['longer', { lagMs: 300_001, error: 'no room' }, ['BACKUP_BEHIND firing {"behindMs":300001}']],
    ['some is there', { lagMs: 60_000 }, []],
    ['all but a minute', { lagMs: 59_999, error: null }, ['BACKUP_BEHIND resolved {"behindMs":59999}']],
    ['fenced', { end: { why: 'fenced', message: 'another' } }, ['BACKUP_STOPPED firing {"reason":"fenced"}']],
    ['it goes on', {}, []],
    ['begun again', { end: undefined }, ['BACKUP_STOPPED resolved {"reason":"failed"}']],
    ['a forged run', { altered: ['runs/x'] }, ['BACKUP_ALTERED firing {"objects":["runs/x"]}']],
    ['it is gone', { altered: [] }, ['BACKUP_ALTERED resolved {"objects":[]}']],
  ];
  for (const [what, change, expected] of steps) {
    Object.assign(health, change);
    watch.look();
    assert.deepEqual(watched.told(), expected, what);
  }
  assert.match(watched.messages[0] ?? '', /5 minutes: no room/);
  new BackupWatch({ standing: watched.standing, health: undefined }).look();
});

test('the outbox is behind when an event waits too long, or the journal is not read', async () => {
  const watched = new Watched();
  const backlog: { waitedMs: number; position: number } | undefined = { waitedMs: 0, position: 5 };
  const engine = { durablePosition: 5 };
  let isStopping = false;
  const watch = new OutboxWatch({
    standing: watched.standing,
    engine,
    backlog: async () => (isStopping ? undefined : backlog),
    limitMs: 120 * MINUTE_MS,
    monotonicMs: watched.clock,
  });
  const behind = (state: string, minutes: number) => [
    `OUTBOX_BEHIND ${state} {"behindMs":${minutes * MINUTE_MS}}`,
  ];
  const steps: [what: string, change: () => void, told: string[]][] = [
    ['nothing waits', () => {}, []],
    ['two hours', () => (backlog.waitedMs = 120 * MINUTE_MS), []],
    ['more', () => (backlog.waitedMs = 121 * MINUTE_MS), behind('firing', 121)],
    ['a little over one', () => (backlog.waitedMs = 61 * MINUTE_MS), []],
    ['more again', () => (backlog.waitedMs = 200 * MINUTE_MS), []],
    ['the node stops', () => (isStopping = true), []],
    [
      'one',
      () => {
        isStopping = false;
        backlog.waitedMs = 60 * MINUTE_MS;
      },
      behind('resolved', 60),
    ],
    [
      'facts that are not read',
      () => {
        backlog.waitedMs = 0;
        engine.durablePosition = 6;
      },
      [],
    ],
    ['for too long', () => (watched.nowMs += 121 * MINUTE_MS), behind('firing', 121)],
    ['they are read', () => (backlog.position = 6), behind('resolved', 0)],
  ];
  for (const [what, change, expected] of steps) {
    change();
    await watch.look();
    assert.deepEqual(watched.told(), expected, what);
  }
});

test("a supplier's circuit is told when it opens, and over when it was closed for a minute", () => {
  const watched = new Watched();
  const open = new Map<number, boolean>();
  const watch = new CircuitWatch({ standing: watched.standing, openCircuits: () => open });
  const line = (state: string, supplierId: number) =>
    `SUPPLIER_CIRCUIT_OPEN ${state} {"supplierId":${supplierId}}`;
  const steps: [passedMs: number, open: number[], told: string[]][] = [
    [0, [], []],
    [10_000, [3, 4], [line('firing', 3), line('firing', 4)]],
    [10_000, [3], []],
    [50_000, [3], [line('resolved', 4)]],
    [10_000, [], []],
    [40_000, [3], []],
    [60_000, [], [line('resolved', 3)]],
    [10_000, [3], [line('firing', 3)]],
  ];
  for (const [passedMs, suppliers, expected] of steps) {
    watched.nowMs += passedMs;
    for (const supplierId of [3, 4]) open.set(supplierId, suppliers.includes(supplierId));
    watch.look();
    assert.deepEqual(watched.told(), expected, `${suppliers} after ${passedMs} ms`);
  }
});

test('many open purchases of a supplier are told once, and again only after half of them have ended', () => {
  const open = new Map([
    [1, 0],
    [2, 0],
  ]);
  let held = 0;
  const watched = new Watched();
  const supplierPurchases = {
    openCountOf: (supplierId: number) => (open.get(supplierId) ?? 0) + held,
    heldCountOf: () => held,
  };
  const suppliers = { values: () => [{ supplierId: 1 }, { supplierId: 2 }] };
  const watch = new OpenPurchasesWatch({
    standing: watched.standing,
    engine: { state: { suppliers, supplierPurchases } },
  } as unknown as OpenPurchasesWatchOptions);
  const line = (state: string, supplierId: number, count: number) => [
    `SUPPLIER_PURCHASES_OPEN ${state} ${JSON.stringify({ supplierId, open: count })}`,
  ];
  const steps: [supplierId: number, open: number, told: string[]][] = [
    [1, MANY_OPEN - 1, []],
    [1, MANY_OPEN, line('firing', 1, MANY_OPEN)],
    [1, MANY_OPEN * 2, []],
    [1, MANY_OPEN / 2, []],
    [1, MANY_OPEN + 1, []],
    [2, MANY_OPEN + 5, line('firing', 2, MANY_OPEN + 5)],
    [1, MANY_OPEN / 2 - 1, line('resolved', 1, MANY_OPEN / 2 - 1)],
    [1, MANY_OPEN + 2, line('firing', 1, MANY_OPEN + 2)],
  ];
  for (const [supplierId, count, expected] of steps) {
    open.set(supplierId, count);
    watch.look();
    assert.deepEqual(watched.told(), expected, `${supplierId} has ${count}`);
  }
  open.set(1, 0);
  watch.look();
  watched.told();
  held = MANY_OPEN * 4;
  watch.look();
  assert.deepEqual(watched.told(), [], 'those that are being asked for at this moment do not count');
});

test('a watcher that fails or hangs keeps no other from looking, and is not asked twice at a time', async () => {
  const looks = { failing: 0, hanging: 0, well: 0 };
  const faults: string[] = [];
  const watch = new AlertWatch({
    watchers: {
      failing: {
        look: () => {
          looks.failing += 1;
          throw new Error('no such disk');
        },
      },
      hanging: {
        look: () => {
          looks.hanging += 1;
          return new Promise(() => {});
        },
      },
      well: {
        look: () => {
          looks.well += 1;
        },
      },
    },
    onFault: (watcher, error) => faults.push(`${watcher}: ${(error as Error).message}`),
  });
  for (let round = 0; round < 3; round += 1) {
    watch.look();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(looks, { failing: 3, hanging: 1, well: 3 });
  assert.deepEqual(faults, Array(3).fill('failing: no such disk'));
});
