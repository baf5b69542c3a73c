/** Calls about what the shop of the examples sells: products, stock, purchases, orders and suppliers. */
import type { Answered, Asked, Recorder } from './recorder.ts';

export const SECRET = 'a secret of 16 characters or more';
const HOOK = {
  url: 'https://127.1.1.1/purser',
  events: ['order.completed'],
  balanceThresholdUsdt: 10,
};
export const ALL_TIME = 'from=2026-01-01&to=2100-01-01';

/** The key of account 1, and the receipt of its first order. */
export interface Bought {
  readonly apiKey: string;
  readonly receipt: string;
}

export interface Shop {
  readonly recorder: Recorder;
  readonly operator: Recorder['operator'];
  readonly post: (path: string, body: object, more?: Asked) => Promise<Answered>;
  /** A call that may be repeated, made twice. */
  readonly once: (path: string, body: object, key: string, more?: Asked) => Promise<Answered>;
}

export async function products({ recorder, operator, post, once }: Shop, url: string): Promise<void> {
  await once('/suppliers', { name: 'Codes Ltd', url, secret: SECRET }, 'codes ltd');
  await operator('PATCH /suppliers/1', { body: { secret: SECRET, reason: 'the old one leaked' } });
  await operator('GET /suppliers');
  await operator('GET /suppliers/1');
  const texts = { name: 'Gift card', description: 'One code', instructions: 'Redeem it' };
  const place = { sku: 'gift-10', category: 'Gift cards', attributes: { region: 'EU' } };
  const tiers = { priceTiers: [{ minQuantity: 100, priceUsdt: 3.125 }] };
  await once('/products', { ...texts, ...place, priceUsdt: 3, lowStock: 20, ...tiers }, 'gift card');
  await post('/products', { name: 'Book', type: 'file', priceUsdt: 3.5 }, { as: 'file' });
  const manual = { name: 'Top-up', type: 'manual', priceUsdt: 5, requiresRecipient: true };
  await post('/products', manual, { as: 'manual' });
  for (const supplierSku of ['later', 'silent'])
    await post('/products', { name: 'Card', priceUsdt: 10, supplierId: 1, supplierSku }, { as: 'supplied' });
  for (const productId of [4, 5])
    await recorder.until('its stock is told', `GET /products/${productId}`, (row) => row.availableStock > 0);
  const { tag } = await operator('GET /products/1');
  const dearer = { body: { priceUsdt: 3.5 }, headers: { 'If-Match': tag } };
  await operator('PATCH /products/1', dearer);
  await operator('PATCH /products/1', { ...dearer, refused: 'CHANGED_MEANWHILE' });
  await prices({ operator, once });
  const file = { body: '%PDF-1.7 …', headers: { 'content-type': 'application/pdf' } };
  await operator('PUT /products/2/file', file);
  await operator('GET /products/2', { as: 'file' });
  await operator('GET /products?search=gift');
  const csv = { 'content-type': 'text/csv' };
  const list = {
    body: 'sku,name,priceUsdt,type\ngift-10,,3.25,manual\ntop-20,Top-up 20,19.00,manual\n',
    headers: csv,
  };
  await operator('POST /products/import?dryRun=true&leaveOutBadLines=true&charset=windows-1252', list);
  await operator('POST /products/import', { body: 'sku,name,priceUsdt\ngift-10,,3.50\n', headers: csv });
}

/** Before anything is bought, so that what is bought costs what it would without them. */
async function prices({ operator, once }: Pick<Shop, 'operator' | 'once'>): Promise<void> {
  await once('/price-lists', { name: 'Resellers', percent: -5 }, 'resellers');
  const gold = { name: 'Gold', percent: -12.5, reason: 'agreed for a year' };
  await operator('PATCH /price-lists/1', { body: gold });
  const price = { priceUsdt: 3.2, priceTiers: [{ minQuantity: 10, priceUsdt: 3.125 }] };
  await operator('PUT /price-lists/1/prices/1', { body: price });
  await operator('PUT /accounts/1/prices/1', { body: { priceUsdt: 3.3 } });
  await operator('GET /price-lists');
  const table = { body: 'productId,priceUsdt\n1,3.10\n', headers: { 'content-type': 'text/csv' } };
  await operator('POST /price-lists/1/import?dryRun=true', table);
  await operator('GET /price-lists/1');
  await operator('GET /accounts/1/prices');
  await operator('GET /accounts/1/price?productId=1&quantity=50');
  for (const owner of ['accounts', 'price-lists']) await operator(`DELETE /${owner}/1/prices/1`);
  await operator('DELETE /price-lists/1');
}

export async function stock({ operator, post, once }: Shop): Promise<void> {
  const lot = 'source=Codes%20Ltd&costUsdt=0.25&reference=invoice%209';
  const items = Array.from('ABCDEFGHIJ', (letter) => `${letter.repeat(4)}-${letter.repeat(4)}-CCCC`);
  await once(`/products/1/stock?${lot}`, { items }, 'upload 1');
  const alike = ['aaaa-bbbb-cccc', 'AAAA-AAAA-CCCC', 'aaaa-aaaa-cccc'];
  await post('/products/1/stock?dryRun=true&allowDuplicates=false', { items: alike }, { as: 'dryRun' });
  const table = { body: 'Code\nKKKK-KKKK-CCCC\n', headers: { 'content-type': 'text/csv' } };
  await operator('POST /products/1/stock?column=Code&charset=windows-1252', table);
  const lines = { body: 'LLLL-LLLL-CCCC\n\u0000\n', as: 'leftOut' };
  await operator('POST /products/1/stock?leaveOutBadLines=true', lines);
  const reasoned = 'DELETE /products/1/stock?count=1&reason=it%20was%20used';
  for (const _ of [1, 2]) await operator(reasoned, { headers: { 'Idempotency-Key': 'withdrawal 1' } });
  await operator('GET /products/1/stock/withdrawn');
  await operator(`GET /products/1/lots?${ALL_TIME}`);
  await operator('GET /lots/1');
  await post('/lots/3/recall', { reason: 'half of them are used' });
}

/** Answers with the receipt of order 1. */
export async function purchases({ recorder }: Shop, apiKey: string): Promise<string> {
  const buyer = (call: string, asked?: Asked) => recorder.buyer(apiKey, call, asked);
  const buy = (as: string, body: object, more: Asked = {}) =>
    buyer('POST /orders', { as, body, ...more, headers: { 'Idempotency-Key': `order ${as}` } });
  await recorder.buyer('', 'GET /health');
  const { tag: catalogTag } = await buyer('GET /products');
  await buyer('GET /products?ids=1,2', { headers: { 'If-None-Match': catalogTag } });
  await buyer('POST /webhook', { body: HOOK });
  await buyer('GET /webhook');
  await buy('price', { productId: 1, quantity: 2, expectedPriceUsdt: 6 }, { refused: 'PRICE_CHANGED' });
  await buy('items', { productId: 1, quantity: 2, expectedPriceUsdt: 7 });
  await buy('file', { productId: 2, expectedPriceUsdt: 3.5 });
  await buy('pending', { productId: 3, expectedPriceUsdt: 5, recipient: { username: '@some_one' } });
  await buyer('GET /balance');
  await buyer('GET /events?types=order.completed&limit=3');
  for (const [as, orderId] of Object.entries({ items: 1, file: 2, pending: 3 }))
    await buyer(`GET /orders/${orderId}`, { as });
  const { fields } = await buyer('GET /orders/1/receipt');
  await recorder.buyer('', 'GET /receipt-keys');
  const { tag } = await buyer('GET /orders/2/download', {
    headers: { Range: 'bytes=4-', 'If-Range': '"x"' },
  });
  await buyer('GET /orders/2/download', {
    headers: { 'If-None-Match': '"x"', Range: 'bytes=4-', 'If-Range': tag },
  });
  return fields.receipt;
}

export async function orders({ operator, post, once }: Shop): Promise<void> {
  await once('/orders', { accountId: 1, productId: 1 }, 'order 4');
  const forSomebody = { accountId: 1, productId: 3, quantity: 1, recipient: { username: '@some_one' } };
  for (const as of ['forSomebody', 'another']) await post('/orders', forSomebody, { as });
  await post('/orders/4/pay', { expectedPriceUsdt: 3.5 });
  await post('/orders/5/pay', {}, { as: 'pending' });
  await post('/orders/3/complete', { items: ['done, see your account'] });
  await post('/orders/6/fail', { reason: 'no such account' });
  const filters = 'accountId=1&productId=1&status=completed&idempotencyKey=order%20items';
  await operator('GET /orders?limit=3');
  await operator('GET /orders?productId=1', { headers: { Accept: 'text/csv' } });
  await operator(`GET /orders?${filters}&${ALL_TIME}`);
  await operator('GET /orders?recipient=%40some_one');
  await operator('GET /orders?requestId=req_1767225600000_21');
  await operator('GET /orders/1?items=true');
  await operator('GET /orders/5', { as: 'pending' });
  const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });
  const why = { items: [1], reason: 'the code was used' };
  await post('/orders/1/replace', why, keyed('replacement 1'));
  await post('/orders/1/refund', why, { as: 'items', ...keyed('refund 1') });
  await post('/orders/4/refund', { amountUsdt: 2.5 }, { as: 'amount', ...keyed('refund 2') });
  await post('/orders/2/refund', {}, { as: 'all' });
  await operator('GET /lots/1/sold');
  await post('/items/search', { text: 'BBBB-BBBB-CCCC', productId: 1 });
}

export async function suppliers({ recorder, operator, post }: Shop, apiKey: string): Promise<void> {
  const buy = (productId: number, more: Asked = {}) => {
    const headers = { 'Idempotency-Key': `supplied ${productId}` };
    return recorder.buyer(apiKey, 'POST /orders', {
      body: { productId, expectedPriceUsdt: 10 },
      as: 'pending',
      ...more,
      headers,
    });
  };
  await buy(4);
  await buy(5, { refused: 'PROVIDER_TIMEOUT' });
  const { fields } = await operator('GET /supplier-purchases');
  const open: readonly { reference: string; phase: string }[] = fields.supplierPurchases ?? [];
  const { reference = '' } = open.find(({ phase }) => phase === 'unresolved') ?? {};
  await post(`/supplier-purchases/${reference}/give-up`, { reason: 'the supplier has closed' });
  await post('/supplier-purchases/reconcile', { reason: 'the supplier is back' });
}
