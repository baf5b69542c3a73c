/** Where epochs part, how far numbers skip, and who may go on from where. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply } from '../../src/engine/apply/apply.ts';
import { BrokenInvariantError } from '../../src/engine/apply/broken-invariant.ts';
import { MAX_EPOCH, MAX_TAKEN_ROWS } from '../../src/engine/limits.ts';
import { epochBegun } from '../../src/engine/recovery/epoch-begun.ts';
import { type Epoch, epochAt, forkBelow } from '../../src/engine/recovery/epochs.ts';
import { State } from '../../src/engine/state.ts';
import {
  TAKEN_KINDS,
  type TakenAway,
  type TakenKey,
  type TakenKind,
  type TakenRows,
  takenRows,
} from '../../src/engine/taken-away.ts';
import { NOW_MS, worldState } from './commands.ts';

const HASH = 'ab'.repeat(32);
const WORLD = { accounts: 2, products: 3, balanceMicros: 1_000_000, stock: 5 };
const LOST = { epoch: 2, hash: HASH, isComplete: false, nowMs: NOW_MS + 60_000 };

test('a restore after a minute skips over more orders than a node can sell in it, and closes sales', () => {
  const state = worldState(WORLD);
  const { position } = state;
  const fact = epochBegun(state, LOST);
  assert.deepEqual(fact, {
    kind: 'EpochBegun',
    epoch: 2,
    fork: { position, hash: HASH },
    gap: { fromMs: NOW_MS, lastOrderId: 0, nextOrderId: 7_000_001 },
    next: {
      orderId: 7_000_001,
      supplierPurchaseId: 1_000_001,
      lotId: 1_004,
      accountId: 1_003,
      productId: 1_004,
      supplierId: 1_001,
      operatorId: 1_001,
      priceListId: 1_001,
      depositId: 1_001,
    },
    atMs: NOW_MS + 60_000,
  });
  apply(state, fact);
  assert.deepEqual(state.gap, { fromMs: NOW_MS, toMs: NOW_MS + 60_000 });
  assert.deepEqual([state.epochs.current, state.lastOrderId, state.orderCount], [2, 7_000_000, 0]);
  assert.deepEqual([state.accounts.nextId, state.accounts.size], [1_003, 2]);
  assert.deepEqual([state.epochs.at(position), state.epochs.at(position + 1)], [1, 2]);
});

test('a restore of all of a source that ended cleanly skips over nothing, and leaves sales as they were', () => {
  const state = worldState(WORLD);
  const { nextId } = state.accounts;
  apply(state, epochBegun(state, { ...LOST, isComplete: true }));
  assert.deepEqual([state.epochs.current, state.gap, state.lastOrderId], [2, null, 0]);
  assert.equal(state.accounts.nextId, nextId);
  apply(state, epochBegun(state, { ...LOST, epoch: 3 }));
  apply(state, epochBegun(state, { ...LOST, epoch: 4, isComplete: true, nowMs: NOW_MS + 90_000 }));
  assert.deepEqual(state.gap, { fromMs: NOW_MS + 60_000, toMs: NOW_MS + 60_000 });
});

test('a gap that is open when another restore follows is a part of the next one', () => {
  const state = worldState(WORLD);
  apply(state, epochBegun(state, LOST));
  apply(state, epochBegun(state, { ...LOST, epoch: 3, nowMs: NOW_MS + 100_000 }));
  assert.deepEqual(state.gap, { fromMs: NOW_MS, toMs: NOW_MS + 100_000 });
  const skips = state.epochs.list.map(({ skip }) => skip);
  assert.deepEqual(skips, [
    { lastOrderId: 0, nextOrderId: 7_000_001 },
    { lastOrderId: 7_000_000, nextOrderId: 12_000_001 },
  ]);
});

test('what later facts of a source took away is known until sales open, over a second restore of the gap', () => {
  const state = worldState(WORLD);
  const takenAway = (toMs: number, keys: readonly TakenKey[], isComplete = true): TakenAway => {
    const none = {} as Record<TakenKind, TakenRows<never>>;
    for (const kind of TAKEN_KINDS) none[kind] = { count: 0, rows: [] };
    return { toMs, isComplete, ...none, keys: takenRows('keys', keys) };
  };
  const key = (accountId: number, change: TakenKey['change']) => ({ accountId, change, atMs: NOW_MS });
  const first = takenAway(NOW_MS + 5, [key(2, 'revoked'), key(1, 'replaced')], false);
  apply(state, epochBegun(state, { ...LOST, takenAway: first }));
  assert.deepEqual(state.gap?.takenAway?.keys, {
    count: 2,
    rows: [key(1, 'replaced'), key(2, 'revoked')],
  });
  apply(state, epochBegun(state, { ...LOST, epoch: 3 }));
  assert.deepEqual(state.gap?.takenAway, first);
  const many = Array.from({ length: MAX_TAKEN_ROWS }, (_, index) => key(index + 2, 'deactivated'));
  apply(state, epochBegun(state, { ...LOST, epoch: 4, takenAway: takenAway(NOW_MS + 9, many) }));
  const { toMs, isComplete, keys } = state.gap?.takenAway ?? assert.fail();
  assert.deepEqual([toMs, isComplete, keys.count, keys.rows.length], [NOW_MS + 9, false, 1_001, 1_000]);
  assert.deepEqual(keys.rows.slice(0, 2), [key(1, 'replaced'), key(2, 'deactivated')]);
  apply(state, { kind: 'SalesOpened', atMs: NOW_MS + 200_000 });
  assert.equal(state.gap, null);
});

test('a clock that was set back, and a folder without a fact, still have a gap', () => {
  const state = worldState(WORLD);
  const fact = epochBegun(state, { ...LOST, nowMs: NOW_MS - 1 });
  assert.deepEqual([fact.atMs, fact.next.orderId], [NOW_MS, 1_000_001]);
  const empty = epochBegun(new State(), LOST);
  assert.deepEqual([empty.gap?.fromMs, empty.next.orderId], [LOST.nowMs, 1_000_001]);
});

test('an epoch that cannot follow is refused, and one that parts elsewhere is no fact of this journal', () => {
  const state = worldState(WORLD);
  for (const epoch of [0, 1, 1.5, MAX_EPOCH + 1]) {
    assert.throws(() => epochBegun(state, { ...LOST, epoch }), RangeError, `${epoch}`);
  }
  const fact = epochBegun(worldState({ ...WORLD, accounts: 1 }), LOST);
  assert.throws(() => apply(state, fact), BrokenInvariantError);
});

/** Restored at 10 and, after that, at 20; epoch 3 is of another folder. */
const EPOCHS: readonly Epoch[] = [
  { epoch: 2, position: 10, hash: HASH, atMs: 1, skip: { lastOrderId: 5, nextOrderId: 100 } },
  { epoch: 4, position: 20, hash: HASH, atMs: 2, skip: { lastOrderId: 120, nextOrderId: 1e9 } },
];

test('a position is of the last epoch that parted before it', () => {
  assert.deepEqual(
    [0, 10, 11, 20, 21].map((position) => epochAt(EPOCHS, position)),
    [1, 1, 2, 2, 4],
  );
});

test('who has read up to a position of an epoch goes on, or is told up to where both have the same', () => {
  const cases: [epoch: number, position: number, fork: number | undefined, what: string][] = [
    [1, 0, undefined, 'goes on from the beginning'],
    [1, 10, undefined, 'goes on at the fork'],
    [1, 11, 10, 'has read what is not here'],
    [2, 11, undefined, 'goes on in a later epoch'],
    [2, 20, undefined, 'goes on at the next fork'],
    [2, 25, 20, 'has read what is not here either'],
    [4, 25, undefined, 'goes on in the last epoch'],
    [3, 5, 0, 'is of an epoch that nothing is known of'],
    [5, 5, 0, 'is of an epoch to come'],
  ];
  for (const [epoch, position, fork, what] of cases) {
    assert.equal(forkBelow(EPOCHS, epoch, position), fork, `${epoch}, ${position}: ${what}`);
  }
});

test('runs of numbers are what skips leave', () => {
  const { epochs } = new State();
  for (const epoch of EPOCHS) epochs.add(epoch);
  const runs = (first: number, last: number) =>
    epochs.runsOf(first, last).map((run) => [run.first, run.last]);
  assert.deepEqual(runs(1, 2e9), [
    [1, 5],
    [100, 120],
    [1e9, 2e9],
  ]);
  assert.deepEqual(runs(3, 4), [[3, 4]]);
  assert.deepEqual(runs(6, 99), []);
  assert.deepEqual(runs(50, 110), [[100, 110]]);
  assert.deepEqual(runs(2, 1), []);
  assert.deepEqual(
    [5, 6, 99, 100, 121, 1e9].map((orderId) => epochs.isLost(orderId)),
    [false, true, true, false, true, false],
  );
});
