/**
 * Pages of events over random facts, restores among them, folded anywhere: page by page each account reads exactly what its
 * facts give, whatever is in the checkpoint and what isn't yet.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ownEventsOf } from '../../src/engine/events/own-events.ts';
import { FIRST_EPOCH } from '../../src/engine/recovery/epochs.ts';
import { WEBHOOK_EVENTS, type WebhookEventType } from '../../src/engine/webhook.ts';
import type { EventSource } from '../../src/feed/account-events.ts';
import { BuyerEvents, type WantedEvents } from '../../src/feed/buyer-events.ts';
import { eventPage } from '../../src/feed/event-page.ts';
import type { EventPage, EventQuestion } from '../../src/feed/event-question.ts';
import { openLogReader } from '../../src/persistence/journal/open-log.ts';
import { eventBody, parseEventId } from '../../src/persistence/webhooks/event-body.ts';
import { eventNumber, eventTypeOf, placeOfEvent } from '../../src/persistence/webhooks/event-row.ts';
import type { ToldGroup } from '../../src/persistence/webhooks/groups/group-reader.ts';
import { ACCOUNTS, OrderScene } from '../http/operator/order-scene.ts';
import { randomFromEnvironment, roundsOr } from '../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const random = randomFromEnvironment();
const ROUNDS = roundsOr(60);
const KEPT_MS = 30 * 24 * 3_600_000;

/** Groups as a test gives them, and how far they have settled. */
interface Groups {
  readonly reader: NonNullable<EventSource['groups']>;
  readonly settled: number;
}

interface Told {
  readonly number: number;
  readonly position: number;
  readonly text: string;
}

describe(`pages of events (seed ${random.seed})`, () => {
  let folder: TemporaryFolder;
  let scene: OrderScene;
  before(async () => {
    folder = await createTemporaryFolder('event-page');
    scene = await OrderScene.open(folder.path, random);
  });
  after(async () => {
    await scene.close();
    await folder.remove();
  });

  /** All events of an account, as its facts say. */
  function eventsOf(accountId: number): Told[] {
    const { epochs } = scene.sources.engine.state;
    return scene.facts.flatMap((fact, index) => {
      const own = ownEventsOf(fact).filter((event) => event.accountId === accountId);
      return own.map(({ content }) => {
        const number = eventNumber(index + 1, content.type, epochs.at(index + 1));
        const body: object = JSON.parse(eventBody({ accountId, number, content }, () => []));
        const text = JSON.stringify({ ...body, createdAt: fact.atMs });
        return { number, position: index + 1, text };
      });
    });
  }

  /** What the main thread asks, answered as its thread does. */
  async function ask(wanted: WantedEvents, kept = 1, groups?: Groups) {
    const settled = groups?.settled ?? scene.facts.length;
    const { engine } = scene.sources;
    const log = openLogReader(folder.path);
    const source = {
      log,
      epochs: engine.state.epochs.list,
      store: scene.checkpoint,
      kept,
      groups: groups?.reader,
    };
    const answered = async (question: () => EventQuestion) => eventPage(source, question());
    const events = new BuyerEvents({
      engine,
      checkpointer: { position: scene.checkpoint.list.position },
      feed: { position: scene.facts.length, events: answered },
      groups: {
        settled,
        groupsAt: 0,
        settle: () => {},
        watch: () => assert.fail(),
      },
      clock: () => KEPT_MS,
    });
    const answer = await events.page(wanted);
    await log.close();
    return answer;
  }

  async function pageOf(wanted: WantedEvents): Promise<EventPage> {
    const answer = await ask(wanted);
    return typeof answer === 'string' ? assert.fail(`${answer} after ${wanted.after}`) : answer;
  }

  async function readAll(accountId: number, from: number, types?: readonly WebhookEventType[]) {
    const texts: string[] = [];
    let last = from;
    for (;;) {
      const limit = random.between(1, 40);
      const page = await pageOf({ accountId, after: last, types, limit });
      assert.ok(page.events.length <= limit);
      texts.push(...page.events);
      assert.ok(page.last >= last, 'it goes on');
      last = page.last;
      if (!page.hasMore) return { texts, last };
    }
  }

  test('each account reads what its facts give, wherever folds stop', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let count = random.between(0, 60); count > 0; count -= 1) scene.happen();
      await scene.write();
      if (random.chance(0.3)) {
        await scene.fold();
        // Some read between a fold and the moment when memory forgets.
        if (random.chance(0.5)) scene.forget();
        else {
          await readsAll();
          scene.forget();
        }
      }
      if (random.chance(0.1)) await scene.restart();
      await readsAll();
    }
    assert.ok(scene.sources.engine.state.epochs.list.length > 0 || ROUNDS < 60, 'there were restores');
  });

  async function readsAll(): Promise<void> {
    const accountId = random.between(1, ACCOUNTS);
    const events = eventsOf(accountId);
    const place = random.chance(0.3) ? -1 : random.between(0, events.length - 1);
    const from = events[place]?.number ?? 0;
    const types = random.chance(0.5) ? undefined : random.sample(WEBHOOK_EVENTS, random.between(1, 3));
    const behind = events.filter(({ number }) => number > from);
    const wanted = behind.filter(({ number }) => types?.includes(eventTypeOf(number)) ?? true);
    const { texts, last } = await readAll(accountId, from, types);
    assert.deepEqual(
      texts,
      wanted.map(({ text }) => text),
    );
    assert.equal(last, events.at(-1)?.number ?? 0, 'the last one that it has, whatever its type');
    const latest = await pageOf({ accountId, after: 'latest', types, limit: 10 });
    assert.deepEqual([latest.events, latest.last, latest.hasMore], [[], last, false]);
  }

  test('an event that was never given is none to go on from', async () => {
    const accountId = 1;
    const events = eventsOf(accountId);
    const numbers = new Set(events.map(({ number }) => number));
    const { epochs } = scene.sources.engine.state;
    const { number } = events.at(-1) ?? assert.fail('it has none');
    const later = eventNumber(scene.facts.length + 1, 'order.completed', epochs.current);
    for (const forged of [
      number + 1,
      number - 1,
      later,
      later + 2 ** 44,
      1,
      ...Array.from({ length: 50 }, () => random.between(1, later)),
    ]) {
      if (numbers.has(forged)) continue;
      const answer = await ask({ accountId, after: forged, types: undefined, limit: 1 });
      assert.equal(typeof answer, 'string', `after ${forged}`);
    }
    assert.equal(await ask({ accountId, after: later, types: undefined, limit: 1 }), 'unknown');
    const others = eventsOf(2)
      .filter((event) => !numbers.has(event.number))
      .at(-1);
    const after = others?.number ?? assert.fail('it has none');
    assert.equal(await ask({ accountId, after, types: undefined, limit: 1 }), 'unknown', "another's");
  });

  test('what a restore took back is gone', async () => {
    while (scene.sources.engine.state.epochs.list.length === 0) scene.happen();
    await scene.write();
    const { list } = scene.sources.engine.state.epochs;
    const [first] = list;
    const beyond = eventNumber((first?.position ?? 0) + 1, 'order.completed', FIRST_EPOCH);
    assert.equal(await ask({ accountId: 1, after: beyond, types: undefined, limit: 1 }), 'gone');
  });

  test('what is too old is passed over, and gone for whoever has not read up to there', async () => {
    const accountId = 1;
    const events = eventsOf(accountId);
    const middle = Math.floor(events.length / 2);
    const [before, at] = [events[middle - 1], events[middle]];
    if (before === undefined || at === undefined) return assert.fail('it has too few');
    const kept = before.position + 1;
    const all = { accountId, types: undefined, limit: 1 };
    assert.deepEqual((await ask({ ...all, after: 0 }, kept)) as EventPage, {
      ...{ events: [at.text], last: at.number, hasMore: true, through: scene.facts.length },
    });
    assert.equal(await ask({ ...all, after: events[middle - 2]?.number ?? 0 }, kept), 'gone');
    const page = (await ask({ ...all, after: before.number }, kept)) as EventPage;
    assert.deepEqual(page.events, [at.text], 'nothing behind it is missing');
    const none = (await ask({ ...all, after: 0 }, scene.facts.length + 1)) as EventPage;
    assert.deepEqual(
      [none.events, none.last],
      [[], events.at(-1)?.number],
      'where to go on is known all the same',
    );
  });

  test('groups come between own events by their numbers, as far as they have settled', async () => {
    const accountId = 1;
    const { epochs } = scene.sources.engine.state;
    const at = (position: number): ToldGroup => ({
      number: eventNumber(position, random.pick(['catalog.updated', 'stock.changed']), epochs.at(position)),
      type: 'stock.changed',
      productIds: random.chance(0.2) ? [] : [random.between(1, 9), 7],
      createdAtMs: position,
    });
    const positions = Array.from({ length: scene.facts.length }, (_, index) => index + 1);
    const groups = positions
      .filter(() => random.chance(0.2))
      .map(at)
      .map((group) => ({ ...group, type: eventTypeOf(group.number) as ToldGroup['type'] }));
    const told = groups.filter(({ productIds }) => productIds.length > 0);
    const reader = {
      goneBelow: 0,
      behind: (_: number, number: number) => groups.filter((group) => group.number > number).values(),
      told: (_: number, number: number) => groups.find((group) => group.number === number),
      newest: (_: number, number: number) => told.findLast((group) => group.number <= number),
    };
    const settled = random.between(Math.floor(scene.facts.length / 2), scene.facts.length);
    const numbers = [...eventsOf(accountId), ...told]
      .map(({ number }) => number)
      .filter((number) => placeOfEvent(number).position <= settled)
      .sort((one, other) => one - other);
    const read: number[] = [];
    for (let after = 0, more = true; more; ) {
      const wanted = { accountId, after, types: undefined, limit: random.between(1, 30) };
      const page = (await ask(wanted, 1, { reader, settled })) as EventPage;
      for (const text of page.events) read.push(parseEventId(JSON.parse(text).eventId)?.number ?? 0);
      [after, more] = [page.last, page.hasMore];
    }
    assert.deepEqual(read, numbers);
    const latest = { accountId, after: 'latest', types: undefined, limit: 1 } as const;
    assert.equal(((await ask(latest, 1, { reader, settled })) as EventPage).last, numbers.at(-1));
    const [group, hidden] = [told.at(-1), groups.find(({ productIds }) => productIds.length === 0)];
    const behind = (number = 0, goneBelow = 0) => {
      const wanted = { accountId, after: number, types: undefined, limit: 1 };
      return ask(wanted, 1, { reader: { ...reader, goneBelow }, settled: scene.facts.length });
    };
    assert.equal(typeof (await behind(group?.number)), 'object');
    assert.equal(await behind(hidden?.number), 'unknown', 'the account was not told of it');
    assert.equal(await behind(group?.number, (group?.number ?? 0) + 2), 'gone');
    assert.equal(typeof (await behind(group?.number, (group?.number ?? 0) + 1)), 'object');
  });
});
