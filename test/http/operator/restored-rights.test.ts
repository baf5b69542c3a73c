/**
 * Rights that a restore brought back and that may have ended in the gap: until sales are open they allow reading alone,
 * and before sales open they are decided on.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { beginEpoch } from '../../persistence/restored-folder.ts';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { OperatorClient, ok } from '../../support/operator-client.ts';

const HOOK = { url: 'https://127.1.1.1/', events: ['order.completed'] };
const WANTED = { productId: 1, quantity: 1, expectedPriceUsdt: 1 };

describe('a shop that was restored, and may have taken things away since', () => {
  let node: QuietNode;
  const keys: string[] = [];
  const tokens: Record<string, string> = {};
  const as = (name: string) => new CheckedOperatorClient(node.operatorUrl, tokens[name] ?? '');
  const open = (body: object) => node.operator.json('POST', '/restore/open', body);
  const sales = async () => (await ok(node.operator.json('GET', '/restore'))) as object;

  before(async () => {
    node = await QuietNode.start('restored-rights', { webhookAllow: '127.0.0.0/8' });
    const { operator, buyers } = node;
    for (const productId of [1, 2]) {
      await ok(operator.createProduct({ name: `Codes ${productId}`, type: 'standard', priceUsdt: 1 }));
      await ok(operator.addStock(productId, [`a ${productId}`, `b ${productId}`, `c ${productId}`]));
    }
    for (const accountId of [1, 2]) {
      await ok(operator.createAccount({ name: `buyer ${accountId}` }));
      await ok(operator.credit(accountId, 100, 'first'));
      keys[accountId] = (await ok(operator.issueKey(accountId))).apiKey ?? '';
      assert.equal((await buyers.setWebhook(keys[accountId], HOOK)).status, 200);
    }
    for (const role of ['owner', 'support', 'metrics', 'viewer', 'bot']) {
      const made = await ok(operator.json('POST', '/operators', { name: role, role }));
      tokens[role] = made.token ?? '';
    }
    assert.equal((await buyers.purchase(keys[1] ?? '', 'known', WANTED)).status, 201);
    await node.stop();
    await beginEpoch(node.folder.path, 2);
    await node.start();
  });
  after(() => node.close());

  test('a key reads, and changes nothing', async () => {
    const [, key = ''] = keys;
    const { buyers } = node;
    const calls = {
      balance: await buyers.balance(key),
      order: await buyers.order(key, 1),
      receipt: await buyers.receipt(key, 1),
      webhook: await buyers.webhook(key),
      known: await buyers.purchase(key, 'known', WANTED),
      purchase: await buyers.purchase(key, 'new', WANTED),
      registration: await buyers.setWebhook(key, HOOK),
      deletion: await buyers.deleteWebhook(key),
    };
    const answers = Object.entries(calls).map(([name, { status, body }]) => [name, body.error ?? status]);
    assert.deepEqual(Object.fromEntries(answers), {
      ...{ balance: 200, order: 200, receipt: 200, webhook: 200, known: 201 },
      ...{ purchase: 'SALES_CLOSED', registration: 'SALES_CLOSED', deletion: 'SALES_CLOSED' },
    });
    assert.match(calls.registration.body.message ?? '', /your key only reads/);
  });

  test('nobody but root operates: others read as a viewer does, whatever their role', async () => {
    const refused: [who: string, method: string, path: string, body?: object][] = [
      ['owner', 'POST', '/accounts/1/credits', { amountUsdt: 1_000, reference: 'x' }],
      ['owner', 'POST', '/restore/open', { all: 'keep' }],
      ['owner', 'GET', '/backups'],
      ['support', 'POST', '/orders/1/refund', {}],
      ['support', 'POST', '/items/search', { text: 'a 1' }],
      ['bot', 'GET', '/products'],
    ];
    for (const [who, method, path, body] of refused) {
      const reply = await as(who).json(method, path, body);
      assert.equal(reply.status, 403, `${who} ${path}: ${reply.text}`);
      assert.match(reply.body.message ?? '', new RegExp(`Your role is ${who}.*nobody but root`));
    }
    for (const who of ['owner', 'support', 'viewer']) {
      const order = await ok(as(who).getOrder(1));
      assert.deepEqual([order.status, order.delivery], ['completed', undefined], who);
      assert.equal(((await ok(as(who).json('GET', '/session'))) as { role?: string }).role, who);
    }
    assert.equal((await as('metrics').json('GET', '/metrics')).status, 200);
    const body = { token: tokens.owner };
    const { token = '', ...session } = await ok(
      new OperatorClient(node.operatorUrl, '').json('POST', '/sessions', body),
    );
    assert.equal((session as { role?: string }).role, 'owner');
    const signedIn = new CheckedOperatorClient(node.operatorUrl, token);
    assert.deepEqual(
      [(await signedIn.updateProduct(1, { priceUsdt: 2 })).status, (await signedIn.getOrder(1)).status],
      [403, 200],
    );
    assert.deepEqual((await ok(node.operator.getOrder(1))).delivery?.items, ['a 1']);
  });

  test('sales open only when each of them is decided on', async () => {
    const none = await open({});
    assert.equal(none.status, 400);
    assert.match(
      none.body.message ?? '',
      /keys \(2 restored\), operators \(5 restored\), webhooks \(2 restored\), products \(2 restored\)/,
    );
    const some = await open({ keys: 'end', webhooks: 'keep' });
    assert.equal(some.status, 400);
    assert.match(some.body.message ?? '', /: operators \(5 restored\), products \(2 restored\)\./);
    assert.deepEqual(
      Object.entries(await sales()).filter(([name]) => /sales|undecided|takenAway/.test(name)),
      [
        ['sales', 'closed'],
        ['undecided', { keys: 2, operators: 5, webhooks: 2, products: 2 }],
        // The end of a backup says nothing of what was taken away behind it.
        ['takenAway', null],
      ],
    );
    assert.equal(((await ok(node.operator.json('GET', '/status'))) as { sales?: string }).sales, 'closed');
  });

  test('what ends has ended when sales open; what came since the restore stays', async () => {
    const { operator, buyers } = node;
    const { apiKey = '' } = await ok(operator.issueKey(2));
    assert.equal((await buyers.setWebhook(apiKey, HOOK)).status, 200);
    const { token = '' } = await ok(operator.json('POST', '/operators/2/token', {}));
    const fresh = { name: 'New', type: 'standard', priceUsdt: 1 };
    const { productId = 0 } = await ok(operator.createProduct(fresh));
    const opened = (await ok(open({ all: 'end', webhooks: 'keep' }))) as { ended?: object };
    assert.deepEqual(opened.ended, { keys: 1, operators: 4, webhooks: 0, products: 2 });
    assert.equal((await buyers.balance(keys[1] ?? '')).status, 401);
    assert.equal((await as('owner').json('GET', '/status')).status, 401);
    assert.equal(
      (await new CheckedOperatorClient(node.operatorUrl, token).moveOrder(1, 'refund', {})).status,
      200,
    );
    const products = [1, 2, productId].map(async (id) => (await ok(operator.getProduct(id))).active);
    assert.deepEqual(await Promise.all(products), [false, false, true]);
    await ok(operator.addStock(productId, ['new']));
    assert.equal((await buyers.purchase(apiKey, 'new', { ...WANTED, productId })).status, 201);
    const again = (await ok(open({ all: 'end' }))) as { ended?: object };
    assert.deepEqual(again.ended, { keys: 0, operators: 0, webhooks: 0, products: 0 });
    await ok(operator.json('PATCH', '/accounts/1/key', { active: true }));
    assert.equal((await buyers.balance(keys[1] ?? '')).status, 200);
  });

  test('webhooks that end are sent nothing of what waited for them', async () => {
    await node.stop();
    await beginEpoch(node.folder.path, 3);
    await node.start();
    const opened = (await ok(open({ all: 'keep', webhooks: 'end' }))) as { ended?: object };
    assert.deepEqual(opened.ended, { keys: 0, operators: 0, webhooks: 2, products: 0 });
    assert.equal((await node.buyers.webhook(keys[1] ?? '')).status, 404);
    const { deliveries = [] } = (await ok(node.operator.json('GET', '/webhooks/1/deliveries'))) as {
      deliveries?: { status: string }[];
    };
    assert.ok(deliveries.every(({ status }) => status === 'cancelled'));
  });
});
