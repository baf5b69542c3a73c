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
import { itemBytes } from '../persistence/stock/intake/stock-lines.ts';
import { type OwedAmong, owedAmong } from '../persistence/stock/owed-texts.ts';
import { durableStockOf } from '../persistence/stock/product-stock.ts';
import { IntakeQueueFullError } from '../persistence/stock/stock-errors.ts';
import type { StockStore } from '../persistence/stock/stock-store.ts';
import { Bites } from '../shared/bites.ts';
import { Semaphore } from '../shared/semaphore.ts';
import { type ProgressAnswer, whatIsWrongWith } from './supplier-port.ts';

/** Wait for an operator's upload to the same product. Late items can come later; other purchases must be asked about. */
const UPLOAD_PATIENCE_MS = 500;
/**
 * After this time a supplier that answers "unknown" will never know the purchase: no request is on its way any more. For
 * a pending purchase the time begins with the first such answer: the supplier may have been restarted.
 */
const UNKNOWN_FOR_GOOD_MS = 10 * 60_000;

/** Counts of the items of an unresolved purchase that was delivered after all. */
export interface LateItems {
  readonly delivered: number;
  readonly intoStock: number;
  readonly duplicates: number;
  /** Blank, too long, or with characters that no item may have. */
  readonly unsellable: number;
}

const NO_LATE_ITEMS: LateItems = { delivered: 0, intoStock: 0, duplicates: 0, unsellable: 0 };
const NO_PLACE: Place = { firstItem: 0 };

/** Where late items are in own stock, what they were compared with, and the hash of all that were delivered. */
interface Place extends Partial<OwedAmong> {
  readonly firstItem: number;
  readonly recalledItems?: number;
  readonly itemsMac?: string;
}

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
      return (await this.#takeIn(purchase, said.items).catch(laterIfBusy)) ? 'heard' : 'later';
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
    if (said.kind === 'delivered') return this.#takeIn(purchase, said.items).catch(laterIfBusy);
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

  async #takeIn(purchase: SupplierPurchase, all: readonly string[]): Promise<boolean> {
    const items = await sellableOf(all);
    const late = { ...NO_LATE_ITEMS, delivered: all.length, unsellable: all.length - items.length };
    const { engine, stock, fulfilment } = this.#options;
    const itemsMac = await fulfilment.macOf(purchase, all);
    if (items.length === 0)
      return hasEnded(await this.#end(purchase, 'delivered', late, { ...NO_PLACE, itemsMac }));
    const { productId } = purchase;
    const intake = await stock.beginIntake({
      productId,
      patienceMs: UPLOAD_PATIENCE_MS,
      comesAgain: true,
      readStock: () => durableStockOf(engine, productId),
    });
    try {
      await intake.writeItems(items);
      const { firstItem, added: intoStock, duplicates } = await intake.finish();
      // An upload that had the texts may have come to nothing, by its sender or by a full disk.
      if (duplicates > 0 && !(intake.isAlone() && (await this.#isAllDurable()))) return false;
      const range = { firstItem, count: intoStock };
      const owed = await owedAmong(this.#options, productId, [range], firstItem + intoStock);
      if (owed instanceof Rejection) return false;
      const place = { firstItem, recalledItems: intake.recalledItems, itemsMac, ...owed };
      const taken = { ...late, intoStock, duplicates };
      return hasEnded(await this.#end(purchase, 'delivered', taken, place));
    } finally {
      intake.close();
    }
  }

  #isAllDurable(): Promise<boolean> {
    return new Promise((resolve) => this.#options.engine.whenDurable(resolve));
  }

  async #end(
    purchase: SupplierPurchase,
    result: EndedResult,
    items: LateItems = NO_LATE_ITEMS,
    place: Place = NO_PLACE,
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

/** While an operator's upload is in progress, the supplier is asked for the items again later. */
function laterIfBusy(error: unknown): false {
  if (error instanceof IntakeQueueFullError) return false;
  throw error;
}

async function sellableOf(items: readonly string[]): Promise<string[]> {
  const bites = new Bites();
  const sellable: string[] = [];
  for (const item of items) {
    if (bites.isFull) await bites.rest();
    if (isSellable(item)) sellable.push(item);
  }
  return sellable;
}

function isSellable(item: string): boolean {
  try {
    itemBytes(item, 1);
    return true;
  } catch {
    return false;
  }
}
