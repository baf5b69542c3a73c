/**
 * A shop in which every list of the console has rows, and every text is as long as people make them: long names, reasons
 * and references, amounts of millions with six decimals, suppliers that don't answer, webhooks that nobody receives.
 */
import assert from 'node:assert/strict';
import type { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import { BuyerClient, type PurchaseBody } from '../../support/buyer-client.ts';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { WEBHOOK_PORT } from '../../support/servers/loopback-listener.ts';
import type { ConsoleUnderTest } from './console-under-test.ts';

const ADDRESS = `T${'WxYzAbCdEfG'.repeat(3)}`;

/** Webhooks may go to this machine, where nobody takes them, and suppliers are given up on soon. */
export const FULL_SHOP_FLAGS = {
  ...{ webhookAllow: '127.0.0.0/8', webhookRetries: '20ms' },
  ...{ supplierTimeout: '3s', supplierPoll: '1s' },
  depositAddress: [`trc20=${ADDRESS}`, `erc20=0x${'0123456789'.repeat(4)}`],
};

const LONG_NAME =
  'Internationale Vertriebsgesellschaft für digitale Guthaben, Gutscheine und Lizenzen mbH & Co. KG';
const LONG_PRODUCT =
  'Prepaid game card for Europe, the Middle East and Africa, 100 USD, without an end of validity';
const LONG_REASON =
  'Ticket 48151623: the buyer has shown by pictures that three of the codes had been redeemed before he got them';
const MUCH_USDT = 1_234_567.654321;

/**
 * Account 1 has all of it; products 1 to 5, lot 1, orders from 1 on, price list 1, and supplier 1, which is stopped then,
 * with purchases open.
 */
export async function fillShop(
  { operator, node }: ConsoleUnderTest,
  supplier: ReferenceSupplier,
): Promise<void> {
  const post = async (path: string, body: unknown) => ok(operator.json('POST', path, body));
  const names = [LONG_NAME, 'Kiosk', ...Array.from({ length: 38 }, (_, index) => `Reseller ${index + 3}`)];
  for (const name of names) await ok(operator.createAccount({ name }));
  for (const [accountId, amountUsdt] of [[1, 7 * MUCH_USDT] as const, [2, 50] as const])
    await post(`/accounts/${accountId}/credits`, {
      amountUsdt: Math.round(amountUsdt * 1e6) / 1e6,
      reference: `bank-transfer-2026-11-27-${accountId}-DE02120300000000202051`,
      reason: LONG_REASON,
    });
  await post('/accounts/1/credits', { amountUsdt: -MUCH_USDT, reference: 'correction', reason: LONG_REASON });
  await post('/operators', { name: 'anna-of-the-night-shift', role: 'support' });
  await ok(
    operator.createSupplier({ name: `Supplies ${LONG_NAME}`, url: supplier.url, secret: supplier.secret }),
  );
  const supplied = { type: 'standard', priceUsdt: 400_000.99, supplierId: 1 } as const;
  await ok(operator.createProduct({ name: LONG_PRODUCT, type: 'standard', priceUsdt: 9.5, lowStock: 100 }));
  await ok(
    operator.createProduct({ name: 'By hand', type: 'manual', priceUsdt: 0.01, requiresRecipient: true }),
  );
  await ok(operator.createProduct({ name: 'Silent', ...supplied, supplierSku: 'silent' }));
  await ok(operator.createProduct({ name: 'Later', ...supplied, priceUsdt: 3, supplierSku: 'later' }));
  await ok(operator.createProduct({ name: 'A file', type: 'file', priceUsdt: 5 }));
  const label = 'source=A+wholesaler+of+some+name&costUsdt=7.123456&reference=invoice-2026-11-000471';
  const items = Array.from({ length: 90 }, (_, index) => `CODE-${index}`);
  await post(`/products/1/stock?${label}`, { items });
  const { apiKey = '' } = await ok(operator.issueKey(1));
  const buyers = new BuyerClient(node.buyerUrl);
  const hook = await buyers.setWebhook(apiKey, {
    url: `https://127.0.0.1:${WEBHOOK_PORT}/purser/webhooks`,
    events: ['order.completed', 'order.failed', 'catalog.updated', 'stock.changed', 'balance.low'],
    balanceThresholdUsdt: 5,
  });
  assert.equal(hook.status, 200, hook.text);
  const buy = async (status: number, body: PurchaseBody) => {
    const reply = await buyers.purchase(apiKey, crypto.randomUUID(), body);
    assert.equal(reply.status, status, reply.text);
  };
  for (const quantity of [1, 2, 30, 4])
    await buy(201, { productId: 1, quantity, expectedPriceUsdt: 9.5 * quantity });
  for (const number of [1, 2, 3])
    await buy(201, {
      productId: 2,
      expectedPriceUsdt: 0.01,
      recipient: { username: `@a_long_name_of_${number}` },
    });
  await buy(201, { productId: 4, expectedPriceUsdt: 3 });
  const ofSilent = { productId: 3, expectedPriceUsdt: 400_000.99 };
  await buy(504, ofSilent);
  await eventually('the supplier has told of its sale', async () => {
    const { ended = [] } = await ok(operator.listSupplierPurchases());
    return ended.length === 1;
  });
  // It went into own stock. Of the others the supplier tells nothing, and its circuit is open from then on.
  await buy(201, ofSilent);
  await Promise.all([1, 2, 3, 4, 5].map(() => buy(504, ofSilent)));
  await supplier.stop();
  await ok(operator.json('POST', '/orders/1/refund', { reason: LONG_REASON }));
  await eventually('an event is discarded', async () => {
    const { text } = await operator.json('GET', '/webhooks/1/deliveries');
    return JSON.parse(text).deliveries.some(({ status }: { status: string }) => status === 'discarded');
  });
  await fillPrices(operator);
  await fillDeposits(operator);
  await buy(201, { productId: 1, quantity: 2, expectedPriceUsdt: 19 });
}

/** What account 1 pays for product 1 stays. */
async function fillPrices(operator: ConsoleUnderTest['operator']): Promise<void> {
  const send = async (method: string, path: string, body: unknown) => ok(operator.json(method, path, body));
  await send('POST', '/price-lists', { name: `Prices of the ${LONG_NAME}`, percent: -12.55 });
  for (const percent of [null, 0, 1_000]) await send('POST', '/price-lists', { name: 'Others', percent });
  const tiers = [2, 10, 100, 1_000, 10_000, 100_000];
  const priceTiers = tiers.map((minQuantity) => ({ minQuantity, priceUsdt: 123_456.654321 }));
  for (const productId of [2, 3, 4]) {
    await send('PUT', `/price-lists/1/prices/${productId}`, { priceUsdt: 234_567.89, priceTiers });
    await send('PUT', `/accounts/1/prices/${productId}`, { priceUsdt: 234_567.89, priceTiers });
  }
  await send('PUT', '/price-lists/1/prices/1', { priceUsdt: 9.5 });
  await send('PATCH', '/products/1', {
    sku: `game-card-${'0123456789'.repeat(5)}`,
    category: `${LONG_NAME}`,
    attributes: { region: LONG_PRODUCT, ['a name of some length '.repeat(2).trim()]: 'x' },
    imageUrl: `https://pictures.example/${'a'.repeat(200)}.png`,
    visibility: 'listed',
    maxQuantity: 1_000_000_000,
  });
  await send('PATCH', '/accounts/1', {
    priceListId: 1,
    externalId: `telegram:${'1234567890'.repeat(9)}`,
    spendLimits: [1, 24, 168, 744].map((windowHours) => ({ windowHours, amountUsdt: 9 * MUCH_USDT })),
    allowedNetworks: ['127.0.0.0/8', '2001:db8:1234:5678:9abc:def0:1234:5678', '192.0.2.0/24'],
  });
}

/** A bot, deposits of account 1 that wait and that are paid, and transfers of nobody. */
async function fillDeposits(operator: ConsoleUnderTest['operator']): Promise<void> {
  const post = async (path: string, body: object) => ok(operator.json('POST', path, body));
  await post('/operators', { name: 'bot-of-the-second-shop', role: 'bot' });
  const observe = (txId: string, amountUsdt: number) =>
    post('/deposits/observed', {
      ...{ network: 'trc20', address: ADDRESS, confirmations: 20, at: Date.now() },
      ...{ txId: txId.repeat(8), amountUsdt },
    });
  for (const isPaid of [true, false]) {
    const asked = { network: 'trc20', amountUsdt: MUCH_USDT };
    const { text } = await operator.json('POST', '/accounts/1/deposits', asked);
    if (isPaid) await observe('89abcdef', JSON.parse(text).payUsdt);
  }
  for (const txId of ['01234567', '76543210']) await observe(txId, MUCH_USDT);
}
