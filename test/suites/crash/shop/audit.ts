/**
 * Compares a server with the ledger: nothing that was acknowledged is missing or different, nothing was sold twice, no
 * money appeared or vanished, and every attempt without an answer has exactly one outcome now.
 *
 * The audit asks through the public API only, and its questions (replays, repeated uploads and credits) change nothing
 * on a right server.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ok } from '../../../support/operator-client.ts';
import { type Attempt, type Ledger, type LedgerProduct, send } from './ledger.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { sendCredit, sendUpload } from './stage.ts';

const requestsAtOnce = 16;

/** `attempts`: those to replay and look up one by one; the sums are always over the whole ledger. */
export async function audit(
  server: ServerUnderTest,
  ledger: Ledger,
  attempts: readonly Attempt[] = ledger.attempts,
): Promise<void> {
  for (const upload of ledger.uploads.filter(({ isDone }) => !isDone)) await sendUpload(server, upload);
  for (const credit of ledger.credits.filter(({ isDone }) => !isDone)) await sendCredit(server, credit);
  for (const upload of ledger.uploads.slice(-3)) await sendUpload(server, upload);
  for (const credit of ledger.credits.slice(-10)) await sendCredit(server, credit);
  await inParallel(attempts, (attempt) => auditAttempt(server, attempt));
  assertNothingTwice(ledger);
  await auditSums(server, ledger);
}

async function auditAttempt(server: ServerUnderTest, attempt: Attempt): Promise<void> {
  const wasOpen = attempt.answer === undefined;
  const replay = await send(server.buyers, attempt);
  assert.ok(replay.status < 500, replay.text);
  if (attempt.answer === undefined) return;
  if (wasOpen) await send(server.buyers, attempt);
  const { orderId } = attempt.answer.body;
  if (orderId === undefined) return;
  const reply = await server.buyers.order(attempt.buyer.apiKey, orderId);
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(orderOf(reply.body), orderOf(attempt.answer.body));
}

/** The order as the purchase's answer and GET /orders/{id} both have it (SPEC.md §2). */
function orderOf(body: object): object {
  const { balanceAfterUsdt: _, requestId: __, ...order } = body as Record<string, unknown>;
  return order;
}

function assertNothingTwice(ledger: Ledger): void {
  const orderIds = ledger.orders().map((attempt) => attempt.answer?.body.orderId);
  assert.equal(new Set(orderIds).size, orderIds.length, 'an order id was given out twice');
  for (const product of ledger.products) {
    const put = new Set(ledger.itemsPut(product));
    const sold = ledger.itemsSold(product);
    assert.equal(new Set(sold).size, sold.length, `an item of product ${product.productId} was sold twice`);
    for (const item of sold) assert.ok(put.has(item), `${item} was sold and had never been put in`);
  }
}

async function auditSums(server: ServerUnderTest, ledger: Ledger): Promise<void> {
  for (const buyer of ledger.buyers) {
    const { body } = await server.buyers.balance(buyer.apiKey);
    const expectedCents = ledger.creditedCents(buyer) - ledger.spentCents(buyer);
    assert.equal(body.balanceUsdt, expectedCents / 100, `balance of account ${buyer.accountId}`);
  }
  for (const product of ledger.products) {
    const { availableStock } = await ok(server.operator.getProduct(product.productId));
    const expected = ledger.itemsPut(product).length - ledger.itemsSold(product).length;
    assert.equal(availableStock, expected, `stock of product ${product.productId}`);
  }
}

/**
 * Buys all that is left, and compares it with what must be left, in the order it was put in. For a ledger
 * whose uploads were all acknowledged, one after the other. Enters nothing in the ledger: meant for a copy.
 */
export async function buyOut(server: ServerUnderTest, ledger: Ledger): Promise<void> {
  const { apiKey = '' } = ledger.buyers[0] ?? {};
  const buy = ({ productId, priceCents }: LedgerProduct, quantity: number) => {
    const body = { productId, quantity, expectedPriceUsdt: (priceCents * quantity) / 100 };
    return server.buyers.purchase(apiKey, randomUUID(), body);
  };
  for (const product of ledger.products) {
    const sold = new Set(ledger.itemsSold(product));
    const expected = ledger.itemsPut(product).filter((item) => !sold.has(item));
    const bought: string[] = [];
    while (bought.length < expected.length) {
      const quantity = Math.min(50, expected.length - bought.length);
      const reply = await buy(product, quantity);
      assert.equal(reply.status, 201, reply.text);
      bought.push(...(reply.body.delivery?.items ?? []));
    }
    assert.deepEqual(bought, expected);
    const beyond = await buy(product, 1);
    assert.equal(beyond.body.error, 'OUT_OF_STOCK', beyond.text);
  }
}

export async function inParallel<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const workers = Array.from({ length: requestsAtOnce }, async () => {
    for (const one of rest) await work(one);
  });
  await Promise.all(workers);
}
