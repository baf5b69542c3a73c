/**
 * Puts orders of a gap back that receipts prove (docs/decisions/0032).
 *
 * Invariant: the outcome of a receipt is decided before anything is changed, so an invalid one changes nothing; an
 * order's texts are on disk before its fact; and each step may be repeated, so who was interrupted takes the same
 * receipts in again. In whatever order the receipts of one order come, it is in the end as the newest says. An order
 * whose texts can't all be found is recovered as pending, for the operator to deliver. Its buyer has those of its items
 * that were found, and has seen those that were replaced: so these are the order's, too, never for sale again and never
 * given back as withdrawn; of those that weren't found, the engine keeps the hashes (`OutstandingItems`).
 */
import { NO_ADJUSTMENTS, refundedMicros } from '../engine/adjustments.ts';
import type { Command, Results } from '../engine/decide/command.ts';
import { decide } from '../engine/decide/decide.ts';
import { type History, orderOf } from '../engine/decide/history.ts';
import { Rejection } from '../engine/decide/rejection.ts';
import type { Engine } from '../engine/loop/engine.ts';
import { microsFromUsdt } from '../engine/money.ts';
import type { Order } from '../engine/orders.ts';
import type { Origin } from '../engine/origin.ts';
import { isNewerThan, type OutstandingItems } from '../engine/recovery/outstanding-items.ts';
import type { ComparedOrder } from '../engine/recovery/recovery-commands.ts';
import { FileError } from '../persistence/files/file-errors.ts';
import type { FileStore } from '../persistence/files/file-store.ts';
import type { StockStore } from '../persistence/stock/stock-store.ts';
import { type ProvingShop, parseReceipt } from '../receipts/receipt.ts';
import { formerNumbers, type ReceiptClaims } from '../receipts/receipt-claims.ts';
import type { SoldItems, SoldWanted } from './item-search.ts';
import { NotNowError, saysNothing } from './not-now-error.ts';
import { pendingReason } from './pending-reason.ts';
import {
  commandOf,
  comparedOf,
  hasItems,
  inOrder,
  isSameOrder,
  isSameOutstanding,
  isUnchanged,
  madeAt,
  outstandingBy,
  type RecoverOrder,
  searched,
  wholeOf,
  wholeTexts,
} from './proved-order.ts';
import { laterThan } from './receipt-news.ts';
import { SoldItemsFinder } from './sold-items.ts';

export interface ReceiptRecoveryOptions {
  readonly shop: ProvingShop;
  readonly engine: Engine;
  readonly history: History;
  readonly stock: StockStore;
  readonly files: FileStore;
  readonly fulfilment: {
    /** Each text is opened when it is asked for. */
    readonly textsOf: (order: Order) => Iterable<string>;
    /** While nobody completes the order; undefined, and nothing done, when somebody does. */
    alone<Result>(orderId: number, work: () => Promise<Result>): Promise<Result | undefined>;
  };
}

export interface Recovered {
  readonly orderId: number;
  /** False when the order was there already. */
  readonly isNew: boolean;
  /** Whether its debit waits for a credit that was lost. */
  readonly waits: boolean;
  /** The operator's next step, or the reason for none, in words; undefined when there is nothing to say. */
  readonly pendingBecause: string | undefined;
}

type Result = Recovered | { readonly reason: string };

/** News in a receipt about an order that is there, and the items that were found for it. */
interface News {
  readonly claims: ReceiptClaims;
  readonly wanted: SoldWanted;
  readonly sold: SoldItems;
  /** The product's, before anything was looked for. */
  readonly end: number;
  readonly compared: ComparedOrder;
  readonly origin: Origin;
}

/** How often a receipt is looked at when items come or its order changes meanwhile; then it is listed, to be taken in again. */
const MAX_SEARCHES = 3;

export class ReceiptRecovery {
  readonly #options: ReceiptRecoveryOptions;
  readonly #finder: SoldItemsFinder;
  /** By order: several receipts of one are taken in one after the other. */
  readonly #underWay = new Map<number, Promise<unknown>>();

  constructor(options: ReceiptRecoveryOptions) {
    this.#options = options;
    this.#finder = new SoldItemsFinder(options.engine, options.history, options.stock);
  }

  /**
   * Resolves with what the receipt led to, durable, or with why it counts for nothing. Rejects with `NotNowError`
   * and `StockError`; then it may be tried again.
   */
  async recover(receipt: string, origin: Origin): Promise<Result> {
    const parsed = parseReceipt(receipt, this.#options.shop);
    if ('reason' in parsed) return parsed;
    const { claims } = parsed;
    const { orderId } = claims;
    const before = this.#underWay.get(orderId) ?? Promise.resolve();
    const done = before.then(() => this.#recover(claims, origin));
    const ended = done.catch(() => undefined);
    this.#underWay.set(orderId, ended);
    try {
      return await done;
    } finally {
      if (this.#underWay.get(orderId) === ended) this.#underWay.delete(orderId);
    }
  }

  async #recover(claims: ReceiptClaims, origin: Origin): Promise<Result> {
    const endNow = () => this.#options.engine.state.stock.of(claims.productId).end;
    const orderNow = () => this.#orderOf(claims.orderId);
    for (let searches = 1; ; searches += 1) {
      const [end, before] = [endNow(), orderNow()];
      const result = await this.#recoverOnce(claims, end, origin);
      const isAsBefore = endNow() === end && isUnchanged(before, orderNow());
      if (!('reason' in result) || isAsBefore || searches === MAX_SEARCHES) return result;
    }
  }

  /** `end` is the product's, before anything is looked for. */
  async #recoverOnce(claims: ReceiptClaims, end: number, origin: Origin): Promise<Result> {
    const known = this.#orderOf(claims.orderId);
    if (known !== undefined && known.status !== 'processing') {
      if (!isSameOrder(known, claims))
        return { reason: `it contradicts order ${known.orderId}, which is known` };
      const wanted = await this.#newsOf(known, claims);
      if (wanted === undefined) return this.#refund(claims, false, undefined, origin);
      const sold = await this.#finder.find(claims, wanted);
      const news = { claims, wanted, sold, end, compared: comparedOf(known), origin };
      const refusal = await this.#amend(known, news).finally(sold.letGo);
      return refusal === undefined ? this.#refund(claims, false, sold, origin) : { reason: refusal };
    }
    const fileId = await this.#fileOf(claims);
    const sold = await this.#finder.find(claims, wholeOf(claims));
    return await this.#recoverWith(claims, fileId, sold, end, origin).finally(sold.letGo);
  }

  /** The receipt's news about an order that is there; undefined when there are none. */
  async #newsOf(known: Order, claims: ReceiptClaims): Promise<SoldWanted | undefined> {
    const { state } = this.#options.engine;
    // Its supplier is asked about it, and delivers it again.
    if (state.supplierPurchases.ofOrder(known.orderId) !== undefined) return undefined;
    const outstanding = this.#outstandingOf(known);
    if (outstanding !== undefined && isNewerThan(outstanding, madeAt(claims))) return undefined;
    if (!hasItems(known)) {
      return claims.itemHashes.length === 0
        ? undefined
        : { ...wholeOf(claims), has: outstanding?.found ?? [] };
    }
    const { formerItems = [] } = claims;
    // What own stock delivered at once is what the receipt says.
    if (known.textCount === 0 && formerItems.length === 0 && outstanding === undefined) return undefined;
    const shown = this.#options.fulfilment.textsOf(known);
    const { places, former } = await laterThan(shown, this.#hadBy(known), claims);
    const isNews = places.length > 0 || former.some(({ isOvertaken }) => isOvertaken);
    return isNews || outstanding !== undefined ? { places, former, has: [] } : undefined;
  }

  /** The texts that others took the places of, as far as the order says. */
  *#hadBy(order: Order): Generator<string> {
    if (order.adjustments.length === 0) return;
    const { engine, fulfilment, stock } = this.#options;
    const { productId } = order;
    const { end } = engine.state.stock.of(productId);
    yield* fulfilment.textsOf({ ...order, adjustments: NO_ADJUSTMENTS });
    for (const item of formerNumbers(order)) yield* stock.readItems(productId, item, 1, end);
  }

  /** Makes the order what the receipt says, as far as its items are found. Resolves with what stands against it. */
  async #amend(known: Order, news: News): Promise<string | undefined> {
    const { orderId } = known;
    const isDone = await this.#options.fulfilment.alone(orderId, async () => {
      const order = this.#orderOf(orderId) ?? known;
      return { refusal: await this.#amendWith(order, news) };
    });
    if (isDone !== undefined) return isDone.refusal;
    throw new NotNowError(new Rejection('RATE_LIMITED', `Order ${orderId} is being completed: try again.`));
  }

  async #amendWith(
    order: Order,
    { claims, wanted, sold, end, compared, origin }: News,
  ): Promise<string | undefined> {
    const { orderId, accountId, productId, status } = order;
    const { orderTexts } = this.#options.stock;
    const texts = status === 'pending_delivery' ? wholeTexts(claims, sold) : [];
    const replaced = hasItems(order) ? inOrder(sold.numbers) : [];
    const isPending = status === 'pending_delivery' && texts.length === 0;
    const outstanding = outstandingBy(claims, wanted, sold, isPending);
    const isSame = isSameOutstanding(outstanding, this.#outstandingOf(order));
    if (sold.items.length === 0 && texts.length === 0 && isSame) return undefined;
    if (texts.length > 0) await orderTexts.write(orderId, texts, { productId });
    const ids = { orderId, accountId, productId };
    const { items } = sold;
    const found = searched(outstanding, end);
    const amendment = { ...ids, items, textCount: texts.length, replaced, outstanding, ...found };
    const amended = await this.#submit({ kind: 'AmendOrder', ...amendment, compared }, origin);
    const isDelivered = (this.#orderOf(orderId)?.textCount ?? 0) > 0;
    if (texts.length > 0 && !isDelivered) await orderTexts.remove(orderId);
    return amended instanceof Rejection ? amended.message : undefined;
  }

  async #recoverWith(
    claims: ReceiptClaims,
    fileId: string | null,
    sold: SoldItems,
    end: number,
    origin: Origin,
  ): Promise<Result> {
    const texts = wholeTexts(claims, sold);
    const isPending = texts.length === 0 && fileId === null;
    const outstanding = outstandingBy(claims, wholeOf(claims), sold, isPending);
    const command = commandOf(claims, fileId, texts.length, sold.items, outstanding, end);
    const refusal = this.#refusalOf(command);
    if (refusal !== undefined) return { reason: refusal };
    const { orderTexts } = this.#options.stock;
    if (texts.length > 0) await orderTexts.write(claims.orderId, texts, { productId: claims.productId });
    const recovered = await this.#submit(command, origin);
    if (recovered instanceof Rejection) {
      const hasTexts = (this.#orderOf(claims.orderId)?.textCount ?? 0) > 0;
      if (texts.length > 0 && !hasTexts) await orderTexts.remove(claims.orderId);
      return { reason: recovered.message };
    }
    return this.#refund(claims, true, sold, origin);
  }

  /** Repeats what was refunded in the gap, once the order's own money has moved. */
  async #refund(
    claims: ReceiptClaims,
    isNew: boolean,
    sold: SoldItems | undefined,
    origin: Origin,
  ): Promise<Result> {
    const { orderId, refundedUsdt = 0 } = claims;
    const { state } = this.#options.engine;
    const waits = state.waitingDebits.get(orderId) !== undefined;
    const { status = 'failed', adjustments = [] } = this.#orderOf(orderId) ?? {};
    const amountMicros = (microsFromUsdt(refundedUsdt) ?? 0) - refundedMicros(adjustments);
    // Of an order that failed since, all has come back.
    if (!waits && amountMicros > 0 && status !== 'failed') {
      const refund = await this.#submit({ kind: 'RefundOrder', orderId, amountMicros }, origin);
      if (refund instanceof Rejection) return { reason: refund.message };
    }
    const now = this.#orderOf(orderId);
    const pendingBecause = now && pendingReason(state, now, this.#outstandingOf(now), claims, isNew, sold);
    return { orderId, isNew, waits, pendingBecause };
  }

  #outstandingOf({ orderId, productId }: Order): OutstandingItems | undefined {
    return this.#options.engine.state.stock.lost(productId)?.outstandingOf(orderId);
  }

  /** In the engine's words, before anything is changed. */
  #refusalOf(command: RecoverOrder): string | undefined {
    const { engine, history } = this.#options;
    const decision = decide(engine.state, history, command, engine.state.lastAtMs);
    return decision instanceof Rejection ? decision.message : undefined;
  }

  /** Null when there is none, or it was lost. */
  async #fileOf({ fileId }: ReceiptClaims): Promise<string | null> {
    if (fileId === undefined) return null;
    try {
      const file = await this.#options.files.openFile(fileId);
      await file.close();
      return fileId;
    } catch (error) {
      if (FileError.is(error, 'unreadable')) return null;
      throw error;
    }
  }

  #orderOf(orderId: number): Order | undefined {
    const { engine, history } = this.#options;
    return orderOf(engine.state, history, orderId);
  }

  /** Rejects with `NotNowError`. */
  async #submit<C extends Command>(command: C, origin: Origin): Promise<Results[C['kind']] | Rejection> {
    const result = await new Promise<Results[C['kind']] | Rejection>((resolve) => {
      this.#options.engine.submit(command, resolve, origin);
    });
    if (result instanceof Rejection && saysNothing(result)) throw new NotNowError(result);
    return result;
  }
}
