/**
 * How purchases that were left open at a supplier end: by what the supplier says of them, or by an operator's word.
 *
 * A pending order is completed, or failed and paid back. What is unresolved (a time-out, a failure, a crash) was
 * never charged: should the supplier have delivered all the same, its items enter own stock of the product, but for
 * those that can't be sold or that the product had already. What always holds: items and the end of their supplier purchase are
 * one fact, so they enter once, however often they are told.
 */
import type { CommandOf, Results } from '../engine/command.ts';
import type { EndedResult, EndedSupplierPurchase } from '../engine/ended-supplier-purchases.ts';
import type { Engine } from '../engine/engine.ts';
import { Rejection } from '../engine/rejection.ts';
import { NO_ORDER, type SupplierPurchase } from '../engine/supplier-purchases.ts';
import { HAD_BEFORE, MAX_SUPPLIED_AT_ONCE, type OrderFulfilment } from '../fulfilment/order-fulfilment.ts';
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

export interface SupplierPurchaseEndingsOptions {
  readonly engine: Engine;
  readonly deliveries: OrderFulfilment;
  readonly stock: StockStore;
  /** Whether the purchase itself is still working on it. */
  readonly isServed: (supplierPurchase: SupplierPurchase) => boolean;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Told how an unresolved purchase ended. */
  readonly onReconciled: (supplierPurchase: SupplierPurchase, items: LateItems) => void;
}

export class PurchaseEndings {
  readonly #options: SupplierPurchaseEndingsOptions;
  readonly #underWay = new Set<number>();
  readonly #turns = new Turns(MAX_SUPPLIED_AT_ONCE);
  #isClosed = false;

  constructor(options: SupplierPurchaseEndingsOptions) {
    this.#options = options;
  }

  /** What waits for its turn to be delivered stays open. What has had its turn goes on. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whether its purchase is still being worked on, and nobody else may end it. */
  isServed(supplierPurchase: SupplierPurchase): boolean {
    return supplierPurchase.phase === 'held' || this.#options.isServed(supplierPurchase);
  }

  /** Or its end is. Looked at again right before anything is done: it takes a while to be told. */
  isBusy(supplierPurchase: SupplierPurchase): boolean {
    return this.#underWay.has(supplierPurchase.supplierPurchaseId) || this.isServed(supplierPurchase);
  }

  /**
   * What a supplier says became of a purchase, and since when it has said that it never heard of it, if it does. False
   * when it can't be taken now: it may be told again.
   */
  async hear(
    supplierPurchase: SupplierPurchase,
    said: ProgressAnswer,
    unknownSinceMs?: number,
  ): Promise<boolean> {
    const isTaken = await this.#alone(supplierPurchase, (now) => {
      if (now === undefined) return true;
      return now.phase === 'pending' ? this.#endOrder(now, said, unknownSinceMs) : this.#reconcile(now, said);
    });
    return isTaken ?? false;
  }

  /**
   * Ends an unresolved purchase without its supplier, on an operator's word. Undefined when it has ended already, and when
   * it can't be ended now: what the supplier delivered is being taken in, or the disk is full.
   */
  giveUp(supplierPurchase: SupplierPurchase): Promise<EndedSupplierPurchase | undefined> {
    return this.#alone(supplierPurchase, async (now) => {
      if (now?.phase !== 'unresolved' || !(await this.#forgetTexts(now))) return undefined;
      const settled = await this.#end(now, 'given-up', 0, NO_LATE_ITEMS);
      return settled instanceof Rejection ? undefined : settled;
    });
  }

  /** Nothing else happens to it meanwhile. Undefined when something does already; `now` is undefined when it has ended. */
  async #alone<Result>(
    supplierPurchase: SupplierPurchase,
    work: (now: SupplierPurchase | undefined) => Result | Promise<Result>,
  ): Promise<Result | undefined> {
    const { supplierPurchaseId } = supplierPurchase;
    if (this.isBusy(supplierPurchase)) return undefined;
    this.#underWay.add(supplierPurchaseId);
    try {
      return await work(this.#options.engine.state.supplierPurchases.get(supplierPurchaseId));
    } finally {
      this.#underWay.delete(supplierPurchaseId);
    }
  }

  async #endOrder(
    supplierPurchase: SupplierPurchase,
    said: ProgressAnswer,
    unknownSinceMs: number | undefined,
  ): Promise<boolean> {
    if (said.kind === 'delivered') return this.#complete(supplierPurchase, said.items);
    const unknownForMs = unknownSinceMs === undefined ? 0 : this.#options.clock() - unknownSinceMs;
    const isLost = said.kind === 'unknown' && unknownForMs >= UNKNOWN_FOR_GOOD_MS;
    if (said.kind !== 'failed' && !isLost) return true;
    if (!(await this.#forgetTexts(supplierPurchase))) return false;
    const { orderId, supplierPurchaseId } = supplierPurchase;
    return hasEnded(await this.#submit({ kind: 'FailOrder', orderId, supplierPurchaseId }));
  }

  async #complete(supplierPurchase: SupplierPurchase, items: readonly string[]): Promise<boolean> {
    const { orderId } = supplierPurchase;
    const isWrong =
      whatIsWrongWith(items, supplierPurchase, this.#allowsDuplicates(supplierPurchase)) !== undefined;
    const done = isWrong
      ? HAD_BEFORE
      : await this.#turns.take(async () =>
          this.#isClosed
            ? undefined
            : await this.#options.deliveries.deliver(orderId, items, supplierPurchase),
        );
    // Without its supplier purchase's number: what the supplier did deliver is still to be had.
    if (done === HAD_BEFORE) return hasEnded(await this.#submit({ kind: 'FailOrder', orderId }));
    return done !== undefined && hasEnded(done);
  }

  #allowsDuplicates({ productId }: SupplierPurchase): boolean {
    return this.#options.engine.state.products.get(productId)?.profile.allowDuplicates === true;
  }

  async #reconcile(supplierPurchase: SupplierPurchase, said: ProgressAnswer): Promise<boolean> {
    const isLate = this.#options.clock() - supplierPurchase.createdAtMs > UNKNOWN_FOR_GOOD_MS;
    if (said.kind === 'silent' || said.kind === 'pending' || (said.kind === 'unknown' && !isLate))
      return true;
    if (!(await this.#forgetTexts(supplierPurchase))) return false;
    if (said.kind === 'delivered') return this.#takeIn(supplierPurchase, said.items).catch(laterIfBusy);
    return hasEnded(await this.#end(supplierPurchase, said.kind, 0, NO_LATE_ITEMS));
  }

  /**
   * What an attempt to deliver its order has left is to be had again. Before the supplier purchase ends: afterwards nothing leads
   * there any more. False while the order is being completed.
   */
  async #forgetTexts({ orderId }: SupplierPurchase): Promise<boolean> {
    return orderId === NO_ORDER || (await this.#options.deliveries.forget(orderId));
  }

  async #takeIn(supplierPurchase: SupplierPurchase, all: readonly string[]): Promise<boolean> {
    const items = all.filter(isSellable);
    const unsellable = all.length - items.length;
    const counts = { ...NO_LATE_ITEMS, delivered: all.length, unsellable };
    if (items.length === 0) return hasEnded(await this.#end(supplierPurchase, 'delivered', 0, counts));
    const { engine, stock } = this.#options;
    const { productId } = supplierPurchase;
    const intake = await stock.beginIntake({
      productId,
      patienceMs: UPLOAD_PATIENCE_MS,
      allowDuplicates: this.#allowsDuplicates(supplierPurchase),
      readStock: () => durableStockOf(engine, productId),
    });
    try {
      await intake.writeItems(items);
      const { firstItem, added, duplicates } = await intake.finish();
      const brought = { ...counts, intoStock: added, duplicates };
      return hasEnded(await this.#end(supplierPurchase, 'delivered', firstItem, brought));
    } finally {
      intake.close();
    }
  }

  async #end(
    supplierPurchase: SupplierPurchase,
    result: EndedResult,
    firstItem: number,
    items: LateItems,
  ): Promise<EndedSupplierPurchase | Rejection> {
    const { accountId, productId, supplierPurchaseId } = supplierPurchase;
    const ids = { accountId, productId, supplierPurchaseId };
    const brought = { delivered: items.delivered, firstItem, count: items.intoStock };
    const settled = await this.#submit({ kind: 'ReconcileSupplierPurchase', ...ids, result, ...brought });
    if (hasEnded(settled)) this.#options.onReconciled(supplierPurchase, items);
    return settled;
  }

  #submit<C extends CommandOf<'FailOrder' | 'ReconcileSupplierPurchase'>>(
    command: C,
  ): Promise<Results[C['kind']] | Rejection> {
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
