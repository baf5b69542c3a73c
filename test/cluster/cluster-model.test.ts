/**
 * Nodes that lead and follow, over a database that fails in every way it can, in a time of its own, against the naive
 * model: what was confirmed to anybody is in the log for ever, in one order, and every node has taken a beginning of it.
 *
 * At random: nodes die, stand still and go on, lose their connections; commits wait, are confirmed, or are lost with a
 * primary after readers have seen them; answers get lost; the disk is full; two nodes want to lead at once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterClock } from '../../src/cluster/cluster-clock.ts';
import { LogFollower } from '../../src/cluster/log-follower.ts';
import { FencedError, LogWriter } from '../../src/cluster/log-writer.ts';
import type { Entry } from '../../src/cluster/shared-table.ts';
import { JournalFullError } from '../../src/engine/journal.ts';
import { LEASE_MS, Lease } from '../../src/threads/lease.ts';
import { isLongRun, type Random, randomFromEnvironment } from '../support/random.ts';
import { SimulatedDatabase, type SimulatedTable } from './simulated-table.ts';

const RUNS = isLongRun() ? 10_000 : 25;
const STEPS = 120;
const NODES = 3;

/** Timers that run when told to, in the order of their times. A node that stands still hears of them later. */
class SimulatedTime {
  nowMs = 1_000;
  #timers: { readonly atMs: number; readonly run: () => void; isOver: boolean }[] = [];

  later(run: () => void, ms: number): () => void {
    const timer = { atMs: this.nowMs + ms, run, isOver: false };
    this.#timers.push(timer);
    return () => {
      timer.isOver = true;
    };
  }

  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    for (;;) {
      await settled();
      this.#timers = this.#timers.filter(({ isOver }) => !isOver);
      const next = this.#timers.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.isOver = true;
      next.run();
    }
    this.nowMs = endMs;
  }
}

/** Whatever follows by itself has happened: it is promises all the way. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** What was confirmed to somebody, and what nodes answered from. */
class Model {
  readonly acknowledged: string[] = [];
  #nextText = 0;

  newText(): string {
    this.#nextText += 1;
    return `fact ${this.#nextText}`;
  }
}

/** One process: it follows, leads, and ends; another one with its folder takes its place. */
class Node {
  readonly #table: SimulatedTable;
  readonly #time: SimulatedTime;
  readonly #model: Model;
  readonly #database: SimulatedDatabase;
  readonly #abort = new AbortController();
  readonly taken: Entry[];
  readonly lease: Lease;
  writer: LogWriter | undefined;
  isOver = false;
  isStill = false;
  readonly #waiting: (() => void)[] = [];

  constructor(database: SimulatedDatabase, time: SimulatedTime, model: Model, taken: readonly Entry[]) {
    this.#database = database;
    this.#time = time;
    this.#model = model;
    this.#table = database.open();
    this.taken = [...taken];
    this.lease = new Lease(undefined, () => time.nowMs);
    void this.#run().catch((error: unknown) => {
      if (!this.isOver) throw error;
    });
  }

  get id(): number {
    return this.#table.node;
  }

  /** Whether it would answer a read. */
  get answers(): boolean {
    return !this.isOver && this.writer !== undefined && this.lease.isHeld;
  }

  /** A fact, of which somebody hears when it is confirmed. */
  sell(): void {
    const text = this.#model.newText();
    this.writer?.append('facts', Buffer.from(text)).then(
      () => {
        if (!this.isOver && !this.isStill) this.#model.acknowledged.push(text);
      },
      (error: Error) =>
        assert.ok(error instanceof FencedError || error instanceof JournalFullError, error.message),
    );
  }

  /** Nothing more of it is heard; what it had sent goes on. */
  kill(): void {
    this.isOver = true;
    this.#abort.abort();
    this.writer?.close();
    this.#database.cut(this.id, true);
  }

  standStill(): void {
    this.isStill = true;
  }

  goOn(): void {
    this.isStill = false;
    for (const run of this.#waiting.splice(0)) run();
  }

  get #clock(): ClusterClock {
    const { later } = this;
    return { nowMs: () => this.#time.nowMs, later };
  }

  readonly later = (run: () => void, ms: number): (() => void) => {
    return this.#time.later(() => {
      if (this.isOver) return;
      if (this.isStill) this.#waiting.push(run);
      else run();
    }, ms);
  };

  async #run(): Promise<void> {
    const last = this.taken.at(-1);
    const clock = this.#clock;
    const follower = new LogFollower({
      table: this.#table,
      from: { entry: last?.number ?? 0, term: last?.term ?? 0 },
      take: (entry) => {
        if (!this.isOver) this.taken.push(entry);
      },
      clock,
    });
    while (!this.isOver) {
      await follower.follow(this.#abort.signal);
      if (this.isOver) return;
      const begun = await follower.lead({ node: String(this.id), url: '' });
      if (begun === undefined || this.isOver) {
        await new Promise<void>((resolve) => this.later(resolve, 50));
        continue;
      }
      const { term, entry } = begun;
      const onFenced = () => this.kill();
      this.writer = new LogWriter({
        table: this.#table,
        term,
        begin: entry,
        lease: this.lease,
        clock,
        onFenced,
      });
      return;
    }
  }
}

async function run(random: Random): Promise<number> {
  const [database, time, model] = [new SimulatedDatabase(), new SimulatedTime(), new Model()];
  let nodes = Array.from({ length: NODES }, () => new Node(database, time, model, []));
  const replace = (node: Node) => new Node(database, time, model, node.taken);
  const actions: readonly (readonly [number, () => void])[] = [
    [30, () => nodes.find(({ writer, isOver }) => writer !== undefined && !isOver)?.sell()],
    [4, () => random.pick(nodes).kill()],
    [4, () => random.pick(nodes).standStill()],
    [4, () => database.breakConnections()],
    [3, () => database.cut(random.pick(nodes).id, true)],
    [6, () => (database.isHolding = !database.isHolding)],
    [6, () => database.confirmAll()],
    [2, () => database.loseUnconfirmed()],
    [2, () => (database.isFull = !database.isFull)],
  ];
  const total = actions.reduce((sum, [weight]) => sum + weight, 0);
  for (let step = 0; step < STEPS; step += 1) {
    let at = random.between(0, total - 1);
    for (const [weight, act] of actions) {
      if (at < weight) {
        act();
        break;
      }
      at -= weight;
    }
    await time.pass(random.pick([0, 5, 60, 700, 2_500]));
    check(database, nodes, model);
    if (!random.chance(0.2)) continue;
    nodes = nodes.map((node) => (node.isOver ? replace(node) : node));
    for (const node of nodes) {
      node.goOn();
      database.cut(node.id, false);
    }
  }
  // All is well again: somebody leads, and everybody has everything.
  Object.assign(database, { isHolding: false, isFull: false });
  database.confirmAll();
  nodes = nodes.map((node) => (node.isOver ? replace(node) : node));
  for (const node of nodes) {
    node.goOn();
    database.cut(node.id, false);
  }
  for (let tries = 0; tries < 20 && !nodes.some(({ answers }) => answers); tries += 1) {
    await time.pass(LEASE_MS);
    nodes = nodes.map((node) => (node.isOver ? replace(node) : node));
  }
  const leader = nodes.find(({ answers }) => answers);
  assert.ok(leader, 'nobody leads, though all is well');
  leader.sell();
  await time.pass(1_000);
  check(database, nodes, model);
  for (const node of nodes) {
    const isFollowing = node.writer === undefined && !node.isOver;
    if (isFollowing) assert.equal(node.taken.length, database.confirmed.length, `node ${node.id} lags`);
    node.kill();
  }
  await settled();
  return model.acknowledged.length;
}

function check(database: SimulatedDatabase, nodes: readonly Node[], { acknowledged }: Model): void {
  const { confirmed } = database;
  const facts = confirmed.filter(({ kind }) => kind === 'facts').map(({ bytes }) => bytes.toString());
  assert.equal(new Set(facts).size, facts.length, 'a fact is in the log twice');
  for (const text of acknowledged)
    assert.ok(facts.includes(text), `${text} was acknowledged and is not there`);
  const order = acknowledged.map((text) => facts.indexOf(text));
  assert.deepEqual(
    order,
    [...order].sort((a, b) => a - b),
    'facts are in another order than they were told',
  );
  for (const { id, taken } of nodes) {
    assert.deepEqual(taken, confirmed.slice(0, taken.length), `node ${id} has taken something else`);
  }
  const answering = nodes.filter(({ answers }) => answers);
  assert.ok(answering.length <= 1, 'two nodes answer');
}

test(`${RUNS} random histories of a cluster: what was confirmed stays, and one leads`, async (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  let acknowledged = 0;
  for (let count = 0; count < RUNS; count += 1) acknowledged += await run(random);
  t.diagnostic(`${acknowledged} facts were acknowledged`);
  assert.ok(acknowledged > RUNS, 'hardly anything was sold');
});
