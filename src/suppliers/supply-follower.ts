/**
 * Asks suppliers about every purchase that was left open until it has ended: who is asked, and when.
 *
 * What always holds: one supplier that is silent keeps nobody else's purchases waiting, and of no purchase is it asked
 * twice at once. What becomes of the answers is for `SupplyEndings`.
 */
import type { Engine } from '../engine/engine.ts';
import type { ProgressAnswer, SupplierPort } from './supplier-port.ts';
import type { SupplyEndings } from './supply-endings.ts';

/** Of each supplier: one that is silent keeps nobody else's purchases waiting. */
const MAX_ASKED_AT_ONCE = 16;
/** The wait between two questions doubles up to this while the supplier is silent or has nothing to say. */
const MAX_WAIT_MS = 5 * 60_000;

export interface SupplyFollowerOptions {
  readonly engine: Engine;
  readonly supplier: SupplierPort;
  readonly endings: SupplyEndings;
  readonly pollMs: number;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Told of what should not have happened; it is tried again. */
  readonly onFault: (error: unknown) => void;
}

interface Plan {
  readonly dueMs: number;
  readonly waitMs: number;
  /** Since when the supplier says that it never heard of it; silence in between changes nothing. */
  readonly unknownSinceMs: number | undefined;
}

/** Those that are still to be asked before somebody who waits for all of them is told. */
interface Round {
  readonly left: Set<number>;
  readonly end: () => void;
}

export class SupplyFollower {
  readonly #options: SupplyFollowerOptions;
  readonly #plans = new Map<number, Plan>();
  #round: Round | undefined;
  #wholeRound: Promise<number> | undefined;
  /** Under way, by supply. */
  readonly #questions = new Map<number, Promise<void>>();
  /** Those that are due, by supplier, the first last. None is empty. */
  readonly #queues = new Map<number, number[]>();
  /** How many questions each supplier is being asked. */
  readonly #asked = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SupplyFollowerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#askDue(), this.#options.pollMs);
    this.#askDue();
  }

  /** Resolves when nothing more is submitted or written, which takes as long as the suppliers that are being asked. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#queues.clear();
    this.#round?.end();
    await Promise.all(this.#questions.values());
  }

  /**
   * Asks about all of them now, whenever they were due. Resolves with their number when each has been asked; who
   * comes meanwhile gets the same.
   */
  askAll(): Promise<number> {
    this.#wholeRound ??= this.#askRound().finally(() => {
      this.#wholeRound = undefined;
      this.#round = undefined;
    });
    return this.#wholeRound;
  }

  #askRound(): Promise<number> {
    this.#forgetEnded();
    const { engine, endings } = this.#options;
    const left = new Set<number>();
    for (const supply of engine.state.supplies.values()) {
      if (!endings.isServed(supply)) left.add(supply.supplyId);
    }
    if (left.size === 0 || this.#timer === undefined) return Promise.resolve(0);
    return new Promise((resolve) => {
      const asked = left.size;
      this.#round = { left, end: () => resolve(asked) };
      const queued = new Set([...this.#queues.values()].flat());
      const others = [...left].filter((supplyId) => !queued.has(supplyId) && !this.#questions.has(supplyId));
      // Behind those that wait, which a queue has last.
      for (const queue of this.#queues.values()) queue.reverse();
      for (const supplyId of others) this.#queueOf(supplyId)?.push(supplyId);
      for (const queue of this.#queues.values()) queue.reverse();
      this.#pumpAll();
    });
  }

  /** A supplier whose round takes longer than the interval finishes it first. */
  #askDue(): void {
    this.#forgetEnded();
    const { engine, endings, clock } = this.#options;
    const late = new Set(this.#queues.keys());
    const nowMs = clock();
    for (const supply of engine.state.supplies.values()) {
      const { supplyId, supplierId } = supply;
      const isDue = nowMs >= (this.#plans.get(supplyId)?.dueMs ?? 0);
      if (!isDue || late.has(supplierId) || endings.isBusy(supply) || this.#questions.has(supplyId)) continue;
      this.#queueOf(supplyId)?.push(supplyId);
    }
    for (const [supplierId, queue] of this.#queues) if (!late.has(supplierId)) queue.reverse();
    this.#pumpAll();
  }

  /** The plans of those that have ended, by whatever did it. */
  #forgetEnded(): void {
    const { supplies } = this.#options.engine.state;
    for (const supplyId of this.#plans.keys()) {
      if (supplies.get(supplyId) === undefined) this.#plans.delete(supplyId);
    }
  }

  /** Of the supply's supplier. Whoever asks for it puts something in. */
  #queueOf(supplyId: number): number[] | undefined {
    const supplierId = this.#options.engine.state.supplies.get(supplyId)?.supplierId;
    if (supplierId === undefined) return undefined;
    const queue = this.#queues.get(supplierId) ?? [];
    this.#queues.set(supplierId, queue);
    return queue;
  }

  #pumpAll(): void {
    for (const supplierId of [...this.#queues.keys()]) this.#pump(supplierId);
  }

  #pump(supplierId: number): void {
    const queue = this.#queues.get(supplierId) ?? [];
    let asked = this.#asked.get(supplierId) ?? 0;
    for (; asked < MAX_ASKED_AT_ONCE; asked += 1) {
      const supplyId = queue.pop();
      if (supplyId === undefined) break;
      this.#begin(supplyId, supplierId);
    }
    this.#asked.set(supplierId, asked);
    if (queue.length === 0) this.#queues.delete(supplierId);
  }

  #begin(supplyId: number, supplierId: number): void {
    const question = this.#ask(supplyId)
      .catch(this.#options.onFault)
      .finally(() => {
        this.#questions.delete(supplyId);
        this.#asked.set(supplierId, (this.#asked.get(supplierId) ?? 1) - 1);
        this.#wasAsked(supplyId);
        if (this.#timer !== undefined) this.#pump(supplierId);
      });
    this.#questions.set(supplyId, question);
  }

  #wasAsked(supplyId: number): void {
    if (this.#round?.left.delete(supplyId) === true && this.#round.left.size === 0) this.#round.end();
  }

  async #ask(supplyId: number): Promise<void> {
    const { engine, supplier, endings, pollMs, clock } = this.#options;
    const supply = engine.state.supplies.get(supplyId);
    if (supply === undefined) return;
    const said = await supplier.progress(supply);
    if (this.#timer === undefined) return;
    const before = this.#plans.get(supplyId);
    const doubledMs = Math.min(Math.max((before?.waitMs ?? 0) * 2, pollMs), MAX_WAIT_MS);
    const waitMs = said.kind === 'pending' || said.kind === 'delivered' ? pollMs : doubledMs;
    const unknownSinceMs = unknownSince(said, before, clock());
    this.#plans.set(supplyId, { dueMs: clock() + waitMs, waitMs, unknownSinceMs });
    await endings.hear(supply, said, unknownSinceMs);
  }
}

function unknownSince({ kind }: ProgressAnswer, before: Plan | undefined, nowMs: number): number | undefined {
  if (kind === 'silent') return before?.unknownSinceMs;
  return kind === 'unknown' ? (before?.unknownSinceMs ?? nowMs) : undefined;
}
