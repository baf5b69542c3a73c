/**
 * One random history of a cluster after the other, in a thread of its own: the test runner watches every promise, which
 * takes three times as long as the history. `histories.ts` says what is proved.
 */
import assert from 'node:assert/strict';
import { parentPort, workerData } from 'node:worker_threads';
import { LEASE_MS } from '../../src/threads/lease.ts';
import { Random } from '../support/random.ts';
import { SimulatedNode, SimulatedTime, settled } from './simulated-node.ts';
import { SimulatedDatabase } from './simulated-table.ts';

/** The histories that the thread is to run. */
export interface Histories {
  /** The seed of the first one; the next ones have the next numbers. */
  readonly seed: number;
  readonly count: number;
}

const STEPS = 120;
const NODES = 3;

interface Told {
  readonly text: string;
  /** How many others had been told when it was sold. */
  readonly heard: number;
}

/** Some nodes and their database, and what must be true of them. */
class Cluster {
  readonly random: Random;
  readonly database = new SimulatedDatabase();
  readonly time = new SimulatedTime(() => this.#expectOneLeader());
  nodes: SimulatedNode[];
  /** Confirmations that somebody heard, as he heard them. */
  readonly #acknowledged: Told[] = [];
  #sold = 0;
  /** Where facts are in the log, of what was looked at. */
  readonly #places = new Map<string, number>();
  #seenEntries = 0;
  /** The last place of all that was heard up to each entry. */
  readonly #lastPlaces = [0];
  readonly #seenTaken = new WeakMap<SimulatedNode, number>();

  constructor(random: Random) {
    this.random = random;
    this.nodes = Array.from({ length: NODES }, () => this.newNode());
  }

  newNode(): SimulatedNode {
    return new SimulatedNode(this);
  }

  get acknowledged(): number {
    return this.#acknowledged.length;
  }

  get leader(): SimulatedNode | undefined {
    return this.nodes.find(({ answers }) => answers);
  }

  sell(node = this.nodes.find(({ writer, isOver }) => writer !== undefined && !isOver)): void {
    this.#sold += 1;
    const [text, heard] = [`fact ${this.#sold}`, this.#acknowledged.length];
    node?.sell(text, () => this.#acknowledged.push({ text, heard }));
  }

  /** Does one of the things that happen. */
  act(): void {
    const { database, nodes, random } = this;
    const actions: readonly (readonly [number, () => void])[] = [
      [30, () => this.sell()],
      [4, () => random.pick(nodes).kill()],
      [4, () => random.pick(nodes).standStill()],
      [1, () => void this.leader?.handOver()],
      [4, () => database.breakConnections()],
      [3, () => database.cut(random.pick(nodes).id, true)],
      [6, () => (database.isHolding = !database.isHolding)],
      [6, () => database.confirmAll()],
      [2, () => database.loseUnconfirmed()],
      [2, () => (database.isFull = !database.isFull)],
    ];
    let at = random.between(0, actions.reduce((sum, [weight]) => sum + weight, 0) - 1);
    for (const [weight, act] of actions) {
      if (at < weight) return act();
      at -= weight;
    }
  }

  /** Whoever is over is started again, with its folder. */
  restart(): void {
    this.nodes = this.nodes.map((node) => (node.isOver ? new SimulatedNode(this, node.taken) : node));
  }

  /** Nodes run, and reach their database. */
  mend(): void {
    this.restart();
    for (const node of this.nodes) {
      node.goOn();
      this.database.cut(node.id, false);
    }
  }

  async untilSomebodyLeads(): Promise<SimulatedNode> {
    for (let tries = 0; tries < 20 && this.leader === undefined; tries += 1) {
      await this.time.pass(LEASE_MS);
      this.restart();
    }
    assert.ok(this.leader, 'nobody leads, though all is well');
    return this.leader;
  }

  /** Asserts that what is new since the last look fits what was there. */
  check(): void {
    const { entries, confirmedCount } = this.database;
    for (; this.#seenEntries < confirmedCount; this.#seenEntries += 1) {
      const entry = entries[this.#seenEntries];
      if (entry?.kind !== 'facts') continue;
      const text = entry.bytes.toString();
      assert.ok(!this.#places.has(text), `${text} is in the log twice`);
      this.#places.set(text, entry.number);
    }
    for (const { text, heard } of this.#acknowledged.slice(this.#lastPlaces.length - 1)) {
      const place = this.#places.get(text);
      assert.ok(place !== undefined, `${text} was acknowledged and is not there`);
      assert.ok(
        place > (this.#lastPlaces[heard] ?? 0),
        `${text} lies before what was known when it was sold`,
      );
      this.#lastPlaces.push(Math.max(place, this.#lastPlaces.at(-1) ?? 0));
    }
    for (const node of this.nodes) {
      const { id, taken } = node;
      assert.ok(taken.length <= confirmedCount, `node ${id} has taken what is not confirmed`);
      for (let place = this.#seenTaken.get(node) ?? 0; place < taken.length; place += 1)
        assert.equal(taken[place], entries[place], `node ${id} has taken something else`);
      this.#seenTaken.set(node, taken.length);
    }
  }

  /** Nothing comes of it any more. */
  async end(): Promise<void> {
    for (const node of this.nodes) node.kill();
    await settled();
  }

  #expectOneLeader(): void {
    assert.ok(this.nodes.filter(({ answers }) => answers).length <= 1, 'two nodes answer');
  }
}

async function run(random: Random): Promise<number> {
  const cluster = new Cluster(random);
  const { database, time } = cluster;
  for (let step = 0; step < STEPS; step += 1) {
    cluster.act();
    await time.pass(random.pick([0, 5, 60, 700, 2_500]));
    cluster.check();
    if (random.chance(0.2)) cluster.mend();
  }
  // All is well again: somebody leads, and everybody has everything.
  Object.assign(database, { isHolding: false, isFull: false });
  database.confirmAll();
  cluster.mend();
  cluster.sell(await cluster.untilSomebodyLeads());
  await time.pass(1_000);
  cluster.check();
  for (const { id, taken, writer } of cluster.nodes)
    if (writer === undefined) assert.equal(taken.length, database.confirmedCount, `node ${id} lags`);
  const { acknowledged } = cluster;
  await breakWord(cluster, random);
  await cluster.end();
  return acknowledged;
}

/** A stale server becomes the primary: who has taken what it lacks goes no further, whatever is written there since. */
async function breakWord(cluster: Cluster, random: Random): Promise<void> {
  const { database, time, nodes } = cluster;
  const all = database.confirmedCount;
  const { term } = database.confirmed.at(-1) ?? {};
  // Where the beginning of a term is lost, the next one may have its number: then the chain of the journal tells.
  const ofTerm = database.confirmed.filter((entry) => entry.term === term).length;
  if (ofTerm === 1) return;
  database.loseConfirmed(random.between(1, Math.min(5, ofTerm - 1)));
  const left = database.confirmedCount;
  const before = new Map(nodes.map((node) => [node, [...node.taken]]));
  for (const node of nodes) if (random.chance(0.7)) node.standStill();
  const stranger = cluster.newNode();
  cluster.nodes = [stranger];
  for (let tries = 0; tries < 5 && stranger.writer === undefined; tries += 1) await time.pass(LEASE_MS);
  assert.ok(stranger.writer, 'a node that has taken nothing of what is lost leads');
  for (let count = random.between(0, 8); count > 0; count -= 1) stranger.sell('something else', () => {});
  await time.pass(1_000);
  for (const node of nodes) node.goOn();
  await time.pass(5_000);
  // What a leader has written is not in its folder here.
  for (const node of nodes.filter(({ taken }) => taken.length > left)) {
    const last = node.isOver ? new SimulatedNode(cluster, node.taken) : node;
    await time.pass(1_000);
    assert.ok(last.lost, `node ${node.id} has ${node.taken.length} entries of ${all}, and goes on`);
    assert.deepEqual(node.taken, before.get(node), `node ${node.id} has taken entries of another history`);
  }
}

const { seed, count } = workerData as Histories;
let acknowledged = 0;
for (let history = 0; history < count; history += 1) {
  try {
    acknowledged += await run(new Random(seed + history));
  } catch (error) {
    throw new Error(`the history of PURSER_TEST_SEED=${seed + history}: ${(error as Error).stack}`);
  }
}
parentPort?.postMessage(acknowledged);
