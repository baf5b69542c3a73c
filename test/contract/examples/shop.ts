/**
 * The day of a small shop, as its operators and a buyer call it: each operation of both APIs once at least. What is
 * recorded of it are the documents' examples, so names and amounts are such as one would use.
 */
import { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import { beginEpoch } from '../../persistence/restored-folder.ts';
import { startInProcess } from '../../support/nodes/node-in-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { askCluster } from './cluster.ts';
import {
  ALL_TIME,
  type Bought,
  orders,
  products,
  purchases,
  SECRET,
  type Shop,
  stock,
  suppliers,
} from './goods.ts';
import { Recorder } from './recorder.ts';

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
      // Last: an alert comes of it, which is told when it is told.
      await deposits(shop);
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
    depositAddress: ['trc20=TXYZshop'],
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

async function deposits({ operator, post }: Shop): Promise<void> {
  const { fields } = await post('/accounts/2/deposits', { network: 'trc20', amountUsdt: 50 });
  const { address, payUsdt } = fields;
  const place = { network: 'trc20', address, at: 1_767_225_000_000 };
  const paid = { ...place, txId: 'b1f2', amountUsdt: payUsdt };
  await post('/deposits/observed', { ...paid, confirmations: 20 });
  await post(
    '/deposits/observed',
    { ...paid, txId: 'c3d4', amountUsdt: 12, confirmations: 20 },
    { as: 'unclaimed' },
  );
  await post('/deposits/observed', { ...paid, txId: 'e5f6', confirmations: 3 }, { as: 'waiting' });
  await operator('GET /deposits');
  await operator('GET /deposits?state=unclaimed', { as: 'unclaimed' });
  await operator('GET /deposits/addresses');
  await post('/deposits/unclaimed/trc20:c3d4:0/assign', { accountId: 2 });
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
  const { fields: bot } = await post('/operators', { name: 'shop-bot', role: 'bot' }, { as: 'bot' });
  await recorder.endless('GET /feed?after=4&epoch=1&blockedChats=2&unsentMessages=0', bot.token);
  await operator('GET /bots');
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
