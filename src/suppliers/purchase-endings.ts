/**
 * How purchases that stayed open at a supplier end: by the supplier's answer, or by an operator who gives one up.
 *
 * A pending order is completed, or failed and refunded. An unresolved purchase (time-out, failure, crash) was never
 * charged; if the supplier delivered it after all, its items enter own stock, except those that can't be sold or that
 * the product had before. So do those of one that had ended without items. Items of a purchase that was open at the
 * fork of a restore enter the quarantine. Invariant: the items and the end of the purchase are one fact, so items enter
 * once, however often the supplier reports them; and what contradicts an end with items is refused.
 */
import type { CommandOf, Results } from '../engine/decide/command.ts';
import { endOf, type History } from '../engine/decide/history.ts';
import { Rejection } from '../engine/decide/rejection.ts';
import type { Engine } from '../engine/loop/engine.ts';
import type { Origin } from '../engine/origin.ts';
import type { EndedResult, EndedSupplierPurchase } from '../engine/supplying/ended-supplier-purchases.ts';
import { NO_ORDER, type SupplierPurchase } from '../engine/supplying/supplier-purchases.ts';
import { HAD_BEFORE, MAX_SUPPLIED_AT_ONCE, type OrderFulfilment } from '../fulfilment/order-fulfilment.ts';
import type { StockStore } from '../persistence/stock/stock-store.ts';
import { Semaphore } from '../shared/semaphore.ts';
import { intoOwnStock, type LateItems, type LatePlace, NO_LATE_ITEMS, NO_PLACE } from './late-items.ts';
import { type ProgressAnswer, whatIsWrongWith } from './supplier-port.ts';

/**
 * After this time a supplier that answers "unknown" will never know the purchase: no request is on its way any more. For
 * a pending purchase the time begins with the first such answer: the supplier may have been restarted.
 */
const UNKNOWN_FOR_GOOD_MS = 10 * 60_000;

export interface PurchaseEndingsOptions {
  readonly engine: Engine;
  readonly history: History;
  readonly fulfilment: OrderFulfilment;
  readonly stock: StockStore;
  /** Whether the purchase is still in progress. */
  readonly isServed: (purchase: SupplierPurchase) => boolean;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Told how an unresolved purchase ended, or one that had ended before without items. */
  readonly onReconciled: (purchase: SupplierPurchase, items: LateItems) => void;
  /** Told of what was refused: the purchase had ended with other items. */
  readonly onContrary: (purchase: SupplierPurchase, said: Said) => void;
}

export type Said = Extract<ProgressAnswer, { kind: 'delivered' | 'failed' }>;

/** `later`: it can't be acted on now, and must be said again. `contrary`: the purchase has ended with other items. */
export type Heard = 'heard' | 'later' | 'contrary';

export class PurchaseEndings {
  readonly #options: PurchaseEndingsOptions;
  readonly #underWay = new Map<number, Promise<unknown>>();
  readonly #deliveries = new Semaphore(MAX_SUPPLIED_AT_ONCE);
  #isClosed = false;

  constructor(options: PurchaseEndingsOptions) {
    this.#options = options;
  }

  /** Purchases that wait for their turn stay open; those being delivered are finished when it resolves. */
  async stop(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay.values());
  }

  /** Whether the purchase is still in progress, so that nobody else may end it. */
  isServed(purchase: SupplierPurchase): boolean {
    const now = this.#options.engine.state.supplierPurchases.get(purchase.supplierPurchaseId);
    return now?.phase === 'held' || this.#options.isServed(purchase);
  }

  /** Whether it is in progress, or being ended. Checked again right before it is ended: answers take a while. */
  isBusy(purchase: SupplierPurchase): boolean {
    return this.#underWay.has(purchase.supplierPurchaseId) || this.isServed(purchase);
  }

  /**
   * Acts on a supplier's answer about a purchase, open or ended. `unknownSinceMs`: since when the supplier answers that it
   * doesn't know it.
   */
  async hear(purchase: SupplierPurchase, said: ProgressAnswer, unknownSinceMs?: number): Promise<Heard> {
    const heard = await this.#alone(purchase, async (now) => {
      if (now === undefined) return await this.#hearAfterEnd(purchase, said);
      const isDone =
        now.phase === 'pending'
          ? await this.#endOrder(now, said, unknownSinceMs)
          : await this.#reconcile(now, said, unknownSinceMs);
      return isDone ? 'heard' : 'later';
    });
    return heard ?? 'later';
  }

  async #hearAfterEnd(purchase: SupplierPurchase, said: ProgressAnswer): Promise<Heard> {
    if (said.kind !== 'delivered' && said.kind !== 'failed') return 'heard';
    const { engine, history, fulfilment, onContrary } = this.#options;
    const end = endOf(engine.state, history, purchase.supplierPurchaseId);
    if (end?.how !== 'delivered') {
      if (said.kind === 'failed') return 'heard';
      return (await this.#takeIn(purchase, said.items)) ? 'heard' : 'later';
    }
    if (said.kind === 'delivered' && end.itemsMac === (await fulfilment.macOf(purchase, said.items)))
      return 'heard';
    onContrary(purchase, said);
    return 'contrary';
  }

  /**
   * Ends an unresolved purchase without the supplier's answer. Undefined when it has ended already, and when it can't be
   * ended now: its items are entering own stock, or the disk is full. `origin` goes into the fact.
   */
  giveUp(purchase: SupplierPurchase, origin?: Origin): Promise<EndedSupplierPurchase | undefined> {
    return this.#alone(purchase, async (now) => {
      if (now?.phase !== 'unresolved' || !(await this.#forgetTexts(now))) return undefined;
      const ended = await this.#end(now, 'given-up', NO_LATE_ITEMS, NO_PLACE, origin);
      return ended instanceof Rejection ? undefined : ended;
    });
  }

  /** Only one at a time for a purchase: undefined when it is busy. `now` is undefined when it has ended. */
  async #alone<Result>(
    purchase: SupplierPurchase,
    work: (now: SupplierPurchase | undefined) => Result | Promise<Result>,
  ): Promise<Result | undefined> {
    const { supplierPurchaseId } = purchase;
    if (this.isBusy(purchase)) return undefined;
    const now = this.#options.engine.state.supplierPurchases.get(supplierPurchaseId);
    const done = Promise.resolve(now).then(work);
    this.#underWay.set(supplierPurchaseId, done);
    try {
      return await done;
    } finally {
      this.#underWay.delete(supplierPurchaseId);
    }
  }

  async #endOrder(
    purchase: SupplierPurchase,
    said: ProgressAnswer,
    unknownSinceMs: number | undefined,
  ): Promise<boolean> {
    if (said.kind === 'delivered') return this.#complete(purchase, said.items);
    const isLost = said.kind === 'unknown' && this.#isForGood(unknownSinceMs);
    if (said.kind !== 'failed' && !isLost) return true;
    if (!(await this.#forgetTexts(purchase))) return false;
    const { orderId, supplierPurchaseId } = purchase;
    return hasEnded(await this.#submit({ kind: 'FailOrder', orderId, supplierPurchaseId }));
  }

  async #complete(purchase: SupplierPurchase, items: readonly string[]): Promise<boolean> {
    const { orderId, supplierPurchaseId } = purchase;
    const now = () => this.#options.engine.state.supplierPurchases.get(supplierPurchaseId);
    const wrong = await whatIsWrongWith(items, purchase, this.#allowsDuplicates(purchase));
    const done =
      wrong !== undefined
        ? HAD_BEFORE
        : await this.#deliveries.run(async () =>
            this.#isClosed ? undefined : await this.#options.fulfilment.deliver(orderId, items, purchase),
          );
    // An operator who completes the order at this moment may yet be refused.
    if (done !== HAD_BEFORE) return done !== undefined && hasEnded(done) && now()?.phase !== 'pending';
    // The order fails, and the purchase stays open until what can be sold of it is own stock.
    if (!hasEnded(await this.#submit({ kind: 'FailOrder', orderId }))) return false;
    const open = now();
    return open?.phase !== 'unresolved' || (await this.#reconcile(open, { kind: 'delivered', items }));
  }

  #allowsDuplicates({ productId }: SupplierPurchase): boolean {
    return this.#options.engine.state.products.get(productId)?.profile.allowDuplicates === true;
  }

  async #reconcile(
    purchase: SupplierPurchase,
    said: ProgressAnswer,
    unknownSinceMs?: number,
  ): Promise<boolean> {
    // It may have been made by a clock that was ahead.
    const isLate =
      this.#options.clock() - purchase.createdAtMs > UNKNOWN_FOR_GOOD_MS || this.#isForGood(unknownSinceMs);
    if (said.kind === 'silent' || said.kind === 'pending' || (said.kind === 'unknown' && !isLate))
      return true;
    if (!(await this.#forgetTexts(purchase))) return false;
    if (said.kind === 'delivered') return this.#takeIn(purchase, said.items);
    return hasEnded(await this.#end(purchase, said.kind));
  }

  #isForGood(unknownSinceMs: number | undefined): boolean {
    return unknownSinceMs !== undefined && this.#options.clock() - unknownSinceMs > UNKNOWN_FOR_GOOD_MS;
  }

  /**
   * Removes what an attempt to deliver its order has left, so that it can be delivered again. Before the supplier purchase
   * ends: afterwards nothing leads there any more. False while the order is being completed.
   */
  async #forgetTexts({ orderId }: SupplierPurchase): Promise<boolean> {
    return orderId === NO_ORDER || (await this.#options.fulfilment.forget(orderId));
  }

  #takeIn(purchase: SupplierPurchase, all: readonly string[]): Promise<boolean> {
    return intoOwnStock(this.#options, purchase, all, async (items, place) =>
      hasEnded(await this.#end(purchase, 'delivered', items, place)),
    );
  }

  async #end(
    purchase: SupplierPurchase,
    result: EndedResult,
    items: LateItems = NO_LATE_ITEMS,
    place: LatePlace = NO_PLACE,
    origin?: Origin,
  ): Promise<EndedSupplierPurchase | Rejection> {
    const { accountId, productId, supplierPurchaseId } = purchase;
    const ids = { accountId, productId, supplierPurchaseId };
    const late = { delivered: items.delivered, count: items.intoStock, ...place };
    const command = { kind: 'ReconcileSupplierPurchase', ...ids, result, ...late } as const;
    const ended = await this.#submit(command, origin);
    if (hasEnded(ended)) this.#options.onReconciled(purchase, items);
    return ended;
  }

  #submit<C extends CommandOf<'FailOrder' | 'ReconcileSupplierPurchase'>>(
    command: C,
    origin?: Origin,
  ): Promise<Results[C['kind']] | Rejection> {
    return new Promise((resolve) => this.#options.engine.submit(command, resolve, origin));
  }
}

/** With this result, or before. */
function hasEnded(result: object): boolean {
  return !(result instanceof Rejection) || result.code === 'TRANSITION_NOT_ALLOWED';
}
