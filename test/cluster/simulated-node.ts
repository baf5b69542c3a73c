/**
 * A node of the simulation: a process at the shared log, in a time that passes when the test says so. The node can be
 * killed, stand still, and go on.
 */
import assert from 'node:assert/strict';
import type { ClusterClock } from '../../src/cluster/cluster-clock.ts';
import { ClusterError } from '../../src/cluster/cluster-error.ts';
import { LogFollower } from '../../src/cluster/log-follower.ts';
import { LogWriter } from '../../src/cluster/log-writer.ts';
import type { Entry } from '../../src/cluster/shared-table.ts';
import { JournalFullError } from '../../src/engine/loop/journal.ts';
import { Lease } from '../../src/threads/lease.ts';
import type { Random } from '../support/random.ts';
import type { SimulatedDatabase, SimulatedTable } from './simulated-table.ts';

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
  isOver: boolean;
}

/** Timers that run when told to, in the order of their times. */
export class SimulatedTime {
  nowMs = 1_000;
  /** In their order; those of the same time as they were set. */
  readonly #timers: Timer[] = [];
  readonly #look: () => void;

  /** `look` is called after everything that happens. */
  constructor(look: () => void) {
    this.#look = look;
  }

  later(run: () => void, ms: number): () => void {
    const timer = { atMs: this.nowMs + ms, run, isOver: false };
    let place = this.#timers.length;
    while (place > 0 && (this.#timers[place - 1]?.atMs ?? 0) > timer.atMs) place -= 1;
    this.#timers.splice(place, 0, timer);
    return () => {
      timer.isOver = true;
    };
  }

  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    for (;;) {
      await settled();
      this.#look();
      while (this.#timers[0]?.isOver) this.#timers.shift();
      const [next] = this.#timers;
      if (next === undefined || next.atMs > endMs) break;
      this.#timers.shift();
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
    }
    this.nowMs = endMs;
  }
}

/** Whatever follows by itself has happened: it is promises all the way. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** The surroundings that all nodes of a history share. */
export interface Surroundings {
  readonly database: SimulatedDatabase;
  readonly time: SimulatedTime;
  readonly random: Random;
}

/** One process: it follows, leads, and ends; another one with its folder takes its place. */
export class SimulatedNode {
  readonly #table: SimulatedTable;
  readonly #time: SimulatedTime;
  readonly #database: SimulatedDatabase;
  readonly #abort = new AbortController();
  readonly #waiting: (() => void)[] = [];
  readonly taken: Entry[];
  readonly lease: Lease;
  writer: LogWriter | undefined;
  isOver = false;
  isStill = false;
  /** Whether it answers no more, as a node that tells others that they may lead. */
  hasStopped = false;
  /** Why it refused to go on. */
  lost: ClusterError | undefined;

  constructor({ database, time, random }: Surroundings, taken: readonly Entry[] = []) {
    this.#database = database;
    this.#time = time;
    this.#table = database.open(async () => {
      if (random.chance(0.05))
        await new Promise<void>((resolve) => time.later(resolve, random.between(0, 80)));
    });
    this.taken = [...taken];
    this.lease = new Lease(undefined, () => time.nowMs);
    void this.#run().catch((error: unknown) => {
      if (ClusterError.is(error, 'lost')) this.lost = error;
      else if (!this.isOver) throw error;
    });
  }

  get id(): number {
    return this.#table.node;
  }

  /** Whether it would answer a read. */
  get answers(): boolean {
    return !this.isOver && !this.hasStopped && this.writer !== undefined && this.lease.isHeld;
  }

  /** A fact; `onTold` when somebody hears that it is confirmed. */
  sell(text: string, onTold: () => void): void {
    this.writer?.append('facts', Buffer.from(text)).then(
      () => {
        if (!this.isOver && !this.isStill) onTold();
      },
      (error: Error) =>
        assert.ok(ClusterError.is(error, 'fenced') || error instanceof JournalFullError, error.message),
    );
  }

  /** Ends the node cleanly. */
  async handOver(): Promise<void> {
    this.hasStopped = true;
    const ended = this.writer?.append('end', Buffer.alloc(0));
    await ended?.catch(() => {});
    if (!this.isOver) this.kill();
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

  /** A node that stands still hears of its timers later. */
  readonly #later = (run: () => void, ms: number): (() => void) => {
    return this.#time.later(() => {
      if (this.isOver) return;
      if (this.isStill) this.#waiting.push(run);
      else run();
    }, ms);
  };

  async #run(): Promise<void> {
    const last = this.taken.at(-1);
    const clock: ClusterClock = { nowMs: () => this.#time.nowMs, later: this.#later };
    const table = this.#table;
    const follower = new LogFollower({
      table,
      from: { entry: last?.number ?? 0, term: last?.term ?? 0 },
      take: (entries) => {
        if (!this.isOver) this.taken.push(...entries);
      },
      clock,
    });
    while (!this.isOver) {
      await follower.follow(this.#abort.signal);
      if (this.isOver) return;
      const begun = await follower.lead({ node: String(this.id), url: '' });
      if (this.isOver) return;
      if (begun === undefined) {
        await new Promise<void>((resolve) => this.#later(resolve, 50));
        continue;
      }
      const { term, entry } = begun;
      const onFenced = () => this.kill();
      this.writer = new LogWriter({ table, term, begin: entry, lease: this.lease, clock, onFenced });
      return;
    }
  }
}
