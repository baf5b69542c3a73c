/**
 * How purchases that were left open at a supplier end: by what the supplier says of them, or by an operator's word.
 *
 * A pending order is completed, or failed and paid back. What is unresolved (a time-out, a failure, a crash) was
 * never charged: should the supplier have delivered all the same, its items enter own stock of the product, but for
 * those that can't be sold or that the product had already. What always holds: items and the end of their supply are
 * one fact, so they enter once, however often they are told.
 */
import type { FailOrder, ReconcileSupply, Results } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import { Rejection } from '../engine/rejection.ts';
import type { SettledResult, SettledSupply } from '../engine/settled-supplies.ts';
import { NO_ORDER, type Supply } from '../engine/supplies.ts';
import { type DeliveryDesk, HAD_BEFORE, MAX_SUPPLIED_AT_ONCE } from '../persistence/stock/delivery-desk.ts';
import { durableStockOf } from '../persistence/stock/product-stock.ts';
import { IntakeQueueFullError } from '../persistence/stock/stock-errors.ts';
import type { StockStore } from '../persistence/stock/stock-store.ts';
import { Turns } from '../persistence/turns.ts';
import { isSellable, type LateItems, NO_LATE_ITEMS } from './late-items.ts';
import { type ProgressAnswer, whatIsWrongWith } from './supplier-port.ts';

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

export interface SupplyEndingsOptions {
  readonly engine: Engine;
  readonly deliveries: DeliveryDesk;
  readonly stock: StockStore;
  /** Whether the purchase itself is still working on it. */
  readonly isServed: (supply: Supply) => boolean;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Told how an unresolved purchase ended. */
  readonly onReconciled: (supply: Supply, items: LateItems) => void;
}

export class SupplyEndings {
  readonly #options: SupplyEndingsOptions;
  readonly #underWay = new Set<number>();
  readonly #turns = new Turns(MAX_SUPPLIED_AT_ONCE);
  #isClosed = false;

  constructor(options: SupplyEndingsOptions) {
    this.#options = options;
  }

  /** What waits for its turn to be delivered stays open. What has had its turn goes on. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whether its purchase is still being worked on, and nobody else may end it. */
  isServed(supply: Supply): boolean {
    return supply.phase === 'held' || this.#options.isServed(supply);
  }

  /** Or its end is. Looked at again right before anything is done: it takes a while to be told. */
  isBusy(supply: Supply): boolean {
    return this.#underWay.has(supply.supplyId) || this.isServed(supply);
  }

  /**
   * What a supplier says became of a purchase, and since when it has said that it never heard of it, if it does. False
   * when it can't be taken now: it may be told again.
   */
  async hear(supply: Supply, said: ProgressAnswer, unknownSinceMs?: number): Promise<boolean> {
    const isTaken = await this.#alone(supply, (now) => {
      if (now === undefined) return true;
      return now.phase === 'pending' ? this.#endOrder(now, said, unknownSinceMs) : this.#reconcile(now, said);
    });
    return isTaken ?? false;
  }

  /**
   * Ends an unresolved purchase without its supplier, on an operator's word. Undefined when it has ended already, and when
   * it can't be ended now: what the supplier delivered is being taken in, or the disk is full.
   */
  giveUp(supply: Supply): Promise<SettledSupply | undefined> {
    return this.#alone(supply, async (now) => {
      if (now?.phase !== 'unresolved' || !(await this.#forgetTexts(now))) return undefined;
      const settled = await this.#end(now, 'given-up', 0, NO_LATE_ITEMS);
      return settled instanceof Rejection ? undefined : settled;
    });
  }

  /** Nothing else happens to it meanwhile. Undefined when something does already; `now` is undefined when it has ended. */
  async #alone<Result>(
    supply: Supply,
    work: (now: Supply | undefined) => Result | Promise<Result>,
  ): Promise<Result | undefined> {
    const { supplyId } = supply;
    if (this.isBusy(supply)) return undefined;
    this.#underWay.add(supplyId);
    try {
      return await work(this.#options.engine.state.supplies.get(supplyId));
    } finally {
      this.#underWay.delete(supplyId);
    }
  }

  async #endOrder(
    supply: Supply,
    said: ProgressAnswer,
    unknownSinceMs: number | undefined,
  ): Promise<boolean> {
    if (said.kind === 'delivered') return this.#complete(supply, said.items);
    const unknownForMs = unknownSinceMs === undefined ? 0 : this.#options.clock() - unknownSinceMs;
    const isLost = said.kind === 'unknown' && unknownForMs >= UNKNOWN_FOR_GOOD_MS;
    if (said.kind !== 'failed' && !isLost) return true;
    if (!(await this.#forgetTexts(supply))) return false;
    const { orderId, supplyId } = supply;
    return hasEnded(await this.#submit({ kind: 'FailOrder', orderId, supplyId }));
  }

  async #complete(supply: Supply, items: readonly string[]): Promise<boolean> {
    const { orderId } = supply;
    const isWrong = whatIsWrongWith(items, supply, this.#allowsDuplicates(supply)) !== undefined;
    const done = isWrong
      ? HAD_BEFORE
      : await this.#turns.take(async () =>
          this.#isClosed ? undefined : await this.#options.deliveries.deliver(orderId, items, supply),
        );
    // Without its supply's number: what the supplier did deliver is still to be had.
    if (done === HAD_BEFORE) return hasEnded(await this.#submit({ kind: 'FailOrder', orderId }));
    return done !== undefined && hasEnded(done);
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
    return hasEnded(await this.#end(supply, said.kind, 0, NO_LATE_ITEMS));
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
    if (items.length === 0) return hasEnded(await this.#end(supply, 'delivered', 0, counts));
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
      const brought = { ...counts, intoStock: added, duplicates };
      return hasEnded(await this.#end(supply, 'delivered', firstItem, brought));
    } finally {
      intake.close();
    }
  }

  async #end(
    supply: Supply,
    result: SettledResult,
    firstItem: number,
    items: LateItems,
  ): Promise<SettledSupply | Rejection> {
    const { accountId, productId, supplyId } = supply;
    const ids = { accountId, productId, supplyId };
    const brought = { delivered: items.delivered, firstItem, count: items.intoStock };
    const settled = await this.#submit({ kind: 'ReconcileSupply', ...ids, result, ...brought });
    if (hasEnded(settled)) this.#options.onReconciled(supply, items);
    return settled;
  }

  #submit<C extends FailOrder | ReconcileSupply>(command: C): Promise<Results[C['kind']] | Rejection> {
    return new Promise((resolve) => this.#options.engine.submit(command, resolve));
  }
}

/** By this command, or before it. */
function hasEnded(result: object): boolean {
  return !(result instanceof Rejection) || result.code === 'TRANSITION_NOT_ALLOWED';
}

/** An upload goes on: the items are to be had again. */
function laterIfBusy(error: unknown): false {
  if (error instanceof IntakeQueueFullError) return false;
  throw error;
}
