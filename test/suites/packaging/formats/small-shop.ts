/** Trade of every kind on a small scale, for a data folder that is kept. Resolves with what to ask about it. */
import assert from 'node:assert/strict';
import { ReferenceSupplier } from '../../../../examples/supplier/reference-supplier.ts';
import type { PurserNode } from '../../../../src/node.ts';
import { BuyerClient, type PurchaseBody } from '../../../support/buyer-client.ts';
import { OperatorClient, ok } from '../../../support/operator-client.ts';
import type { Question } from './kept-folder.ts';

const UNIT = { description: 'one', instructions: 'use it', priceUsdt: 1.25 };
/** An order of a code, of a file, by hand, of a supplier, in part refunded, replaced, refunded, failed, from the bot. */
const ORDERS = 9;

export async function trade(node: PurserNode): Promise<Question[]> {
  const operator = new OperatorClient(node.operatorUrl, node.operatorToken);
  const buyers = new BuyerClient(node.buyerUrl);
  const supplier = await ReferenceSupplier.start('s'.repeat(40));
  try {
    const products = await openProducts(operator, supplier);
    const { accountId, apiKey } = await openAccount(operator);
    // Nobody listens there: its events stay pending.
    const webhook = {
      url: 'https://127.0.0.1:8443/',
      events: ['order.completed', 'balance.low'],
      balanceThresholdUsdt: 1_000,
    };
    const registered = await buyers.setWebhook(apiKey, webhook);
    assert.equal(registered.status, 200, registered.text);
    const questions: Question[] = [];
    const buy = async (
      productId: number,
      quantity = 1,
      more: Partial<PurchaseBody> = {},
    ): Promise<number> => {
      const body = { productId, quantity, expectedPriceUsdt: quantity * UNIT.priceUsdt, ...more };
      const idempotencyKey = `key ${questions.length}`;
      const { status, text, body: order } = await buyers.purchase(apiKey, idempotencyKey, body);
      assert.equal(status, 201, text);
      questions.push({ apiKey, path: '/orders', idempotencyKey, body });
      return order.orderId ?? 0;
    };
    await buy(products.codes, 3, { recipient: { username: '@some_one' } });
    await buy(products.file);
    const byHand = await buy(products.manual, 2);
    await ok(operator.json('POST', `/orders/${byHand}/complete`, { items: ['by', 'hand'], reason: 'found' }));
    await buy(products.supplied, 2);
    const refunded = await buy(products.codes, 3);
    await ok(operator.adjustOrder(refunded, 'refund', { items: [1], reason: 'used' }, 'refund 1'));
    const replaced = await buy(products.codes, 2);
    await ok(operator.adjustOrder(replaced, 'replace', { items: [0] }, 'replace 1'));
    await ok(operator.json('POST', `/orders/${await buy(products.codes)}/refund`, {}));
    await ok(operator.json('POST', `/orders/${await buy(products.manual)}/fail`, { reason: 'no' }));
    const bot = await ok(operator.json('POST', '/orders', { accountId, productId: products.codes }));
    await ok(operator.json('POST', `/orders/${bot.orderId}/pay`, {}));
    const empty = { productId: products.codes, quantity: 90, expectedPriceUsdt: 112.5 };
    await buyers.purchase(apiKey, 'too many', empty);
    questions.push({ apiKey, path: '/orders', idempotencyKey: 'too many', body: empty });
    await changeKeys(operator);
    for (let count = 0; count < 3; count += 1) await buy(products.codes);
    questions.push(...aboutAll(apiKey, accountId, products));
    return questions;
  } finally {
    buyers.close();
    await supplier.stop();
  }
}

type Products = Awaited<ReturnType<typeof openProducts>>;

async function openProducts(operator: OperatorClient, supplier: ReferenceSupplier) {
  const open = async (input: object) =>
    (await ok(operator.createProduct({ ...UNIT, ...input }))).productId ?? 0;
  const codes = await open({ name: 'codes', type: 'standard', lowStock: 2 });
  const upload = (lot: string, count: number) =>
    operator.request(
      'POST',
      `/products/${codes}/stock?source=${lot}&costUsdt=0.5`,
      { 'content-type': 'text/plain' },
      Array.from({ length: count }, (_, index) => `${lot}-${index}\n`).join(''),
    );
  await ok(upload('first', 40));
  const { lotId } = (await ok(upload('second', 20))) as { readonly lotId?: number };
  await ok(upload('third', 20));
  await ok(operator.json('POST', `/lots/${lotId}/recall`, { reason: 'used' }));
  const file = await open({ name: 'film', type: 'file' });
  await ok(operator.setFile(file, Buffer.from('the first film'), 'text/plain'));
  await ok(operator.setFile(file, Buffer.from('the second film'), 'text/plain'));
  const manual = await open({ name: 'by hand', type: 'manual' });
  const { url, secret } = supplier;
  const { supplierId } = await ok(operator.createSupplier({ name: 'Codes', url, secret }));
  const supplied = await open({ name: 'supplied', type: 'standard', supplierId, supplierSku: 'codes' });
  return { codes, file, manual, supplied };
}

async function openAccount(operator: OperatorClient): Promise<{ accountId: number; apiKey: string }> {
  const { accountId = 0 } = await ok(operator.createAccount({ name: 'buyer', rateLimitPerMinute: null }));
  const { apiKey = '' } = await ok(operator.issueKey(accountId));
  await ok(operator.credit(accountId, 200, 'start'));
  await ok(operator.credit(accountId, -0.5, 'a fee'));
  await ok(operator.json('POST', '/operators', { name: 'anna', role: 'support' }));
  return { accountId, apiKey };
}

/** A new master key, and everything sealed with a new data key. */
async function changeKeys(operator: OperatorClient): Promise<void> {
  await ok(operator.json('POST', '/rekey', {}));
  await ok(operator.json('POST', '/rekey/data-keys', {}));
  for (;;) {
    const { sealingAnew } = (await ok(operator.json('GET', '/rekey'))) as { sealingAnew?: { state: string } };
    if (sealingAnew?.state === 'done') return;
    assert.equal(sealingAnew?.state, 'running');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function aboutAll(apiKey: string, accountId: number, { codes }: Products): Question[] {
  const buyer = (path: string): Question => ({ apiKey, path });
  const orders = Array.from({ length: ORDERS }, (_, index) => index + 1);
  return [
    buyer('/balance'),
    buyer('/webhook'),
    buyer('/orders/2/download'),
    ...orders.flatMap((orderId) => [buyer(`/orders/${orderId}`), { path: `/orders/${orderId}?items=false` }]),
    ...[
      `/accounts/${accountId}`,
      `/accounts/${accountId}/statement`,
      '/audit',
      '/operators',
      '/orders?recipient=@some_one',
      '/orders?status=refunded',
      `/products/${codes}`,
      `/products/${codes}/lots`,
      '/reports/money?by=product',
      '/suppliers',
    ].map((path) => ({ path })),
  ];
}
