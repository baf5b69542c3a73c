/**
 * The day of a small shop, as its operators and a buyer call it: each operation of both APIs once at least. What is
 * recorded of it are the documents' examples, so names and amounts are such as one would use.
 */
import { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import { beginEpoch } from '../../persistence/restored-folder.ts';
import { startInProcess } from '../../support/nodes/node-in-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { askCluster } from './cluster.ts';
import { type Answered, type Asked, Recorder } from './recorder.ts';

const SECRET = 'a secret of 16 characters or more';
const HOOK = { url: 'https://127.1.1.1/purser', events: ['order.completed'], balanceThresholdUsdt: 10 };
const ALL_TIME = 'from=2026-01-01&to=2100-01-01';

/** The key of account 1, and the receipt of its first order. */
interface Bought {
  readonly apiKey: string;
  readonly receipt: string;
}

interface Shop {
  readonly recorder: Recorder;
  readonly operator: Recorder['operator'];
  readonly post: (path: string, body: object, more?: Asked) => Promise<Answered>;
  /** A call that may be repeated, made twice. */
  readonly once: (path: string, body: object, key: string, more?: Asked) => Promise<Answered>;
}

/** The text of `recorded-examples.ts` as the routes are now. */
export async function currentExamples(): Promise<string> {
  const supplier = await ReferenceSupplier.start(SECRET);
  const [folder, backups] = [await createTemporaryFolder('shop'), await createTemporaryFolder('backups')];
  const recorder = new Recorder();
  const operator = recorder.operator.bind(recorder);
  const post: Shop['post'] = (path, body, more) => operator(`POST ${path}`, { body, ...more });
  const once: Shop['once'] = async (path, body, key, more) => {
    const asked = { ...more, headers: { 'Idempotency-Key': key } };
    const first = await post(path, body, asked);
    await post(path, body, asked);
    return first;
  };
  const shop = { recorder, operator, post, once };
  try {
    const bought = await running(recorder, folder, backups, async () => {
      const apiKey = await accounts(shop);
      await products(shop, supplier.url);
      await stock(shop);
      const receipt = await purchases(shop, apiKey);
      await orders(shop);
      await suppliers(shop, apiKey);
      await webhooks(shop);
      await people(shop);
      await money(shop);
      await theNode(shop, backups);
      return { apiKey, receipt };
    });
    await beginEpoch(folder.path, 2);
    await running(recorder, folder, backups, () => afterRestore(shop, bought));
    await askCluster(recorder);
    return recorder.text();
  } finally {
    recorder.close();
    await supplier.stop();
    await folder.remove();
    await backups.remove();
  }
}

async function running<Result>(
  recorder: Recorder,
  folder: TemporaryFolder,
  backups: TemporaryFolder,
  use: () => Promise<Result>,
): Promise<Result> {
  const flags = {
    ...{
      data: folder.path,
      webhookAllow: '127.0.0.0/8',
      webhookRetries: '20ms',
      backup: `${backups.path}/all`,
    },
    ...{ supplierTimeout: '1s', supplierPoll: '1h', supplierStockRefresh: '200ms' },
  };
  const node = await startInProcess(flags, { alertLookMs: 50 });
  try {
    await recorder.use(node);
    return await use();
  } finally {
    await node.stop();
  }
}

/** Answers with the key of account 1. */
async function accounts({ operator, post, once }: Shop): Promise<string> {
  await once('/accounts', { name: 'Reseller' }, 'reseller');
  await post('/accounts', { name: 'Kiosk', rateLimitPerMinute: null }, { as: 'unlimited' });
  await operator(`GET /accounts?search=kiosk&${ALL_TIME}`);
  await operator('GET /accounts?cursor=0&limit=1');
  await operator('PATCH /accounts/1', { body: { rateLimitPerMinute: 600 } });
  const credit = { amountUsdt: 100, reference: 'invoice 42' };
  await post('/accounts/1/credits', credit);
  await post('/accounts/1/credits', credit);
  const correction = { amountUsdt: -2.5, reference: 'correction 3', reason: 'invoice 42 was paid in part' };
  await post('/accounts/1/credits', correction, { as: 'adjustment' });
  await once('/accounts/2/key', { scopes: ['catalog:read', 'balance:read'] }, 'first key', { as: 'some' });
  const { fields } = await post('/accounts/1/key', {});
  for (const active of [false, true]) await operator('PATCH /accounts/1/key', { body: { active } });
  await operator('DELETE /accounts/2/key?reason=left');
  return fields.apiKey ?? '';
}

async function products({ recorder, operator, post, once }: Shop, url: string): Promise<void> {
  await once('/suppliers', { name: 'Codes Ltd', url, secret: SECRET }, 'codes ltd');
  await operator('PATCH /suppliers/1', { body: { secret: SECRET, reason: 'the old one leaked' } });
  await operator('GET /suppliers');
  await operator('GET /suppliers/1');
  const texts = { name: 'Gift card', description: 'One code', instructions: 'Redeem it' };
  const tiers = { priceTiers: [{ minQuantity: 100, priceUsdt: 3.125 }] };
  await once('/products', { ...texts, priceUsdt: 3, lowStock: 20, ...tiers }, 'gift card');
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
  const file = { body: '%PDF-1.7 …', headers: { 'content-type': 'application/pdf' } };
  await operator('PUT /products/2/file', file);
  await operator('GET /products/2', { as: 'file' });
  await operator('GET /products?search=gift');
}

async function stock({ operator, post, once }: Shop): Promise<void> {
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
async function purchases({ recorder }: Shop, apiKey: string): Promise<string> {
  const buyer = (call: string, asked?: Asked) => recorder.buyer(apiKey, call, asked);
  const buy = (as: string, body: object, more: Asked = {}) =>
    buyer('POST /orders', { as, body, ...more, headers: { 'Idempotency-Key': `order ${as}` } });
  await recorder.buyer('', 'GET /health');
  await buyer('GET /products');
  await buyer('POST /webhook', { body: HOOK });
  await buyer('GET /webhook');
  await buy('price', { productId: 1, quantity: 2, expectedPriceUsdt: 6 }, { refused: 'PRICE_CHANGED' });
  await buy('items', { productId: 1, quantity: 2, expectedPriceUsdt: 7 });
  await buy('file', { productId: 2, expectedPriceUsdt: 3.5 });
  await buy('pending', { productId: 3, expectedPriceUsdt: 5, recipient: { username: '@some_one' } });
  await buyer('GET /balance');
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

async function orders({ operator, post, once }: Shop): Promise<void> {
  await once('/orders', { accountId: 1, productId: 1 }, 'order 4');
  const forSomebody = { accountId: 1, productId: 3, quantity: 1, recipient: { username: '@some_one' } };
  for (const as of ['forSomebody', 'another']) await post('/orders', forSomebody, { as });
  await post('/orders/4/pay', { expectedPriceUsdt: 3.5 });
  await post('/orders/5/pay', {}, { as: 'pending' });
  await post('/orders/3/complete', { items: ['done, see your account'] });
  await post('/orders/6/fail', { reason: 'no such account' });
  const filters = 'accountId=1&productId=1&status=completed&idempotencyKey=order%20items';
  await operator('GET /orders?limit=3');
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

async function suppliers({ recorder, operator, post }: Shop, apiKey: string): Promise<void> {
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

async function webhooks({ recorder, operator, post }: Shop): Promise<void> {
  const isOver = ({ status }: { readonly status: string }) => status === 'discarded';
  const deliveries = 'GET /webhooks/1/deliveries?limit=3';
  const ended = () =>
    recorder.until('every event is discarded', deliveries, (page) => page.deliveries.every(isOver));
  await ended();
  await operator('GET /accounts/1');
  await operator('GET /accounts/2', { as: 'without a webhook' });
  await operator('GET /orders/1/timeline');
  await operator('GET /webhooks?failing=true');
  const { fields } = await operator(deliveries);
  await post('/webhooks/1/test', { reason: 'the buyer asked' });
  const since = { since: '2026-01-31T12:00:00Z', status: 'discarded' };
  await post('/webhooks/1/replay', { ...since, dryRun: true }, { as: 'count' });
  await post('/webhooks/1/replay', since);
  await ended();
  await post(`/webhooks/1/deliveries/${fields.deliveries[0].eventId}/replay`, {
    reason: 'the receiver lost it',
  });
  await ended();
}

async function people({ operator, post, once }: Shop): Promise<void> {
  await once('/operators', { name: 'anna', role: 'support' }, 'anna');
  await post(
    '/operators',
    { name: 'audit-2026', role: 'viewer', expiresAt: '2100-02-01' },
    { as: 'forAWhile' },
  );
  await operator('GET /operators');
  await operator('GET /operators/1');
  const { fields: issued } = await post('/operators/1/token?overlap=10m', { expiresAt: '2100-02-01' });
  const token: string = issued.token ?? '';
  const { fields: given } = await operator('POST /console-codes', { body: {} }, token);
  const { fields: session } = await operator(
    'POST /sessions',
    { body: { code: given.code }, as: 'byCode' },
    '',
  );
  await operator('POST /sessions', { body: { token }, as: 'byToken' }, '');
  await operator('GET /session', { as: 'session' }, session.token);
  await operator('GET /session', { as: 'token' });
  await operator('GET /sessions', {}, session.token);
  await operator('DELETE /sessions/1?reason=left');
  await operator('DELETE /operators/2?reason=left');
  await operator('GET /audit?operator=root&limit=1');
}

async function money({ operator }: Shop): Promise<void> {
  await operator(`GET /accounts/1/statement?${ALL_TIME}&limit=3`);
  await operator('GET /accounts/1/statement?excel=true', { headers: { Accept: 'text/csv' } });
  await operator(`GET /reports/money?by=day&${ALL_TIME}`);
}

async function theNode({ recorder, operator, post }: Shop, backups: TemporaryFolder): Promise<void> {
  await recorder.until('stock is low', 'GET /alerts', ({ firingCount }) => firingCount === 1);
  for (const path of [
    '/live',
    '/ready',
    '/status',
    '/settings',
    '/metrics',
    '/overview',
    '/rekey',
    '/alerts',
  ])
    await operator(`GET ${path}`);
  await post('/rekey/save', { reason: 'into our password store' });
  await post('/rekey', { reason: 'every year' });
  await post('/backups', { target: `${backups.path}/shop`, reason: 'before the upgrade' });
  await recorder.until('it is complete', 'GET /backups', ({ backups: [row] }) => row.state === 'complete');
  await operator('GET /backups');
  await recorder.until('something is in it', 'GET /backups/status', ({ position }) => position !== null);
  await operator('GET /backups/status');
  await post('/backups/drill', { reason: 'after the move to another bucket' });
  await recorder.endless('GET /feed?after=4&epoch=1&types=OrderPlaced,OrderDelivered');
}

async function afterRestore({ recorder, operator, post }: Shop, bought: Bought): Promise<void> {
  await operator('GET /restore', { as: 'closed' });
  await post('/restore/quarantine', { count: 3, productId: 1, reason: 'restored at noon' });
  await post('/restore/release', { productId: 1 });
  await post('/restore/quarantine', { count: 3 }, { as: 'all' });
  await post('/restore/withdraw', { productId: 1 });
  await operator('POST /restore/receipts', { body: `${bought.receipt}\nhello\n` });
  await post('/restore/open', { keys: 'keep', operators: 'end', webhooks: 'keep', products: 'keep' });
  await operator('GET /restore', { as: 'open' });
  await recorder.buyer(bought.apiKey, 'DELETE /webhook', { body: { confirm: true } });
}
