/**
 * Puts orders of a gap back that receipts prove (docs/decisions/0032).
 *
 * What always holds: what a receipt leads to is decided before anything is changed, so an invalid one changes nothing; an
 * order's texts are on disk before its fact; and each step may be repeated, so who was interrupted takes the same receipts
 * in again. An order whose texts can't all be found is recovered as pending, for the operator to deliver. Its buyer has
 * those of its items that were found, and has seen those that were replaced: so these are the order's, too, never for sale
 * again and never given back as withdrawn.
 */
import { refundedMicros } from '../engine/adjustments.ts';
import type { Command, CommandOf, Results } from '../engine/command.ts';
import { decide } from '../engine/decide.ts';
import type { Engine } from '../engine/engine.ts';
import { type History, orderOf } from '../engine/history.ts';
import { countOf, type ItemRange, ItemRanges } from '../engine/item-ranges.ts';
import { microsFromUsdt } from '../engine/money.ts';
import { NO_KEY, type Order } from '../engine/orders.ts';
import type { Origin } from '../engine/origin.ts';
import { Rejection } from '../engine/rejection.ts';
import { requestNumberOf } from '../engine/request-number.ts';
import { UnreadableFileError } from '../persistence/files/file-errors.ts';
import type { FileStore } from '../persistence/files/file-store.ts';
import { encodeOrderTexts, TooManyTextsError } from '../persistence/stock/delivered/order-texts.ts';
import type { StockStore } from '../persistence/stock/stock-store.ts';
import { type ProvingShop, parseReceipt } from './receipt.ts';
import { fingerprintOf, type ReceiptClaims } from './receipt-claims.ts';
import { type SoldItems, SoldItemsFinder } from './sold-items.ts';

export interface ReceiptRecoveryOptions {
  readonly shop: ProvingShop;
  readonly engine: Engine;
  readonly history: History;
  readonly stock: StockStore;
  readonly files: FileStore;
}

export interface Recovered {
  readonly orderId: number;
  /** False when the order was there already. */
  readonly isNew: boolean;
  /** Whether its debit waits for a credit that was lost. */
  readonly waits: boolean;
  /** Why it is pending though it was delivered, in words; undefined when it isn't. */
  readonly pendingBecause: string | undefined;
}

/** The node takes no commands now: the receipt may be as good as any. */
export class NotNowError extends Error {
  override readonly name = 'NotNowError';
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.message);
    this.rejection = rejection;
  }
}

type RecoverOrder = CommandOf<'RecoverOrder'>;

/** Rejections that say nothing of what was asked for. */
const OF_MOMENT: ReadonlySet<string> = new Set(['RATE_LIMITED', 'INTERNAL_ERROR']);

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
   * Resolves with what the receipt led to, durable, or with why it counts for nothing. Rejects with `NotNowError`,
   * `StockFullError`, `DamagedRowError` and `StockClosedError`; then it may be tried again.
   */
  async recover(receipt: string, origin: Origin): Promise<Recovered | { readonly reason: string }> {
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

  async #recover(claims: ReceiptClaims, origin: Origin): Promise<Recovered | { readonly reason: string }> {
    const known = this.#orderOf(claims.orderId);
    if (known !== undefined && known.status !== 'processing') {
      if (!isSameOrder(known, claims))
        return { reason: `it contradicts order ${known.orderId}, which is known` };
      const pendingBecause = await this.#keepFromSale(known, claims, origin);
      return this.#refund(claims, { isNew: false, pendingBecause }, origin);
    }
    const fileId = await this.#fileOf(claims);
    const sold = await this.#finder.find(claims);
    try {
      return await this.#recoverWith(claims, fileId, sold, origin);
    } finally {
      sold.release();
    }
  }

  /**
   * An order that was recovered before may have more items than were found then: their upload came later, or this receipt
   * is of after a replacement. What of them is for sale was sold: it is withdrawn. Says so; undefined when nothing was.
   */
  async #keepFromSale(
    { orderId, status, productId }: Order,
    claims: ReceiptClaims,
    origin: Origin,
  ): Promise<string | undefined> {
    const { state } = this.#options.engine;
    const mayHaveMore = status === 'pending_delivery' || (claims.formerItems ?? []).length > 0;
    if (!mayHaveMore || !state.epochs.isLost(orderId)) return undefined;
    const sold = await this.#finder.find(claims);
    try {
      const ranges = allItems(sold).flatMap(({ firstItem, count }) =>
        state.stock.unsoldIn(productId, firstItem, count),
      );
      if (ranges.length === 0) return undefined;
      const withdrawn = await this.#submit({ kind: 'WithdrawItems', productId, ranges }, origin);
      if (withdrawn instanceof Rejection) throw new NotNowError(withdrawn);
      return `${countOf(ranges)} of its items were for sale, and are withdrawn now: deliver the order with them`;
    } finally {
      sold.release();
    }
  }

  async #recoverWith(
    claims: ReceiptClaims,
    fileId: string | null,
    sold: SoldItems,
    origin: Origin,
  ): Promise<Recovered | { readonly reason: string }> {
    const texts = wholeTexts(claims, sold);
    const command = commandOf(claims, fileId, texts.length, allItems(sold));
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
    const isAsItWas = recovered.order.status === 'completed' || claims.status === 'pending_delivery';
    const pendingBecause = isAsItWas ? undefined : reasonOf(claims, sold);
    return this.#refund(claims, { isNew: true, pendingBecause }, origin);
  }

  /** What came back to the wallet in the gap comes back again, once the order's own money has moved. */
  async #refund(
    { orderId, refundedUsdt = 0 }: ReceiptClaims,
    recovered: Pick<Recovered, 'isNew' | 'pendingBecause'>,
    origin: Origin,
  ): Promise<Recovered | { readonly reason: string }> {
    const waits = this.#options.engine.state.waitingDebits.get(orderId) !== undefined;
    const { status = 'failed', adjustments = [] } = this.#orderOf(orderId) ?? {};
    const amountMicros = (microsFromUsdt(refundedUsdt) ?? 0) - refundedMicros(adjustments);
    // Of an order that failed since, all has come back.
    if (!waits && amountMicros > 0 && status !== 'failed') {
      const refund = await this.#submit({ kind: 'RefundOrder', orderId, amountMicros }, origin);
      if (refund instanceof Rejection) return { reason: refund.message };
    }
    return { orderId, waits, ...recovered };
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
      if (error instanceof UnreadableFileError) return null;
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
    const isOfMoment = result instanceof Rejection && OF_MOMENT.has(result.code);
    if (isOfMoment) throw new NotNowError(result);
    return result;
  }
}

function isSameOrder(known: Order, claims: ReceiptClaims): boolean {
  return (
    known.accountId === claims.accountId &&
    known.idempotencyKey === (claims.idempotencyKey ?? NO_KEY) &&
    fingerprintOf(known) === claims.fingerprint &&
    known.totalMicros === microsFromUsdt(claims.totalPriceUsdt)
  );
}

function commandOf(
  claims: ReceiptClaims,
  fileId: string | null,
  textCount: number,
  items: readonly ItemRange[],
): RecoverOrder {
  return {
    kind: 'RecoverOrder',
    orderId: claims.orderId,
    accountId: claims.accountId,
    idempotencyKey: claims.idempotencyKey ?? NO_KEY,
    productId: claims.productId,
    quantity: claims.quantity,
    expectedPriceUsdt: claims.expectedPriceUsdt,
    recipientUsername: claims.recipientUsername ?? null,
    requestNumber: requestNumberOf(claims.requestId ?? ''),
    totalMicros: microsFromUsdt(claims.totalPriceUsdt) ?? 0,
    balanceAfterMicros: microsFromUsdt(claims.balanceAfterUsdt) ?? 0,
    createdAtMs: claims.createdAt,
    fileId,
    textCount,
    items,
  };
}

/** As one list, ascending. */
function allItems({ items, formerItems }: SoldItems): readonly ItemRange[] {
  const all = new ItemRanges();
  for (const range of [...items, ...formerItems]) all.add(range);
  return all.list;
}

/** By place; none unless all were found, of own stock, and are no longer than the texts of an order may be. */
function wholeTexts({ itemHashes, quantity }: ReceiptClaims, { texts, items }: SoldItems): string[] {
  if (texts.size !== itemHashes.length || countOf(items) !== quantity) return [];
  const all = itemHashes.map((_, place) => texts.get(place) ?? '');
  try {
    encodeOrderTexts(all);
    return all;
  } catch (error) {
    if (error instanceof TooManyTextsError) return [];
    throw error;
  }
}

/** Why what was delivered in the gap isn't there. */
function reasonOf({ fileId, itemHashes }: ReceiptClaims, { texts }: SoldItems): string {
  if (fileId !== undefined) return 'its file is not in the data folder';
  const missing = itemHashes.length - texts.size;
  if (missing === 0) return 'its items are not kept: they are none, or too long together';
  const where = 'they were delivered by hand or by a supplier, or are not in stock any more';
  return `${missing} of its ${itemHashes.length} items were not found: ${where}`;
}
