/**
 * Purchases that one of a product's sources delivers, from the durable hold to the buyer's answer.
 *
 * Invariants:
 * - a supplier is asked once, after the hold is durable, and the next source after its passing on is;
 * - another source is asked only when the one before has certainly sold nothing, and only within one time for all;
 * - all requests with the key wait for one answer, which leaves after its fact is durable;
 * - delivered items are claimed before the charge, so that no text of a product is sold twice;
 * - a hold that can't be ended because the disk is full is ended later, whatever its waiters were answered;
 * - holds that are open when the node stops stay open: the next start releases them and asks the supplier.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandOf, PurchaseInProgress, PurchaseResult, Results } from '../engine/decide/command.ts';
import { Rejection } from '../engine/decide/rejection.ts';
import type { Engine } from '../engine/loop/engine.ts';
import type { ReplyTo } from '../engine/loop/group.ts';
import { NO_KEY, type Order } from '../engine/orders.ts';
import type { ReleaseCode, SupplierPurchase } from '../engine/supplying/supplier-purchases.ts';
import { HAD_BEFORE, MAX_SUPPLIED_AT_ONCE, type OrderFulfilment } from '../fulfilment/order-fulfilment.ts';
import { Semaphore } from '../shared/semaphore.ts';
import { type PurchaseAnswer, type SupplierPort, whatIsWrongWith } from './supplier-port.ts';

/** Requests that wait with the first one of their key; any more are answered `RATE_LIMITED`. */
const MAX_WAITERS_PER_KEY = 64;
const RETRY_DELAY_MS = 250;
/** The part of the time that another source needs: with less it would hardly answer, and sell what nobody bought. */
const LEAST_LEFT = 1 / 3;
/** For an order from the bot. */
const NOT_PAID = 'The supplier did not deliver; nothing was charged, and the order is still processing.';
const STOPPED = new Error('the node stops');

const RELEASE_CODE = {
  out_of_stock: 'OUT_OF_STOCK',
  unreached: 'PURCHASE_FAILED',
  failed: 'PURCHASE_FAILED',
  timeout: 'PROVIDER_TIMEOUT',
} as const satisfies Record<string, ReleaseCode>;

export interface SupplierPurchasingOptions {
  readonly engine: Engine;
  readonly fulfilment: OrderFulfilment;
  readonly supplier: SupplierPort;
  /** For all sources of a purchase together. */
  readonly timeoutMs: number;
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number;
  /** Told of every delivery whether it is what was bought. */
  readonly onDelivered: (purchase: SupplierPurchase, isRight: boolean) => void;
  /** Told why a purchase failed. */
  readonly onFailure: (purchase: SupplierPurchase, why: string) => void;
  /** Told of errors of the program. */
  readonly onFault: (error: unknown) => void;
}

type PurchaseReply = ReplyTo<PurchaseResult>;
type NotDelivered = Exclude<PurchaseAnswer, { kind: 'delivered' | 'pending' }>;

interface Waiting {
  readonly replies: PurchaseReply[];
  /** Until then sources have time to answer, by `monotonicMs`. */
  readonly dueMs: number;
  /** The supplier purchases that were made for it, one for each source asked. */
  readonly ids: number[];
}

export class SupplierPurchasing {
  readonly #options: SupplierPurchasingOptions;
  readonly #byPurchase = new Map<number, Waiting>();
  /** Requests that wait for an order that exists and is about to be delivered. */
  readonly #byOrder = new Map<number, Waiting>();
  readonly #serving = new Set<Promise<void>>();
  readonly #deliveries = new Semaphore(MAX_SUPPLIED_AT_ONCE);
  #isStopped = false;

  constructor(options: SupplierPurchasingOptions) {
    this.#options = options;
  }

  /** Purchases in progress. */
  get underWay(): number {
    return this.#serving.size;
  }

  /** Whether the purchase is in progress here, so that nobody else may end it. */
  isServing({ supplierPurchaseId }: SupplierPurchase): boolean {
    return this.#byPurchase.has(supplierPurchaseId);
  }

  /** Answers when the purchase has its outcome. Asks the supplier if the purchase is new. */
  wait({ supplierPurchase, isNew }: PurchaseInProgress, replyTo: PurchaseReply): void {
    const waiting = this.#byPurchase.get(supplierPurchase.supplierPurchaseId);
    if (waiting !== undefined) join(waiting, replyTo);
    else if (isNew && !this.#isStopped) this.#begin(supplierPurchase, replyTo);
    else replyTo(internalError(this.#isStopped ? STOPPED.message : 'somebody else ends the purchase now'));
  }

  /** Answers with the order once it is delivered. False, and no answer, when no delivery of it is in progress. */
  waitForDelivery(order: Order, replyTo: PurchaseReply): boolean {
    const waiting = this.#byOrder.get(order.orderId);
    if (waiting === undefined) return false;
    join(waiting, replyTo);
    return true;
  }

  /** Resolves when each purchase in progress has its outcome, whoever waits for it; on a full disk that may be never. */
  async drain(): Promise<void> {
    while (this.#serving.size > 0) await Promise.all(this.#serving);
  }

  /** Resolves when nothing more is submitted or written; takes as long as the suppliers that are being asked. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#serving);
  }

  #begin(purchase: SupplierPurchase, replyTo: PurchaseReply): void {
    const dueMs = this.#options.monotonicMs() + this.#options.timeoutMs;
    const waiting: Waiting = { replies: [replyTo], dueMs, ids: [] };
    this.#register(purchase, waiting);
    const serving = this.#serve(purchase, waiting)
      .catch((error: unknown) => {
        if (error !== STOPPED) this.#options.onFault(error);
        answer(waiting, internalError(error instanceof Error ? error.message : String(error)));
      })
      .finally(() => {
        for (const id of waiting.ids) this.#byPurchase.delete(id);
        this.#serving.delete(serving);
      });
    this.#serving.add(serving);
  }

  #register({ supplierPurchaseId }: SupplierPurchase, waiting: Waiting): void {
    this.#byPurchase.set(supplierPurchaseId, waiting);
    waiting.ids.push(supplierPurchaseId);
  }

  /** From source to source. */
  async #serve(first: SupplierPurchase, waiting: Waiting): Promise<void> {
    for (let asked: SupplierPurchase | undefined = first; asked !== undefined; )
      asked = await this.#serveAt(asked, waiting);
  }

  /** Whole milliseconds, as timers take them. */
  #leftMs({ dueMs }: Waiting): number {
    return Math.floor(dueMs - this.#options.monotonicMs());
  }

  /** The purchase of the next source, when this one has sold nothing. */
  async #serveAt(purchase: SupplierPurchase, waiting: Waiting): Promise<SupplierPurchase | undefined> {
    this.#throwIfStopped();
    const { supplier, fulfilment, onDelivered } = this.#options;
    const said = await supplier.purchase(purchase, this.#leftMs(waiting));
    try {
      this.#throwIfStopped();
      if (said.kind === 'pending') {
        answer(waiting, { order: await this.#submit(waiting, capture(purchase)), replayed: false });
      } else if (said.kind === 'delivered') {
        const wrong = await this.#whatIsWrongWith(said.items, purchase);
        this.#throwIfStopped();
        onDelivered(purchase, wrong === undefined);
        if (wrong === undefined) await this.#deliver(purchase, said.items, waiting);
        else await this.#release(purchase, { kind: 'failed', why: wrong }, waiting);
      } else return await this.#release(purchase, said, waiting);
      return undefined;
    } finally {
      fulfilment.dropReservation(purchase);
    }
  }

  async #whatIsWrongWith(items: readonly string[], purchase: SupplierPurchase): Promise<string | undefined> {
    const { engine, fulfilment, onFault } = this.#options;
    const product = engine.state.products.get(purchase.productId);
    const wrong = await whatIsWrongWith(items, purchase, product?.profile.allowDuplicates === true);
    if (wrong !== undefined) return wrong;
    try {
      const isClaimed = await fulfilment.reservation(items, purchase);
      return isClaimed ? undefined : 'an item that the product had before';
    } catch (error) {
      if (!this.#isStopped) onFault(error);
      return "items that can't be compared with those that the product had before";
    }
  }

  async #deliver(purchase: SupplierPurchase, items: readonly string[], waiting: Waiting): Promise<void> {
    const register = ({ orderId }: Order) => this.#byOrder.set(orderId, waiting);
    const order = await this.#submit(waiting, capture(purchase), register);
    // If it can't be delivered now, it is pending like any other, and the supplier will be asked for the items.
    const delivered = (await this.#complete(order, items, purchase)) ?? order;
    answer(waiting, { order: delivered, replayed: false });
    this.#byOrder.delete(order.orderId);
  }

  async #complete(
    { orderId }: Order,
    items: readonly string[],
    purchase: SupplierPurchase,
  ): Promise<Order | undefined> {
    const { fulfilment, onFault } = this.#options;
    try {
      const delivered = await this.#deliveries.run(async () =>
        this.#isStopped ? undefined : await fulfilment.deliver(orderId, items, purchase),
      );
      return delivered === HAD_BEFORE || delivered instanceof Rejection ? undefined : delivered;
    } catch (error) {
      onFault(error);
      return undefined;
    }
  }

  /** The purchase of the next source, which the hold is passed on to; or the buyer is answered. */
  async #release(
    purchase: SupplierPurchase,
    said: NotDelivered,
    waiting: Waiting,
  ): Promise<SupplierPurchase | undefined> {
    const code = RELEASE_CODE[said.kind];
    const isUnresolved = said.kind === 'failed' || said.kind === 'timeout';
    const mayPass = !isUnresolved && this.#leftMs(waiting) >= this.#options.timeoutMs * LEAST_LEFT;
    const { accountId, productId, supplierPurchaseId } = purchase;
    const ids = { accountId, productId, supplierPurchaseId };
    const command = { kind: 'ReleaseHold', ...ids, code, isUnresolved, mayPass } as const;
    const released = await this.#submit(waiting, command, (next) => {
      if (typeof next !== 'number') this.#register(next.supplierPurchase, waiting);
    });
    const why = 'why' in said ? said.why : said.kind;
    if (said.kind !== 'out_of_stock') this.#options.onFailure(purchase, why);
    if (typeof released !== 'number') return released.supplierPurchase;
    const message = purchase.idempotencyKey === NO_KEY ? NOT_PAID : undefined;
    answer(waiting, new Rejection(code, message, null, false, `supplier ${purchase.supplierId}: ${why}`));
    return undefined;
  }

  /**
   * The command's result. On a full disk it is tried again until it succeeds, while the waiters are answered already.
   * `onResult` is called before anybody else who is answered by the same commit. Throws `STOPPED`.
   */
  async #submit<C extends CommandOf<'CaptureHold' | 'ReleaseHold'>>(
    waiting: Waiting,
    command: C,
    onResult?: (result: Results[C['kind']]) => void,
  ): Promise<Results[C['kind']]> {
    for (;;) {
      const result = await new Promise<Results[C['kind']] | Rejection>((resolve) => {
        this.#options.engine.submit(command, (result: Results[C['kind']] | Rejection) => {
          if (!(result instanceof Rejection)) onResult?.(result);
          resolve(result);
        });
      });
      if (!(result instanceof Rejection)) return result;
      if (result.code === 'INTERNAL_ERROR') answer(waiting, result);
      else if (result.code !== 'RATE_LIMITED') throw new Error(`${command.kind}: ${result.message}`);
      await delay(RETRY_DELAY_MS, undefined, { ref: false });
      this.#throwIfStopped();
    }
  }

  #throwIfStopped(): void {
    if (this.#isStopped) throw STOPPED;
  }
}

function internalError(cause: string): Rejection {
  return new Rejection('INTERNAL_ERROR', undefined, null, false, cause);
}

function capture({ accountId, productId, supplierPurchaseId }: SupplierPurchase): CommandOf<'CaptureHold'> {
  return { kind: 'CaptureHold', accountId, productId, supplierPurchaseId };
}

function join({ replies }: Waiting, replyTo: PurchaseReply): void {
  if (replies.length < MAX_WAITERS_PER_KEY) replies.push(replyTo);
  else replyTo(new Rejection('RATE_LIMITED'));
}

/** Answers each waiter once. All but the first are told that it is a replay. */
function answer({ replies }: Waiting, result: PurchaseResult | Rejection): void {
  for (const [index, replyTo] of replies.splice(0).entries())
    replyTo(index === 0 ? result : repeated(result));
}

function repeated(result: PurchaseResult | Rejection): PurchaseResult | Rejection {
  if (!(result instanceof Rejection)) return { ...result, replayed: true };
  const isStored = result.code === 'PURCHASE_FAILED' || result.code === 'PROVIDER_TIMEOUT';
  return isStored ? new Rejection(result.code, result.message, null, true, result.cause) : result;
}
