/**
 * Asks suppliers about every open purchase until it has ended: which ones, and when. `PurchaseEndings` acts on the
 * answers.
 *
 * Invariant: each supplier has its own queue, so a silent one delays nobody else's purchases; one purchase is never
 * asked about twice at once.
 */
import type { Engine } from '../engine/loop/engine.ts';
import type { PurchaseEndings } from './purchase-endings.ts';
import type { ProgressAnswer, SupplierPort } from './supplier-port.ts';

/** Questions to one supplier. */
const MAX_ASKED_AT_ONCE = 16;
/** The wait between two questions doubles up to this while the supplier is silent or doesn't know the purchase. */
const MAX_WAIT_MS = 5 * 60_000;

export interface PurchaseFollowerOptions {
  readonly engine: Engine;
  readonly supplier: SupplierPort;
  readonly endings: PurchaseEndings;
  readonly pollMs: number;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Told of errors of the program; the question is asked again. */
  readonly onFault: (error: unknown) => void;
}

interface Plan {
  readonly dueMs: number;
  readonly waitMs: number;
  /** Since when the supplier answers that it doesn't know the purchase; silence in between changes nothing. */
  readonly unknownSinceMs: number | undefined;
}

/** Purchases to ask one supplier about, in this order. */
interface Queue {
  readonly ids: Set<number>;
  /** Loops that take from it, `MAX_ASKED_AT_ONCE` at most. */
  askers: number;
}

/** Purchases that `askAll` still waits for. */
interface Round {
  readonly left: Set<number>;
  readonly end: () => void;
}

export class PurchaseFollower {
  readonly #options: PurchaseFollowerOptions;
  /** By purchase. */
  readonly #plans = new Map<number, Plan>();
  /** By supplier. */
  readonly #queues = new Map<number, Queue>();
  readonly #asking = new Set<number>();
  readonly #askers = new Set<Promise<void>>();
  #round: Round | undefined;
  #wholeRound: Promise<number> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PurchaseFollowerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#askDue(), this.#options.pollMs);
    this.#askDue();
  }

  /** Resolves when nothing more is submitted or written; takes as long as the suppliers that are being asked. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const { ids } of this.#queues.values()) ids.clear();
    this.#round?.end();
    await Promise.all(this.#askers);
  }

  /**
   * Asks about all open purchases now. Resolves with their number when each has been asked about; a call during that
   * time gets the same result.
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
    const open = [...engine.state.supplierPurchases.values()].filter((each) => !endings.isServed(each));
    if (open.length === 0 || this.#timer === undefined) return Promise.resolve(0);
    return new Promise((resolve) => {
      const left = new Set(open.map(({ supplierPurchaseId }) => supplierPurchaseId));
      this.#round = { left, end: () => resolve(open.length) };
      for (const { supplierPurchaseId, supplierId } of open) {
        if (!this.#asking.has(supplierPurchaseId)) this.#queueOf(supplierId).ids.add(supplierPurchaseId);
      }
      this.#fillAskers();
    });
  }

  /** A supplier that still has purchases in its queue gets no more until the next time. */
  #askDue(): void {
    this.#forgetEnded();
    const { engine, endings, clock } = this.#options;
    const late = new Set([...this.#queues].filter(([, { ids }]) => ids.size > 0).map(([id]) => id));
    const nowMs = clock();
    for (const purchase of engine.state.supplierPurchases.values()) {
      const { supplierPurchaseId, supplierId } = purchase;
      const isDue = nowMs >= (this.#plans.get(supplierPurchaseId)?.dueMs ?? 0);
      if (!isDue || late.has(supplierId) || endings.isBusy(purchase) || this.#asking.has(supplierPurchaseId))
        continue;
      this.#queueOf(supplierId).ids.add(supplierPurchaseId);
    }
    this.#fillAskers();
  }

  /** Drops the plans of purchases that have ended, by whatever ended them. */
  #forgetEnded(): void {
    const { supplierPurchases } = this.#options.engine.state;
    for (const id of this.#plans.keys()) if (supplierPurchases.get(id) === undefined) this.#plans.delete(id);
  }

  #queueOf(supplierId: number): Queue {
    const queue = this.#queues.get(supplierId) ?? { ids: new Set(), askers: 0 };
    this.#queues.set(supplierId, queue);
    return queue;
  }

  #fillAskers(): void {
    for (const queue of this.#queues.values()) {
      while (queue.ids.size > 0 && queue.askers < MAX_ASKED_AT_ONCE) {
        const asker = this.#askInTurn(queue).finally(() => this.#askers.delete(asker));
        this.#askers.add(asker);
      }
    }
  }

  async #askInTurn(queue: Queue): Promise<void> {
    queue.askers += 1;
    for (const id of queue.ids) {
      queue.ids.delete(id);
      this.#asking.add(id);
      await this.#ask(id).catch(this.#options.onFault);
      this.#asking.delete(id);
      if (this.#round?.left.delete(id) === true && this.#round.left.size === 0) this.#round.end();
    }
    queue.askers -= 1;
  }

  async #ask(supplierPurchaseId: number): Promise<void> {
    const { engine, supplier, endings, pollMs, clock } = this.#options;
    const purchase = engine.state.supplierPurchases.get(supplierPurchaseId);
    if (purchase === undefined) return;
    const said = await supplier.progress(purchase);
    if (this.#timer === undefined) return;
    const before = this.#plans.get(supplierPurchaseId);
    const doubledMs = Math.min(Math.max((before?.waitMs ?? 0) * 2, pollMs), MAX_WAIT_MS);
    const waitMs = said.kind === 'pending' || said.kind === 'delivered' ? pollMs : doubledMs;
    const unknownSinceMs = unknownSince(said, before, clock());
    this.#plans.set(supplierPurchaseId, { dueMs: clock() + waitMs, waitMs, unknownSinceMs });
    await endings.hear(purchase, said, unknownSinceMs);
  }
}

function unknownSince({ kind }: ProgressAnswer, before: Plan | undefined, nowMs: number): number | undefined {
  if (kind === 'silent') return before?.unknownSinceMs;
  return kind === 'unknown' ? (before?.unknownSinceMs ?? nowMs) : undefined;
}
