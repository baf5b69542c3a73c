/**
 * Purchases that a supplier is asked for, from the durable hold to the answer.
 *
 * What always holds: the supplier is asked once, after the hold is durable; everybody who came with the key
 * meanwhile gets the one answer, after the fact that it rests on is durable. What it delivers is claimed before it is
 * charged: no text of a product is sold twice. A hold that can't be ended now, because the disk is full, is ended
 * later, whatever its waiters were told. When the node stops, holds are left as they are: the next start releases
 * them, and asks the supplier how it went.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command, CommandOf, PurchaseInProgress, PurchaseResult, Results } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { ReplyTo } from '../engine/group.ts';
import { NO_KEY, type Order } from '../engine/orders.ts';
import { Rejection } from '../engine/rejection.ts';
import type { ReleaseCode, SupplierPurchase } from '../engine/supplier-purchases.ts';
import { HAD_BEFORE, MAX_SUPPLIED_AT_ONCE, type OrderFulfilment } from '../fulfilment/order-fulfilment.ts';
import { Turns } from '../persistence/turns.ts';
import { type PurchaseAnswer, type SupplierPort, whatIsWrongWith } from './supplier-port.ts';

/** Requests that wait with the first one of their key; one more is told to come back. */
const MAX_WAITERS_PER_KEY = 64;
const RETRY_DELAY_MS = 250;
/** Of an order from the bot. */
const NOT_PAID = 'The supplier did not deliver; nothing was charged, and the order is still processing.';

export interface SupplierPurchaseDeskOptions {
  readonly engine: Engine;
  readonly deliveries: OrderFulfilment;
  readonly supplier: SupplierPort;
  /** Told of every delivery whether it is what was bought. */
  readonly onDelivered: (supplierPurchase: SupplierPurchase, isRight: boolean) => void;
  /** Told why a purchase failed. */
  readonly onFailure: (supplierPurchase: SupplierPurchase, why: string) => void;
  /** Told of what should not have happened. */
  readonly onFault: (error: unknown) => void;
}

type PurchaseReply = ReplyTo<PurchaseResult>;

interface Waiting {
  readonly replies: PurchaseReply[];
}

export class SupplierPurchasing {
  readonly #options: SupplierPurchaseDeskOptions;
  readonly #bySupplierPurchase = new Map<number, Waiting>();
  /** The same, from the moment that there is an order which is about to be delivered. */
  readonly #byOrder = new Map<number, Waiting>();
  readonly #serving = new Set<Promise<void>>();
  readonly #turns = new Turns(MAX_SUPPLIED_AT_ONCE);
  #isStopped = false;

  constructor(options: SupplierPurchaseDeskOptions) {
    this.#options = options;
  }

  /** Purchases whose end somebody here waits for. */
  get underWay(): number {
    return this.#bySupplierPurchase.size;
  }

  /** Whether its first answer is being worked on: nobody else may end it meanwhile. */
  isServing({ supplierPurchaseId }: SupplierPurchase): boolean {
    return this.#bySupplierPurchase.has(supplierPurchaseId);
  }

  /** Answers when the purchase has its outcome; asks the supplier when nobody has yet. */
  wait({ supplierPurchase, isNew }: PurchaseInProgress, replyTo: PurchaseReply): void {
    const waiting = this.#bySupplierPurchase.get(supplierPurchase.supplierPurchaseId);
    if (waiting !== undefined) join(waiting, replyTo);
    else if (isNew && !this.#isStopped) this.#begin(supplierPurchase, replyTo);
    else replyTo(new Rejection('INTERNAL_ERROR'));
  }

  /** Answers with the order once it is delivered, when that is under way at this moment; else says false. */
  waitForDelivery(order: Order, replyTo: PurchaseReply): boolean {
    const waiting = this.#byOrder.get(order.orderId);
    if (waiting === undefined) return false;
    join(waiting, replyTo);
    return true;
  }

  /**
   * What is under way comes to nothing here. Resolves when nothing more is submitted or written, which takes as long
   * as the suppliers that are being asked.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#serving);
  }

  #begin(supplierPurchase: SupplierPurchase, replyTo: PurchaseReply): void {
    const waiting: Waiting = { replies: [replyTo] };
    this.#bySupplierPurchase.set(supplierPurchase.supplierPurchaseId, waiting);
    const serving = this.#serve(supplierPurchase, waiting)
      .catch((error: unknown) => {
        this.#options.onFault(error);
        answer(waiting, new Rejection('INTERNAL_ERROR'));
      })
      .finally(() => {
        this.#bySupplierPurchase.delete(supplierPurchase.supplierPurchaseId);
        this.#serving.delete(serving);
      });
    this.#serving.add(serving);
  }

  async #serve(supplierPurchase: SupplierPurchase, waiting: Waiting): Promise<void> {
    const { supplier, deliveries } = this.#options;
    const said = await supplier.purchase(supplierPurchase);
    try {
      await this.#end(supplierPurchase, said, waiting);
    } finally {
      deliveries.dropClaim(supplierPurchase);
    }
  }

  async #end(supplierPurchase: SupplierPurchase, said: PurchaseAnswer, waiting: Waiting): Promise<void> {
    const { onDelivered } = this.#options;
    if (this.#isStopped) return answer(waiting, new Rejection('INTERNAL_ERROR'));
    if (said.kind === 'pending') {
      const order = await this.#settle(waiting, capture(supplierPurchase));
      if (order !== undefined) answer(waiting, { order, replayed: false });
      return;
    }
    if (said.kind !== 'delivered') return this.#release(supplierPurchase, said, waiting);
    const wrong = await this.#whatIsWrongWith(said.items, supplierPurchase);
    if (this.#isStopped) return answer(waiting, new Rejection('INTERNAL_ERROR'));
    if (wrong === undefined) {
      await this.#deliver(supplierPurchase, said.items, waiting);
      onDelivered(supplierPurchase, true);
    } else {
      onDelivered(supplierPurchase, false);
      await this.#release(supplierPurchase, { kind: 'failed', why: wrong }, waiting);
    }
  }

  async #whatIsWrongWith(
    items: readonly string[],
    supplierPurchase: SupplierPurchase,
  ): Promise<string | undefined> {
    const { engine, deliveries, onFault } = this.#options;
    const product = engine.state.products.get(supplierPurchase.productId);
    const wrong = whatIsWrongWith(items, supplierPurchase, product?.profile.allowDuplicates === true);
    if (wrong !== undefined) return wrong;
    try {
      return (await deliveries.claim(items, supplierPurchase))
        ? undefined
        : 'an item that the product has had already';
    } catch (error) {
      if (!this.#isStopped) onFault(error);
      return "items that can't be compared with those that the product has had";
    }
  }

  async #deliver(
    supplierPurchase: SupplierPurchase,
    items: readonly string[],
    waiting: Waiting,
  ): Promise<void> {
    const register = ({ orderId }: Order) => this.#byOrder.set(orderId, waiting);
    const order = await this.#settle(waiting, capture(supplierPurchase), register);
    if (order === undefined) return;
    // Not delivered now, it is pending like any other, and will be asked for.
    const delivered = (await this.#complete(order, items, supplierPurchase)) ?? order;
    answer(waiting, { order: delivered, replayed: false });
    this.#byOrder.delete(order.orderId);
  }

  async #complete(
    order: Order,
    items: readonly string[],
    supplierPurchase: SupplierPurchase,
  ): Promise<Order | undefined> {
    const { deliveries, onFault } = this.#options;
    try {
      const delivered = await this.#turns.take(async () =>
        this.#isStopped ? undefined : await deliveries.deliver(order.orderId, items, supplierPurchase),
      );
      return delivered === HAD_BEFORE || delivered instanceof Rejection ? undefined : delivered;
    } catch (error) {
      onFault(error);
      return undefined;
    }
  }

  async #release(
    supplierPurchase: SupplierPurchase,
    said: Exclude<PurchaseAnswer, { kind: 'delivered' | 'pending' }>,
    waiting: Waiting,
  ): Promise<void> {
    const code = RELEASE_CODE[said.kind];
    const isUnresolved = said.kind === 'failed' || said.kind === 'timeout';
    const { accountId, productId, supplierPurchaseId } = supplierPurchase;
    const command: CommandOf<'ReleaseHold'> = {
      kind: 'ReleaseHold',
      accountId,
      productId,
      supplierPurchaseId,
      code,
      isUnresolved,
    };
    if ((await this.#settle(waiting, command)) === undefined) return;
    if (said.kind !== 'out_of_stock')
      this.#options.onFailure(supplierPurchase, 'why' in said ? said.why : said.kind);
    const message = supplierPurchase.idempotencyKey === NO_KEY ? NOT_PAID : undefined;
    answer(waiting, new Rejection(code, message));
  }

  /**
   * The command's result; undefined when the node stops before there is one. `hear` is told of it at once: whoever is
   * answered out of the same group comes before what waits for the promise.
   */
  async #settle<C extends CommandOf<'CaptureHold' | 'ReleaseHold'>>(
    waiting: Waiting,
    command: C,
    hear?: (result: Results[C['kind']]) => void,
  ): Promise<Results[C['kind']] | undefined> {
    for (;;) {
      const result = await this.#submit(command, hear);
      if (!(result instanceof Rejection)) return result;
      if (result.code === 'INTERNAL_ERROR') answer(waiting, result);
      else if (result.code !== 'RATE_LIMITED') throw new Error(`${command.kind}: ${result.message}`);
      await delay(RETRY_DELAY_MS, undefined, { ref: false });
      if (this.#isStopped) return answer(waiting, new Rejection('INTERNAL_ERROR'));
    }
  }

  #submit<C extends Command>(
    command: C,
    hear: ((result: Results[C['kind']]) => void) | undefined,
  ): Promise<Results[C['kind']] | Rejection> {
    return new Promise((resolve) => {
      this.#options.engine.submit(command, (result) => {
        if (!(result instanceof Rejection)) hear?.(result);
        resolve(result);
      });
    });
  }
}

const RELEASE_CODE = {
  out_of_stock: 'OUT_OF_STOCK',
  unreached: 'PURCHASE_FAILED',
  failed: 'PURCHASE_FAILED',
  timeout: 'PROVIDER_TIMEOUT',
} as const satisfies Record<string, ReleaseCode>;

function capture({ accountId, productId, supplierPurchaseId }: SupplierPurchase): CommandOf<'CaptureHold'> {
  return { kind: 'CaptureHold', accountId, productId, supplierPurchaseId };
}

function join({ replies }: Waiting, replyTo: PurchaseReply): void {
  if (replies.length < MAX_WAITERS_PER_KEY) replies.push(replyTo);
  else replyTo(new Rejection('RATE_LIMITED'));
}

/** Each gets one answer. Those after the first are told that it isn't the first time. */
function answer({ replies }: Waiting, result: PurchaseResult | Rejection): undefined {
  const waiters = replies.splice(0);
  for (const [index, replyTo] of waiters.entries()) replyTo(index === 0 ? result : repeated(result));
  return undefined;
}

function repeated(result: PurchaseResult | Rejection): PurchaseResult | Rejection {
  if (!(result instanceof Rejection)) return { ...result, replayed: true };
  const isStored = result.code === 'PURCHASE_FAILED' || result.code === 'PROVIDER_TIMEOUT';
  return isStored ? new Rejection(result.code, result.message, null, true) : result;
}
