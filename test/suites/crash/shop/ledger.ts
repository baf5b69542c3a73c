/**
 * The outside ledger: every request that was sent, and every answer that came back.
 *
 * The ledger is written before a request leaves and after its answer has arrived, and never asks the server. An attempt
 * without an answer may have happened or not; asking again with the same key must tell, and from then on for ever. An
 * answer that was repeated differently fails at once, in `send`.
 */
import assert from 'node:assert/strict';
import type { BuyerBody, BuyerClient, BuyerReply, PurchaseBody } from '../../../support/buyer-client.ts';

export interface LedgerBuyer {
  readonly accountId: number;
  readonly apiKey: string;
}

export interface LedgerProduct {
  readonly productId: number;
  readonly priceCents: number;
}

/** A final answer: its status and its bytes without the request id. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: BuyerBody;
}

export interface Attempt {
  readonly buyer: LedgerBuyer;
  readonly key: string;
  readonly body: PurchaseBody;
  answer: Answer | undefined;
}

/** Items on their way to a shelf; `isDone` once the server has said so. */
export interface Upload {
  readonly product: LedgerProduct;
  readonly items: readonly string[];
  isDone: boolean;
}

export interface Credit {
  readonly buyer: LedgerBuyer;
  readonly amountCents: number;
  readonly reference: string;
  isDone: boolean;
}

const finalRefusals = ['INSUFFICIENT_BALANCE', 'PRICE_CHANGED', 'NOT_FOUND'];

export class Ledger {
  readonly buyers: LedgerBuyer[] = [];
  readonly products: LedgerProduct[] = [];
  readonly attempts: Attempt[] = [];
  readonly uploads: Upload[] = [];
  readonly credits: Credit[] = [];

  attempt(buyer: LedgerBuyer, key: string, body: PurchaseBody): Attempt {
    const attempt = { buyer, key, body, answer: undefined };
    this.attempts.push(attempt);
    return attempt;
  }

  /** Purchases that the server has acknowledged. */
  orders(): Attempt[] {
    return this.attempts.filter((attempt) => attempt.answer?.status === 201);
  }

  spentCents(buyer: LedgerBuyer): number {
    const own = this.orders().filter((attempt) => attempt.buyer === buyer);
    return sum(own.map((attempt) => Math.round((attempt.answer?.body.totalPriceUsdt ?? 0) * 100)));
  }

  creditedCents(buyer: LedgerBuyer): number {
    return sum(this.credits.filter((credit) => credit.buyer === buyer).map((credit) => credit.amountCents));
  }

  /** The items of a product in the order they were put in, whether acknowledged or not. */
  itemsPut(product: LedgerProduct): string[] {
    return this.uploads.filter((upload) => upload.product === product).flatMap((upload) => upload.items);
  }

  itemsSold(product: LedgerProduct): string[] {
    const own = this.orders().filter((attempt) => attempt.body.productId === product.productId);
    return own.flatMap((attempt) => attempt.answer?.body.delivery?.items ?? []);
  }
}

/**
 * Sends an attempt and enters its answer. Final answers (201 and the stored refusals of SPEC.md §4) must be
 * the same for ever; one that is asked for after a final answer must be marked as repeated.
 */
export async function send(buyers: BuyerClient, attempt: Attempt): Promise<BuyerReply> {
  const settledBefore = attempt.answer;
  const reply = await buyers.purchase(attempt.buyer.apiKey, attempt.key, attempt.body);
  if (reply.status >= 500 || reply.status === 429) return reply;

  const context = `key ${attempt.key}, ${JSON.stringify(attempt.body)}`;
  if (reply.body.error === 'OUT_OF_STOCK') {
    assert.equal(settledBefore, undefined, `${context}: was settled, now ${reply.text}`);
    return reply;
  }
  const isFinal = reply.status === 201 || finalRefusals.includes(reply.body.error ?? '');
  assert.ok(isFinal, `${context}: ${reply.status} ${reply.text}`);
  const text = reply.text.replace(JSON.stringify(reply.body.requestId), '"…"');
  if (attempt.answer === undefined) {
    attempt.answer = { status: reply.status, text, body: reply.body };
    assertDelivered(attempt);
  }
  assert.deepEqual([reply.status, text], [attempt.answer.status, attempt.answer.text], context);
  if (settledBefore !== undefined) assert.equal(reply.headers['idempotent-replayed'], 'true', context);
  return reply;
}

function assertDelivered(attempt: Attempt): void {
  const { status, text, body } = attempt.answer ?? {};
  if (status !== 201) return;
  assert.equal(body?.delivery?.items?.length, attempt.body.quantity ?? 1, text);
  assert.equal(body?.productId, attempt.body.productId, text);
  assert.equal(body?.totalPriceUsdt, attempt.body.expectedPriceUsdt, text);
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
