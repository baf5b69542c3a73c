/**
 * Asks suppliers about every purchase that was left open until it has ended: who is asked, and when.
 *
 * What always holds: one supplier that is silent keeps nobody else's purchases waiting, and of no purchase is it asked
 * twice at once. What becomes of the answers is for `PurchaseEndings`.
 */
import type { Engine } from '../engine/engine.ts';
import type { PurchaseEndings } from './purchase-endings.ts';
import type { ProgressAnswer, SupplierPort } from './supplier-port.ts';

/** Of each supplier: one that is silent keeps nobody else's purchases waiting. */
const MAX_ASKED_AT_ONCE = 16;
/** The wait between two questions doubles up to this while the supplier is silent or has nothing to say. */
const MAX_WAIT_MS = 5 * 60_000;

export interface SupplierPurchaseFollowerOptions {
  readonly engine: Engine;
  readonly supplier: SupplierPort;
  readonly endings: PurchaseEndings;
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

export class PurchaseFollower {
  readonly #options: SupplierPurchaseFollowerOptions;
  readonly #plans = new Map<number, Plan>();
  #round: Round | undefined;
  #wholeRound: Promise<number> | undefined;
  /** Under way, by supplier purchase. */
  readonly #questions = new Map<number, Promise<void>>();
  /** Those that are due, by supplier, the first last. None is empty. */
  readonly #queues = new Map<number, number[]>();
  /** How many questions each supplier is being asked. */
  readonly #asked = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SupplierPurchaseFollowerOptions) {
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
    for (const supplierPurchase of engine.state.supplierPurchases.values()) {
      if (!endings.isServed(supplierPurchase)) left.add(supplierPurchase.supplierPurchaseId);
    }
    if (left.size === 0 || this.#timer === undefined) return Promise.resolve(0);
    return new Promise((resolve) => {
      const asked = left.size;
      this.#round = { left, end: () => resolve(asked) };
      const queued = new Set([...this.#queues.values()].flat());
      const others = [...left].filter(
        (supplierPurchaseId) => !queued.has(supplierPurchaseId) && !this.#questions.has(supplierPurchaseId),
      );
      // Behind those that wait, which a queue has last.
      for (const queue of this.#queues.values()) queue.reverse();
      for (const supplierPurchaseId of others) this.#queueOf(supplierPurchaseId)?.push(supplierPurchaseId);
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
    for (const supplierPurchase of engine.state.supplierPurchases.values()) {
      const { supplierPurchaseId, supplierId } = supplierPurchase;
      const isDue = nowMs >= (this.#plans.get(supplierPurchaseId)?.dueMs ?? 0);
      if (
        !isDue ||
        late.has(supplierId) ||
        endings.isBusy(supplierPurchase) ||
        this.#questions.has(supplierPurchaseId)
      )
        continue;
      this.#queueOf(supplierPurchaseId)?.push(supplierPurchaseId);
    }
    for (const [supplierId, queue] of this.#queues) if (!late.has(supplierId)) queue.reverse();
    this.#pumpAll();
  }

  /** The plans of those that have ended, by whatever did it. */
  #forgetEnded(): void {
    const { supplierPurchases } = this.#options.engine.state;
    for (const supplierPurchaseId of this.#plans.keys()) {
      if (supplierPurchases.get(supplierPurchaseId) === undefined) this.#plans.delete(supplierPurchaseId);
    }
  }

  /** Of the supplier purchase's supplier. Whoever asks for it puts something in. */
  #queueOf(supplierPurchaseId: number): number[] | undefined {
    const supplierId = this.#options.engine.state.supplierPurchases.get(supplierPurchaseId)?.supplierId;
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
      const supplierPurchaseId = queue.pop();
      if (supplierPurchaseId === undefined) break;
      this.#begin(supplierPurchaseId, supplierId);
    }
    this.#asked.set(supplierId, asked);
    if (queue.length === 0) this.#queues.delete(supplierId);
  }

  #begin(supplierPurchaseId: number, supplierId: number): void {
    const question = this.#ask(supplierPurchaseId)
      .catch(this.#options.onFault)
      .finally(() => {
        this.#questions.delete(supplierPurchaseId);
        this.#asked.set(supplierId, (this.#asked.get(supplierId) ?? 1) - 1);
        this.#wasAsked(supplierPurchaseId);
        if (this.#timer !== undefined) this.#pump(supplierId);
      });
    this.#questions.set(supplierPurchaseId, question);
  }

  #wasAsked(supplierPurchaseId: number): void {
    if (this.#round?.left.delete(supplierPurchaseId) === true && this.#round.left.size === 0)
      this.#round.end();
  }

  async #ask(supplierPurchaseId: number): Promise<void> {
    const { engine, supplier, endings, pollMs, clock } = this.#options;
    const supplierPurchase = engine.state.supplierPurchases.get(supplierPurchaseId);
    if (supplierPurchase === undefined) return;
    const said = await supplier.progress(supplierPurchase);
    if (this.#timer === undefined) return;
    const before = this.#plans.get(supplierPurchaseId);
    const doubledMs = Math.min(Math.max((before?.waitMs ?? 0) * 2, pollMs), MAX_WAIT_MS);
    const waitMs = said.kind === 'pending' || said.kind === 'delivered' ? pollMs : doubledMs;
    const unknownSinceMs = unknownSince(said, before, clock());
    this.#plans.set(supplierPurchaseId, { dueMs: clock() + waitMs, waitMs, unknownSinceMs });
    await endings.hear(supplierPurchase, said, unknownSinceMs);
  }
}

function unknownSince({ kind }: ProgressAnswer, before: Plan | undefined, nowMs: number): number | undefined {
  if (kind === 'silent') return before?.unknownSinceMs;
  return kind === 'unknown' ? (before?.unknownSinceMs ?? nowMs) : undefined;
}
