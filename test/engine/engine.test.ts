/**
 * The release gate: nothing leaves before the facts it rests on are durable; a journal that fails; and when a group is
 * written. Full disks and keys that are replaced are the simulation's.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply } from '../../src/engine/apply/apply.ts';
import type { PurchaseResult } from '../../src/engine/decide/command.ts';
import { noHistory } from '../../src/engine/decide/history.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { MAX_FACTS_PER_GROUP } from '../../src/engine/limits.ts';
import { Engine } from '../../src/engine/loop/engine.ts';
import type { EngineOptions } from '../../src/engine/loop/engine-options.ts';
import { type Journal, JournalFullError } from '../../src/engine/loop/journal.ts';
import { codeOf, NOW_MS, placeOrder, worldState } from './commands.ts';

const WORLD = { accounts: 3, products: 2, balanceMicros: 10_000_000_000, stock: 5_000 };

/** A journal that the test settles by hand. */
class HeldJournal implements Journal {
  readonly groups: (readonly Fact[])[] = [];
  #settle: { resolve: () => void; reject: (error: unknown) => void } | undefined;

  append(_firstSequence: number, facts: readonly Fact[]): Promise<void> {
    assert.equal(this.#settle, undefined, 'at most one group is under way');
    this.groups.push(facts);
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  async land(): Promise<void> {
    this.#settle?.resolve();
    this.#settle = undefined;
    await turns();
  }

  async fail(error: unknown): Promise<void> {
    this.#settle?.reject(error);
    this.#settle = undefined;
    await turns();
  }
}

async function turns(): Promise<void> {
  for (let count = 0; count < 5; count += 1) await new Promise(setImmediate);
}

function engineWith(journal: Journal, later?: EngineOptions['later']) {
  const faults: unknown[] = [];
  const engine = new Engine({
    state: worldState(WORLD),
    history: noHistory,
    journal,
    clock: () => NOW_MS,
    defer: setImmediate,
    ...(later === undefined ? {} : { later }),
    rebuild: () => worldState(WORLD),
    roomAgain: async () => {},
    onFatal: (error) => faults.push(error),
    onFault: (error) => faults.push(error),
  });
  return { engine, faults };
}

function buy(engine: Engine, idempotencyKey: string, accountId = 1): unknown[] {
  const answers: unknown[] = [];
  engine.submit(placeOrder({ idempotencyKey, accountId }), (answer) => answers.push(answer));
  return answers;
}

function codes(answers: unknown[]): string[] {
  return answers.map(codeOf);
}

test('a purchase, its replay, a read and a refusal all wait for the group they rest on', async () => {
  const journal = new HeldJournal();
  const { engine } = engineWith(journal);
  const first = buy(engine, 'a');
  await turns();
  const replay = buy(engine, 'a');
  const outOfStock: unknown[] = [];
  const tooMany = placeOrder({ idempotencyKey: 'b', quantity: 9_999, expectedPriceUsdt: 19_998 });
  engine.submit(tooMany, (answer) => outOfStock.push(answer));
  const reads: boolean[] = [];
  engine.whenDurable((durable) => reads.push(durable));
  await turns();
  assert.deepEqual([first, replay, outOfStock, reads], [[], [], [], []]);
  await journal.land();
  assert.deepEqual(codes([...first, ...replay, ...outOfStock]), ['done', 'done', 'OUT_OF_STOCK']);
  assert.deepEqual(reads, [true]);
  assert.equal(journal.groups.length, 1, 'replays and unstored refusals write nothing');
});

test('a group has a bound, and nothing is lost beyond it', async () => {
  const journal = new HeldJournal();
  const { engine } = engineWith(journal);
  const answers = Array.from({ length: MAX_FACTS_PER_GROUP + 10 }, (_, index) => buy(engine, `k${index}`));
  await turns();
  assert.equal(journal.groups[0]?.length, MAX_FACTS_PER_GROUP);
  await journal.land();
  await journal.land();
  assert.deepEqual(new Set(codes(answers.flat())), new Set(['done']));
  assert.equal(answers.flat().length, MAX_FACTS_PER_GROUP + 10);
});

test('any other failure of the journal is fatal and answers nobody', async () => {
  const journal = new HeldJournal();
  const { engine, faults } = engineWith(journal);
  const answers = buy(engine, 'a');
  await turns();
  const failure = new Error('the disk is on fire');
  await journal.fail(failure);
  assert.deepEqual(faults, [failure]);
  assert.deepEqual(answers, []);
});

test('a cut waits for the groups under way and forgets no more than was cut', async () => {
  const journal = new HeldJournal();
  const { engine } = engineWith(journal);
  buy(engine, 'before');
  await turns();
  const cuts: number[] = [];
  const { position } = engine.state;
  engine.cut((through) => cuts.push(through));
  buy(engine, 'after');
  await turns();
  assert.deepEqual(cuts, []);
  await journal.land();
  assert.deepEqual(cuts, [position]);
  engine.forget();
  assert.equal(engine.state.orders.get(1), undefined);
  assert.equal(engine.state.orders.get(2)?.idempotencyKey, 'after');
  await journal.land();
});

test('an answer that cannot be given does not keep the others of its group', async () => {
  const journal = new HeldJournal();
  const { engine, faults } = engineWith(journal);
  const failure = new Error('no such socket');
  engine.submit(placeOrder({ idempotencyKey: 'a' }), () => {
    throw failure;
  });
  const other = buy(engine, 'b');
  await turns();
  await journal.land();
  assert.deepEqual(codes(other), ['done']);
  assert.deepEqual(faults, [failure]);
});

test('a small group waits for those who usually come with it, and not for longer than it may', async () => {
  const journal = new HeldJournal();
  const waits: { end: () => void; delayMs: number }[] = [];
  const { engine } = engineWith(journal, (end, delayMs) => waits.push({ end, delayMs }));
  let key = 0;
  const buyers = async (count: number) => {
    for (let buyer = 0; buyer < count; buyer += 1) {
      key += 1;
      buy(engine, `key ${key}`);
    }
    await turns();
  };
  const written = () => journal.groups.map((facts) => facts.length);

  await buyers(1);
  assert.deepEqual(written(), [1], 'who is alone is not kept waiting');
  await journal.land();
  for (let round = 0; round < 50; round += 1) {
    await buyers(4);
    await journal.land();
  }
  journal.groups.length = 0;
  assert.equal(waits.length, 0);

  await buyers(1);
  assert.deepEqual(written(), [], 'three others are expected');
  await buyers(3);
  assert.deepEqual(written(), [4], 'and when they have come, nobody is');
  await journal.land();

  await buyers(2);
  assert.deepEqual(written(), [4]);
  assert.equal(waits.at(-1)?.delayMs, 1);
  for (const { end } of waits) end();
  assert.deepEqual(written(), [4, 2], 'they did not come in time; the wait for the group before is over');
  await journal.land();
  assert.equal(waits.length, 2);
});

test('facts that were decided elsewhere are durable at once, are told in groups, and are cut like own ones', async () => {
  const journal = new HeldJournal();
  const leader = engineWith(journal);
  const told: [number, number][] = [];
  const follower = new Engine({
    state: worldState(WORLD),
    history: noHistory,
    journal: new HeldJournal(),
    clock: () => NOW_MS,
    defer: setImmediate,
    rebuild: () => worldState(WORLD),
    roomAgain: async () => {},
    onDurable: (position, facts) => told.push([position, facts.length]),
    onFatal: (error) => {
      throw error;
    },
    onFault: () => {},
    maxRecentOutcomes: 2,
  });
  const before = follower.durablePosition;
  leader.engine.submit(placeOrder({ idempotencyKey: 'a' }), () => {});
  leader.engine.submit(placeOrder({ idempotencyKey: 'b' }), () => {});
  await turns();
  const [facts = []] = journal.groups;
  assert.equal(facts.length, 2);
  follower.follow(facts);
  assert.deepEqual(told, [[before + 2, 2]]);
  assert.equal(follower.durablePosition, before + 2);
  assert.equal(follower.state.orderCount, leader.engine.state.orderCount);
  assert.deepEqual(follower.counters, { groups: 1, facts: 2, full: 0 });
  assert.equal(follower.acceptsCommands, false, 'who has more waits for the checkpoint');
  const cut = await new Promise((resolve) => follower.cut(resolve));
  assert.equal(cut, before + 2);
  follower.forget();
  follower.submit(placeOrder({ idempotencyKey: 'c' }), () => {});
  assert.throws(() => follower.follow(facts), /follows nobody/);
});

test('a full disk refuses what is new, and says again what a key led to', async () => {
  const journal = new HeldJournal();
  const durable: Fact[] = [];
  const rebuild = () => {
    const state = worldState(WORLD);
    for (const fact of durable) apply(state, fact);
    return state;
  };
  const engine = new Engine({
    state: rebuild(),
    history: noHistory,
    journal,
    clock: () => NOW_MS,
    defer: setImmediate,
    rebuild,
    roomAgain: () => new Promise(() => {}),
    onFatal: (error) => assert.fail(String(error)),
    onFault: (error) => assert.fail(String(error)),
  });
  const answers: unknown[] = [];
  const order = (idempotencyKey: string) =>
    engine.submit(placeOrder({ idempotencyKey }), (answer) => answers.push(answer));
  order('known');
  await turns();
  durable.push(...(journal.groups[0] ?? []));
  await journal.land();
  order('lost');
  await turns();
  await journal.fail(new JournalFullError());
  assert.equal(engine.isFull, true);
  order('known');
  order('lost');
  const [first, lost, known, again] = answers as PurchaseResult[];
  assert.deepEqual([lost, again].map(codeOf), ['INTERNAL_ERROR', 'INTERNAL_ERROR']);
  assert.equal(known?.replayed, true);
  assert.equal(known?.order.orderId, first?.order.orderId);
  assert.equal(journal.groups.length, 2, 'nothing more was written');
});
