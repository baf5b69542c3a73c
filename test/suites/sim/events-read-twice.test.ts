/**
 * One log gives the same events always: their ids, what they say, and their order, however it is read. A live node
 * reads it in pieces, with pauses, on a disk that is slow at times, while the wall clock jumps and the window of groups
 * is changed, and through crashes after which it goes on from an older delivery progress. Afterwards the whole log is
 * read at once, from no progress at all, and gives what the live node had, and all that it ever sent.
 * `PURSER_TEST_SEED` repeats the choices.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '../../../src/engine/fact.ts';
import { NO_ITEM } from '../../../src/engine/orders.ts';
import { eventBody, eventIdOf } from '../../../src/persistence/webhooks/event-body.ts';
import { GroupReader, type ToldGroup } from '../../../src/persistence/webhooks/groups/group-reader.ts';
import { Random, randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { OutboxScene, type Sent } from '../../webhooks/outbox/outbox-scene.ts';
import {
  account,
  placed,
  productUpdated,
  START_MS,
  stockAdded,
  webhookRemoved,
  webhookSet,
} from '../../webhooks/outbox/shop-facts.ts';

const PASSES = roundsOr(100);
const STEPS = 40;
const ACCOUNTS = [1, 2, 3];
const WITHOUT = 4;
const WINDOWS_MS = [0, 20, 500, 1_000, 3_000];
/** Longer than any of them. */
const QUIET_MS = 5_000;
const PAUSES_MS = [1, 10, 100, 400, 1_000, QUIET_MS];
/** Between a fact's time and the moment at which it is durable. */
const SYNCS_MS = [0, 0, 0, 300, 2_000];
const AT_ONCE = 10_000;

/** Events by id: body, and time when each came up. */
type Events = ReadonlyMap<string, { readonly body: string; readonly createdAtMs: number }>;

/** How many facts a pass reads. */
class Pieces {
  facts = AT_ONCE;
  readonly mayBegin = true;
  begun(): void {}
}

test(`a log that is read twice, ${PASSES} times`, async (t) => {
  const { seed } = randomFromEnvironment();
  t.diagnostic(`seed ${seed}`);
  let events = 0;
  let groups = 0;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const random = new Random(seed + pass);
    const pieces = new Pieces();
    const windowMs = random.pick(WINDOWS_MS);
    const scene = await OutboxScene.open({ windowMs, places: random.between(1, 8), pace: pieces });
    try {
      const nothing = scene.keepProgress();
      await live(random, scene, pieces);
      const sent = scene.sent.splice(0);
      const had = ACCOUNTS.map((accountId) => eventsOf(scene, accountId));
      const hadGroups = groupsOf(scene);
      await scene.restart(nothing);
      pieces.facts = AT_ONCE;
      await scene.pass(QUIET_MS);
      assert.deepEqual(hadGroups, groupsOf(scene), `seed ${seed + pass}`);
      for (const [index, accountId] of ACCOUNTS.entries()) {
        const read = eventsOf(scene, accountId);
        assert.deepEqual([...(had[index] ?? [])], [...read], `seed ${seed + pass}, account ${accountId}`);
        expectSent(
          sent.filter((one) => one.accountId === accountId),
          read,
        );
        events += read.size;
        for (const { body } of read.values()) groups += Number(body.includes('productIds'));
      }
    } finally {
      await scene.close();
    }
  }
  t.diagnostic(`${events} events, of which ${groups} are groups: all the same`);
});

/** Asserts that an event that is sent again is the same, and that first attempts are in order. */
function expectSent(sent: readonly Sent[], read: Events): void {
  for (const { eventId, body } of sent) assert.equal(body, read.get(eventId)?.body);
  const firsts = [...new Set(sent.map(({ eventId }) => eventId))];
  const order = [...read.keys()].filter((eventId) => firsts.includes(eventId));
  assert.deepEqual(firsts, order);
}

async function live(random: Random, scene: OutboxScene, pieces: Pieces): Promise<void> {
  const older: string[] = [];
  let orders = 0;
  let syncMs = 0;
  const fact = (): Fact => {
    const atMs = scene.wallMs - syncMs;
    const accountId = random.pick(ACCOUNTS);
    if (random.chance(0.03)) return { ...webhookRemoved(accountId), atMs };
    if (random.chance(0.06)) return { ...webhookSet(accountId), atMs };
    if (random.chance(0.4)) return stockAdded(random.between(1, 20), atMs);
    if (random.chance(0.4)) {
      return productUpdated(random.between(1, 20), { priceMicros: random.between(1, 3) }, atMs);
    }
    orders += 1;
    return placed(orders, { accountId, firstItem: random.pick([0, NO_ITEM]) }, atMs);
  };
  await scene.happen(...ACCOUNTS.flatMap((id) => [account(id, random.between(1, 4)), webhookSet(id)]));
  for (let step = 0; step < STEPS; step += 1) {
    pieces.facts = random.pick([1, 2, 5, AT_ONCE]);
    syncMs = random.pick(SYNCS_MS);
    await scene.append(Array.from({ length: random.between(1, 4) }, fact));
    if (random.chance(0.7)) scene.outbox.pass();
    if (random.chance(0.2)) older.push(scene.keepProgress());
    if (random.chance(0.6)) await scene.pass(random.pick(PAUSES_MS));
    if (random.chance(0.05)) scene.wallOffsetMs += random.between(-QUIET_MS, QUIET_MS);
    if (random.chance(0.05)) scene.windowMs = random.pick(WINDOWS_MS);
    if (random.chance(0.1)) await scene.restart();
    if (random.chance(0.1) && older.length > 0) await scene.restart(random.pick(older));
  }
  await scene.pass(QUIET_MS);
  for (const accountId of ACCOUNTS) {
    const history = await scene.history(accountId, AT_ONCE);
    assert.ok(
      history.every(({ status }) => status === 'delivered' || status === 'cancelled'),
      'nothing is left behind',
    );
  }
}

/** The groups that an account is told that never had a webhook. */
function groupsOf(scene: OutboxScene): ToldGroup[] {
  return [...new GroupReader(scene.store).behind(WITHOUT, 0)];
}

/** In the order of their numbers. */
function eventsOf(scene: OutboxScene, accountId: number): Events {
  const groups = new GroupReader(scene.store);
  const productsOf = ({ number }: { readonly number: number }) =>
    groups.told(accountId, number)?.productIds ?? [];
  return new Map(
    Array.from(scene.store.events(accountId, 0), (event) => [
      eventIdOf(event),
      { body: eventBody(event, productsOf), createdAtMs: event.createdAtMs - START_MS },
    ]),
  );
}
