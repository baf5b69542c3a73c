/** Requests that wait: woken by a durable fact of their account, or by a group, and by nothing else. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { RecentEvents } from '../../src/engine/recent/recent-events.ts';
import { EventWaits } from '../../src/feed/event-waits.ts';
import { placed } from '../webhooks/outbox/shop-facts.ts';

const LONG_MS = 60_000;
const [BUYER, OTHER] = [1, 2];

let events: RecentEvents;
let position: number;
let feed: { position: number };
let groups: { settled: number; groupsAt: number; settle: () => void; watch: (isWatched: boolean) => void };
let watched: boolean[];
let waits: EventWaits;
let woken: string[];

describe('waits for events', () => {
  beforeEach(() => {
    events = new RecentEvents();
    position = 0;
    feed = { position: 0 };
    watched = [];
    woken = [];
    groups = { settled: 0, groupsAt: 0, settle: () => {}, watch: (isWatched) => watched.push(isWatched) };
    waits = new EventWaits({ engine: { state: { events } as never }, feed, groups });
  });

  function happen(accountId: number): void {
    position += 1;
    events.take(placed(position, { accountId }), position);
  }

  function durable(): void {
    feed.position = position;
    waits.advance(position);
  }

  function settle(groupsAt = groups.groupsAt): void {
    Object.assign(groups, { settled: position, groupsAt });
    waits.settled();
  }

  /** Ends with what it is told. */
  function wait(name: string, accountId: number, wantsGroups: boolean, mostMs = LONG_MS): Promise<boolean> {
    return new Promise((resolve) => {
      const { position: through } = feed;
      waits.wait(accountId, wantsGroups, {
        through,
        mostMs,
        told: (hasCome) => {
          woken.push(name);
          resolve(hasCome);
        },
      });
    });
  }

  test('a fact wakes the readers of its account once it is durable, and no others', async () => {
    const own = wait('own', BUYER, false);
    const other = wait('other', OTHER, false);
    happen(BUYER);
    assert.equal(waits.count, 2);
    happen(BUYER);
    durable();
    assert.equal(await own, true);
    assert.deepEqual([woken, waits.count], [['own'], 1]);
    happen(OTHER);
    durable();
    assert.equal(await other, true);
  });

  test('a fact that isn’t durable wakes nobody', async () => {
    const own = wait('own', BUYER, false, 60);
    happen(BUYER);
    // Others' facts are durable before.
    waits.advance(0);
    assert.equal(await own, false);
  });

  test('a fact that has become durable since the page was made is not waited for', async () => {
    happen(BUYER);
    durable();
    feed.position = 0;
    assert.equal(await wait('own', BUYER, false), true);
  });

  test('who wants groups waits until they have settled, and is woken by any that comes', async () => {
    const all = wait('all', BUYER, true);
    const quiet = wait('quiet', OTHER, true);
    assert.deepEqual(watched, [true]);
    happen(BUYER);
    durable();
    const own = wait('own', BUYER, false);
    happen(BUYER);
    durable();
    assert.equal(await own, true);
    assert.deepEqual(woken, ['own'], 'groups have not settled');
    settle();
    assert.equal(await all, true);
    assert.deepEqual(watched, [true]);
    settle(position);
    happen(OTHER);
    settle(position);
    assert.equal(await quiet, true);
    assert.deepEqual(watched, [true, false]);
  });

  test('a wait that is over says so, and one that was ended says nothing', async () => {
    const end = waits.wait(BUYER, false, { through: 0, mostMs: LONG_MS, told: () => woken.push('ended') });
    end();
    assert.equal(await wait('over', BUYER, false, 1), false);
    assert.deepEqual([woken, waits.count], [['over'], 0]);
  });

  test('when the node stops all are answered, and nobody waits any more', async () => {
    const both = [wait('own', BUYER, false), wait('all', BUYER, true)];
    waits.stop();
    assert.deepEqual(await Promise.all(both), [true, true]);
    assert.equal(await wait('late', BUYER, false), false);
  });
});
