/** Nodes that do nothing but follow and lead the log in PostgreSQL, under load: what `postgres-faults.test.ts` hurts. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { realClock } from '../../../src/cluster/cluster-clock.ts';
import { LogFollower, LostLogError } from '../../../src/cluster/log-follower.ts';
import { LogWriter } from '../../../src/cluster/log-writer.ts';
import { PostgresTable } from '../../../src/cluster/postgres/postgres-table.ts';
import { parseLogUrl } from '../../../src/cluster/postgres/postgres-url.ts';
import type { Entry } from '../../../src/cluster/shared-table.ts';
import { Lease } from '../../../src/threads/lease.ts';
import { eventually } from '../../support/eventually.ts';
import type { PostgresRig } from '../../support/postgres-rig.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';

const RESTART_MS = 100;

/** From one start to its end. */
class LogNode {
  readonly #abort = new AbortController();
  readonly #table: PostgresTable;
  readonly #taken: Entry[];
  readonly lease = new Lease();
  writer: LogWriter | undefined;
  /** Why it ended. */
  end: Error | undefined;
  #onEnd = () => {};
  readonly ended = new Promise<void>((resolve) => {
    this.#onEnd = resolve;
  });

  constructor(name: string, url: string, taken: Entry[]) {
    this.#table = new PostgresTable({ url: parseLogUrl(url), password: undefined, node: name });
    this.#taken = taken;
    void this.#run(name).catch((error: Error) => this.stop(error));
  }

  get leads(): boolean {
    return this.writer !== undefined && this.end === undefined && this.lease.isHeld;
  }

  stop(end: Error): void {
    this.end ??= end;
    this.#onEnd();
    this.#abort.abort();
    this.writer?.close();
    void this.#table.close();
  }

  async #run(name: string): Promise<void> {
    const table = this.#table;
    const last = this.#taken.at(-1);
    const follower = new LogFollower({
      table,
      from: { entry: last?.number ?? 0, term: last?.term ?? 0 },
      take: (entries) => void this.#taken.push(...entries),
      clock: realClock,
    });
    for (;;) {
      await follower.follow(this.#abort.signal);
      if (this.end !== undefined) return;
      const begun = await follower.lead({ node: name, url: 'http://localhost' });
      if (begun === undefined) continue;
      const { term, entry } = begun;
      const { lease } = this;
      const onFenced = (error: Error) => this.stop(error);
      this.writer = new LogWriter({ table, term, begin: entry, lease, clock: realClock, onFenced });
      await eventually('the first beat', () => lease.isHeld || this.end !== undefined);
      while (lease.isHeld && this.end === undefined) await delay(20);
      this.stop(new Error('its lease has ended'));
      return;
    }
  }
}

/** A node that is started again whenever it ends, and has its own wires to the servers. */
export class SupervisedNode {
  readonly name: string;
  readonly #url: string;
  readonly wires: readonly TcpProxy[];
  readonly taken: Entry[] = [];
  readonly ends: string[] = [];
  /** It has found that the log lacks what it has: then it is not started again. */
  lost: LostLogError | undefined;
  #isOver = false;
  now: LogNode;

  private constructor(name: string, url: string, wires: readonly TcpProxy[]) {
    this.name = name;
    this.#url = url;
    this.wires = wires;
    this.now = new LogNode(name, url, this.taken);
    void this.#supervise();
  }

  static async start(name: string, rig: PostgresRig): Promise<SupervisedNode> {
    const wires = await Promise.all(rig.servers.map(({ port }) => TcpProxy.start(port)));
    return new SupervisedNode(name, rig.urlOf(wires.map(({ port }) => port)), wires);
  }

  /** As a cable that is pulled, of one server or of all. */
  cutOff(isCut: boolean, server?: number): void {
    for (const [index, wire] of this.wires.entries())
      if (server === undefined || index === server) wire.isDark = isCut;
  }

  /** Dies at once, and is started again. */
  kill(): void {
    for (const wire of this.wires) wire.cut();
    this.now.stop(new Error('killed'));
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.now.stop(new Error('closed'));
    await Promise.all(this.wires.map((wire) => wire.close()));
  }

  async #supervise(): Promise<void> {
    while (!this.#isOver) {
      await delay(20);
      const { end } = this.now;
      if (end === undefined) continue;
      this.ends.push(end.message);
      if (end instanceof LostLogError) {
        this.lost = end;
        return;
      }
      await delay(RESTART_MS);
      // What a dead process had in memory is not in its folder.
      if (!this.#isOver) this.now = new LogNode(this.name, this.#url, this.taken);
    }
  }
}

interface Told {
  readonly text: string;
  readonly heard: number;
  readonly atMs: number;
}

/** Three nodes and a load that never ends: whoever leads is told a fact, and another one when that is confirmed. */
export class LogCluster {
  readonly nodes: readonly SupervisedNode[];
  readonly told: Told[] = [];
  #isOver = false;
  #sold = 0;
  #load: Promise<unknown> = Promise.resolve();

  private constructor(nodes: readonly SupervisedNode[]) {
    this.nodes = nodes;
    this.#load = Promise.all([this.#sell(), this.#sell(), this.#sell()]);
  }

  static async start(rig: PostgresRig): Promise<LogCluster> {
    const nodes = await Promise.all(['a', 'b', 'c'].map((name) => SupervisedNode.start(name, rig)));
    return new LogCluster(nodes);
  }

  async leader(): Promise<SupervisedNode> {
    let leader: SupervisedNode | undefined;
    await eventually('somebody leads', () => {
      leader = this.nodes.find(({ now }) => now.leads);
      return leader !== undefined;
    });
    assert.ok(leader !== undefined);
    return leader;
  }

  get followers(): SupervisedNode[] {
    return this.nodes.filter(({ now }) => !now.leads);
  }

  /** Resolves when so many more are confirmed; with the time of the first that is from now on. */
  async more(count = 20): Promise<number> {
    const [before, fromMs] = [this.told.length, performance.now()];
    await eventually('facts are confirmed', () => this.told.length >= before + count);
    return this.told.slice(before).find(({ atMs }) => atMs >= fromMs)?.atMs ?? Number.NaN;
  }

  /** What was confirmed is there, once, in the order that somebody could know, for every follower. */
  async expectKept(): Promise<void> {
    const leader = await this.leader();
    const goal = leader.now.writer?.confirmed ?? 0;
    const told = [...this.told];
    const followers = this.nodes.filter((node) => node !== leader);
    for (const { name, taken } of followers)
      await eventually(`node ${name} has entry ${goal}`, () => (taken.at(-1)?.number ?? 0) >= goal);
    for (const { name, taken } of followers) {
      for (const [index, { number }] of taken.entries())
        assert.equal(number, index + 1, `node ${name} has no hole`);
      const facts = taken.filter(({ kind }) => kind === 'facts').map(({ bytes }) => bytes.toString());
      const places = new Map(facts.map((text, place) => [text, place]));
      assert.equal(places.size, facts.length, `node ${name} has no fact twice`);
      const last = [-1];
      for (const { text, heard } of told) {
        const place = places.get(text);
        assert.ok(place !== undefined, `node ${name} lacks ${text}, which was confirmed`);
        assert.ok(place > (last[heard] ?? -1), `${text} lies before what was known`);
        last.push(Math.max(place, last.at(-1) ?? -1));
      }
    }
    const [one, other] = followers;
    const same = Math.min(one?.taken.length ?? 0, other?.taken.length ?? 0);
    assert.deepEqual(one?.taken.slice(0, same), other?.taken.slice(0, same), 'both have the same');
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.nodes.map((node) => node.close()));
    await this.#load;
  }

  async #sell(): Promise<void> {
    while (!this.#isOver) {
      const node = this.nodes.find(({ now }) => now.leads)?.now;
      if (node === undefined) {
        await delay(2);
        continue;
      }
      this.#sold += 1;
      const [text, heard] = [`fact ${this.#sold}`, this.told.length];
      try {
        await Promise.race([node.writer?.append('facts', Buffer.from(text)), node.ended]);
        // An answer leaves only within the lease.
        if (!node.leads) continue;
        this.told.push({ text, heard, atMs: performance.now() });
      } catch {
        // Nobody is told.
      }
    }
  }
}
