/** Calls for the successes that the operators' document promises, and for the fields that they may have. */
import { CheckedOperatorClient, operatorAnswers } from '../../support/checked-operator-client.ts';
import { ok } from '../../support/operator-client.ts';
import { freshIdempotencyKey, known, type Scene } from '../scene.ts';

export async function provokeEverything(scene: Scene): Promise<void> {
  const { operator } = scene;
  const get = (path: string) => ok(operator.json('GET', path));
  await provokeMoney(scene, get);
  await provokeStock(scene, get);
  await provokeOrders(scene, get);
  await provokeOperators(scene, get);
  await provokeSessions(scene, get);
  for (const rows of ['accounts', 'products', 'suppliers', 'operators', 'orders', 'audit']) {
    await get(`/${rows}?limit=1`);
  }
  await get('/accounts');
  await get('/products');
  await get('/audit');
  const { suppliers = [] } = (await get('/suppliers')) as Suppliers;
  await get(`/suppliers/${known(suppliers[0]).supplierId}`);
  await get('/supplier-purchases?limit=1');
  for (const path of [
    '/live',
    '/ready',
    '/status',
    '/overview',
    '/alerts',
    '/webhooks',
    '/metrics',
    '/openapi.json',
  ])
    await get(path);
  await readFeed(scene);
}

interface Suppliers {
  readonly suppliers?: readonly { readonly supplierId: number }[];
}

type Get = (path: string) => ReturnType<typeof ok>;

async function provokeMoney(scene: Scene, get: Get): Promise<void> {
  const { operator } = scene;
  const { accountId, apiKey } = await scene.buyer();
  const path = `/accounts/${accountId}`;
  const purchase = { productId: await scene.product({ stock: 1 }), expectedPriceUsdt: 3.5 };
  await scene.buyers.purchase(apiKey, freshIdempotencyKey(), purchase);
  const credit = { amountUsdt: 5, reference: 'r', reason: 'a gift' };
  await ok(operator.json('POST', `${path}/credits`, credit));
  await ok(operator.json('POST', `${path}/credits`, credit));
  await ok(operator.json('PATCH', path, { rateLimitPerMinute: 5 }));
  await ok(operator.json('PATCH', `${path}/key`, { active: false }));
  await get(path);
  await get(`/webhooks/${accountId}/deliveries`);
  await get(`${path}/statement?limit=1`);
  await get(`${path}/statement`);
  await operator.request('GET', `${path}/statement`, { accept: 'text/csv' });
  for (const by of ['day', 'product', 'account']) await get(`/reports/money?by=${by}&limit=1`);
  await ok(operator.json('DELETE', `${path}/key`));
}

async function provokeStock(scene: Scene, get: Get): Promise<void> {
  const { operator } = scene;
  const buyer = await scene.buyer();
  const productId = await scene.product();
  const path = `/products/${productId}`;
  const label = '?source=Codes%20Ltd&costUsdt=0.25&reference=i9';
  const upload = await ok(operator.request('POST', `${path}/stock${label}`, TEXT, 'a\nb\nc\n'));
  const { lotId } = upload as { readonly lotId?: number };
  await ok(operator.request('POST', `${path}/stock`, TEXT, 'd\ne\n'));
  const lot = `/lots/${known(lotId)}`;
  for (const quantity of [1, 1]) {
    const body = { productId, quantity, expectedPriceUsdt: 3.5 };
    await scene.buyers.purchase(buyer.apiKey, freshIdempotencyKey(), body);
  }
  await ok(operator.withdrawStock(productId, 2));
  await get(`${path}/stock/withdrawn?limit=1`);
  await ok(operator.request('POST', `${path}/stock?allowDuplicates=true`, TEXT, 'b\n'));
  await ok(operator.json('PATCH', path, { lowStock: 1 }));
  await ok(operator.json('POST', `${lot}/recall`, { reason: 'used' }));
  await ok(operator.json('POST', `${path}/stock`, { items: ['a', 'f'] }));
  await ok(operator.request('POST', `${path}/stock?dryRun=true`, TEXT, 'a\nf\n\u0001\n'));
  await get(`${path}/lots?limit=1`);
  await get(`${path}/lots`);
  await get(lot);
  await get(`${lot}/sold?limit=1`);
  await ok(operator.json('POST', '/items/search', { text: 'a' }));
  await get(path);
}

const TEXT = { 'content-type': 'text/plain' };

async function provokeOrders(scene: Scene, get: Get): Promise<void> {
  const { operator } = scene;
  const { accountId, apiKey } = await scene.buyer();
  const manual = await scene.product({ type: 'manual' });
  const recipient = { username: '@some_one' };
  const step = async (orderId: number, name: string, body: object, key?: string) =>
    ok(
      key === undefined
        ? operator.json('POST', `/orders/${orderId}/${name}`, body)
        : operator.adjustOrder(orderId, name as 'refund', body, key),
    );

  const opened = await ok(operator.json('POST', '/orders', { accountId, productId: manual, recipient }));
  const bot = known(opened.orderId);
  await step(bot, 'pay', {});
  await step(bot, 'complete', { items: ['x'] });
  const failing = known(
    (await ok(operator.json('POST', '/orders', { accountId, productId: manual }))).orderId,
  );
  await step(failing, 'pay', {});
  await step(failing, 'fail', { reason: 'no' });

  const productId = await scene.product({ stock: 5, requiresRecipient: true });
  const purchase = { productId, quantity: 2, expectedPriceUsdt: 7, recipient };
  const bought = await scene.buyers.purchase(apiKey, freshIdempotencyKey(), purchase);
  const orderId = known(bought.body.orderId);
  for (const _ of [1, 2]) await step(orderId, 'replace', { items: [0] }, 'r1');
  await step(orderId, 'refund', { items: [1] }, 'r2');
  await step(orderId, 'replace', { items: [0] }, 'r3');
  for (const _ of [1, 2]) await step(orderId, 'refund', { amountUsdt: 1 }, 'r4');
  await get(`/orders/${orderId}`);
  await get(`/orders/${orderId}?items=false`);
  await get(`/orders?accountId=${accountId}`);
  await get(`/orders/${orderId}/timeline`);
}

async function provokeOperators(scene: Scene, get: Get): Promise<void> {
  const { operator } = scene;
  const name = `openapi-${Date.now()}`;
  const { operatorId } = await ok(
    operator.json('POST', '/operators', { name, role: 'viewer', expiresAt: Date.now() + 3_600_000 }),
  );
  const path = `/operators/${known(operatorId)}`;
  await ok(operator.json('POST', `${path}/token?overlap=10m`, {}));
  await get(path);
  await get('/operators');
  await ok(operator.json('DELETE', path));
  await get(path);
  await get('/operators');
}

async function provokeSessions({ operator, server }: Scene, get: Get): Promise<void> {
  const { code } = (await ok(operator.json('POST', '/console-codes'))) as { readonly code?: string };
  const { sessionId, token = '' } = (await ok(operator.json('POST', '/sessions', { code }))) as {
    readonly sessionId?: number;
    readonly token?: string;
  };
  const signedIn = new CheckedOperatorClient(server.operatorUrl, token);
  await ok(signedIn.json('GET', '/session'));
  await get('/session');
  await get('/sessions');
  await ok(signedIn.json('DELETE', `/sessions/${known(sessionId)}`));
}

/** Its answer doesn't end: the head, and the first bytes. */
async function readFeed(scene: Scene): Promise<void> {
  const { operatorUrl, operatorToken } = scene.server;
  const leaving = new AbortController();
  const response = await fetch(`${operatorUrl}/feed?after=0`, {
    headers: { authorization: `Bearer ${operatorToken}` },
    signal: leaving.signal,
  });
  const { status, headers } = response;
  operatorAnswers.check('GET', '/feed', { status, headers: Object.fromEntries(headers), text: '', body: {} });
  leaving.abort();
}
