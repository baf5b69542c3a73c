/**
 * Follows every purchase that was left open at a supplier to its end, by asking and by what suppliers report.
 *
 * A pending order is completed, or failed and paid back. What is unresolved (a time-out, a failure, a crash) was
 * never charged: should the supplier have delivered all the same, its items enter own stock of the product, but for
 * those that can't be sold or that the product had already. What always holds: items and the end of their supply are
 * one fact, so they enter once, however often they are told.
 */
import type { Results } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import { Rejection } from '../engine/rejection.ts';
import type { SettledResult } from '../engine/settled-supplies.ts';
import { NO_ORDER, type Supply } from '../engine/supplies.ts';
import { type DeliveryDesk, HAD_BEFORE, MAX_SUPPLIED_AT_ONCE } from '../persistence/stock/delivery-desk.ts';
import { durableStockOf } from '../persistence/stock/product-stock.ts';
import { IntakeQueueFullError } from '../persistence/stock/stock-errors.ts';
import type { StockStore } from '../persistence/stock/stock-store.ts';
import { Turns } from '../persistence/turns.ts';
import { isSellable, type LateItems, NO_LATE_ITEMS } from './late-items.ts';
import { type ProgressAnswer, type SupplierPort, whatIsWrongWith } from './supplier-port.ts';

/** Of each supplier: one that is silent keeps nobody else's purchases waiting. */
const MAX_ASKED_AT_ONCE = 16;
/** The wait between two questions doubles up to this while the supplier is silent or has nothing to say. */
const MAX_WAIT_MS = 5 * 60_000;
/**
 * For operators' uploads of the product: what is late may be later, and must not keep anybody from asking about other
 * purchases.
 */
const UPLOAD_PATIENCE_MS = 500;
/**
 * A supplier that doesn't know a purchase by then never will: the request may have been on its way until now. One that
 * has promised to deliver, and knows nothing of it afterwards, may have been restarted: it gets as long from then on.
 */
const UNKNOWN_FOR_GOOD_MS = 10 * 60_000;

export interface SupplyFollowerOptions {
  readonly engine: Engine;
  readonly deliveries: DeliveryDesk;
  readonly stock: StockStore;
  readonly supplier: SupplierPort;
  readonly pollMs: number;
  /** Whether the purchase itself is still working on it. */
  readonly isServed: (supply: Supply) => boolean;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Told how an unresolved purchase ended. */
  readonly onReconciled: (supply: Supply, items: LateItems) => void;
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
  readonly #underWay = new Set<number>();
  readonly #turns = new Turns(MAX_SUPPLIED_AT_ONCE);
  #isStopped = false;
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
    this.#isStopped = true;
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
    const left = new Set<number>();
    for (const supply of this.#options.engine.state.supplies.values()) {
      if (supply.phase !== 'held' && !this.#options.isServed(supply)) left.add(supply.supplyId);
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

  /** What a supplier says became of a purchase. False when it can't be taken now: it may be told again. */
  async hear(supply: Supply, said: ProgressAnswer): Promise<boolean> {
    return this.#alone(supply, (now) =>
      now.phase === 'pending' ? this.#endOrder(now, said) : this.#reconcile(now, said),
    );
  }

  /**
   * Ends an unresolved purchase without its supplier, on an operator's word. False when it can't be done now: what the
   * supplier delivered is being taken in, or the disk is full.
   */
  async giveUp(supply: Supply): Promise<boolean> {
    return this.#alone(supply, async (now) => {
      if (now.phase !== 'unresolved' || !(await this.#forgetTexts(now))) return false;
      return this.#end(now, 'given-up', 0, NO_LATE_ITEMS);
    });
  }

  /** Nothing else happens to it meanwhile. True when it has ended already. */
  async #alone(supply: Supply, work: (now: Supply) => Promise<boolean>): Promise<boolean> {
    const { supplyId } = supply;
    if (this.#isBusy(supply)) return false;
    this.#underWay.add(supplyId);
    try {
      const now = this.#options.engine.state.supplies.get(supplyId);
      return now === undefined || (await work(now));
    } finally {
      this.#underWay.delete(supplyId);
      this.#forgetEnded(supplyId);
    }
  }

  /** Whatever ended it. */
  #forgetEnded(supplyId: number): void {
    if (this.#options.engine.state.supplies.get(supplyId) === undefined) this.#plans.delete(supplyId);
  }

  /** A supplier whose round takes longer than the interval finishes it first. */
  #askDue(): void {
    const late = new Set(this.#queues.keys());
    const nowMs = this.#options.clock();
    for (const supply of this.#options.engine.state.supplies.values()) {
      const { supplyId, supplierId } = supply;
      const isDue = nowMs >= (this.#plans.get(supplyId)?.dueMs ?? 0);
      if (!isDue || late.has(supplierId) || this.#isBusy(supply) || this.#questions.has(supplyId)) continue;
      this.#queueOf(supplyId)?.push(supplyId);
    }
    for (const [supplierId, queue] of this.#queues) if (!late.has(supplierId)) queue.reverse();
    this.#pumpAll();
  }

  /** Of the supply's supplier. Whoever asks for it puts something in. */
  #queueOf(supplyId: number): number[] | undefined {
    const supplierId = this.#options.engine.state.supplies.get(supplyId)?.supplierId;
    if (supplierId === undefined) return undefined;
    const queue = this.#queues.get(supplierId) ?? [];
    this.#queues.set(supplierId, queue);
    return queue;
  }

  /** Looked at again right before anything is done: it takes a while to be told. */
  #isBusy(supply: Supply): boolean {
    return supply.phase === 'held' || this.#underWay.has(supply.supplyId) || this.#options.isServed(supply);
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
    const { engine, supplier, pollMs, clock } = this.#options;
    const supply = engine.state.supplies.get(supplyId);
    if (supply === undefined) return;
    const said = await supplier.progress(supply);
    if (this.#timer === undefined) return;
    const before = this.#plans.get(supplyId);
    const doubledMs = Math.min(Math.max((before?.waitMs ?? 0) * 2, pollMs), MAX_WAIT_MS);
    const waitMs = said.kind === 'pending' || said.kind === 'delivered' ? pollMs : doubledMs;
    const unknownSinceMs = unknownSince(said, before, clock());
    this.#plans.set(supplyId, { dueMs: clock() + waitMs, waitMs, unknownSinceMs });
    await this.hear(supply, said);
    this.#forgetEnded(supplyId);
  }

  async #endOrder(supply: Supply, said: ProgressAnswer): Promise<boolean> {
    const { orderId, supplyId } = supply;
    const { deliveries } = this.#options;
    const isLost = said.kind === 'unknown' && this.#isUnknownForGood(supplyId);
    if (said.kind === 'failed' || isLost) {
      if (!(await this.#forgetTexts(supply))) return false;
      return this.#submit({ kind: 'FailOrder', orderId, supplyId });
    }
    if (said.kind !== 'delivered') return true;
    const { items } = said;
    const isWrong = whatIsWrongWith(items, supply, this.#allowsDuplicates(supply)) !== undefined;
    const done = isWrong
      ? HAD_BEFORE
      : await this.#turns.take(async () =>
          this.#isStopped ? undefined : await deliveries.deliver(orderId, items, supply),
        );
    // Without its supply's number: what the supplier did deliver is still to be had.
    if (done === HAD_BEFORE) return this.#submit({ kind: 'FailOrder', orderId });
    if (done === undefined) return false;
    return !(done instanceof Rejection) || done.code === 'TRANSITION_NOT_ALLOWED';
  }

  #isUnknownForGood(supplyId: number): boolean {
    const sinceMs = this.#plans.get(supplyId)?.unknownSinceMs;
    return sinceMs !== undefined && this.#options.clock() - sinceMs >= UNKNOWN_FOR_GOOD_MS;
  }

  #allowsDuplicates({ productId }: Supply): boolean {
    return this.#options.engine.state.products.get(productId)?.profile.allowDuplicates === true;
  }

  async #reconcile(supply: Supply, said: ProgressAnswer): Promise<boolean> {
    const isLate = this.#options.clock() - supply.createdAtMs > UNKNOWN_FOR_GOOD_MS;
    if (said.kind === 'silent' || said.kind === 'pending' || (said.kind === 'unknown' && !isLate))
      return true;
    if (!(await this.#forgetTexts(supply))) return false;
    if (said.kind === 'delivered') return this.#takeIn(supply, said.items).catch(laterIfBusy);
    return this.#end(supply, said.kind, 0, NO_LATE_ITEMS);
  }

  /**
   * What an attempt to deliver its order has left is to be had again. Before the supply ends: afterwards nothing leads
   * there any more. False while the order is being completed.
   */
  async #forgetTexts({ orderId }: Supply): Promise<boolean> {
    return orderId === NO_ORDER || (await this.#options.deliveries.forget(orderId));
  }

  async #takeIn(supply: Supply, all: readonly string[]): Promise<boolean> {
    const items = all.filter(isSellable);
    const unsellable = all.length - items.length;
    const counts = { ...NO_LATE_ITEMS, delivered: all.length, unsellable };
    if (items.length === 0) return this.#end(supply, 'delivered', 0, counts);
    const { engine, stock } = this.#options;
    const { productId } = supply;
    const intake = await stock.beginIntake({
      productId,
      patienceMs: UPLOAD_PATIENCE_MS,
      allowDuplicates: this.#allowsDuplicates(supply),
      readStock: () => durableStockOf(engine, productId),
    });
    try {
      await intake.writeItems(items);
      const { firstItem, added, duplicates } = await intake.finish();
      return await this.#end(supply, 'delivered', firstItem, { ...counts, intoStock: added, duplicates });
    } finally {
      intake.close();
    }
  }

  async #end(supply: Supply, result: SettledResult, firstItem: number, items: LateItems): Promise<boolean> {
    const { accountId, productId, supplyId } = supply;
    const ids = { accountId, productId, supplyId };
    const brought = { delivered: items.delivered, firstItem, count: items.intoStock };
    const isEnded = await this.#submit({ kind: 'ReconcileSupply', ...ids, result, ...brought });
    if (isEnded) this.#options.onReconciled(supply, items);
    return isEnded;
  }

  async #submit(command: EndCommand): Promise<boolean> {
    const result = await new Promise<Results[EndCommand['kind']] | Rejection>((resolve) =>
      this.#options.engine.submit(command, resolve),
    );
    return !(result instanceof Rejection) || result.code === 'TRANSITION_NOT_ALLOWED';
  }
}

/** An upload goes on: the items are to be had again. */
function laterIfBusy(error: unknown): false {
  if (error instanceof IntakeQueueFullError) return false;
  throw error;
}

type EndCommand = Extract<
  Parameters<Engine['submit']>[0],
  { readonly kind: 'FailOrder' | 'ReconcileSupply' }
>;

function unknownSince({ kind }: ProgressAnswer, before: Plan | undefined, nowMs: number): number | undefined {
  if (kind === 'silent') return before?.unknownSinceMs;
  return kind === 'unknown' ? (before?.unknownSinceMs ?? nowMs) : undefined;
}
