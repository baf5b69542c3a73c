/**
 * SPEC.md §4 across restarts: webhooks are as they were. Where there is no stock, an operator who moves `key-ring` away
 * starts with another master key, and webhooks' secrets are unreadable then. No file has a secret that can be read. One
 * node goes through it all. `test/persistence/keys/key-ring.test.ts` has other keys refused.
 */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { verifyDataFolder } from '../../src/persistence/verify.ts';
import type { Webhook } from '../support/buyer-client.ts';
import { assertRefused } from './operator-reply.ts';
import { assertRefusal, assertSuccess } from './reply-assertions.ts';
import { type Buyer, known, Scene } from './scene.ts';

const WEBHOOK = { url: 'https://127.0.0.1:8443/', events: ['order.failed'], balanceThresholdUsdt: 5 };
const ANOTHER_KEY = randomBytes(32).toString('base64');

describe('a node that is stopped, and starts again', { timeout: 120_000 }, () => {
  const scene = new Scene('node', { webhookAllow: ['127.0.0.0/8'] });
  before(() => scene.start());
  after(() => scene.close());

  /** Registers; returns the webhook as it must be shown from now on. */
  async function registered({ apiKey }: Buyer, url = WEBHOOK.url) {
    const reply = await scene.buyers.setWebhook(apiKey, { ...WEBHOOK, url });
    assertSuccess(reply, 200);
    const secret = known(reply.body.webhook?.secret);
    return { secret, webhook: { ...WEBHOOK, url, secretMasked: `***${secret.slice(-4)}` } };
  }

  async function assertShown({ apiKey }: Buyer, expected: Webhook): Promise<void> {
    assert.deepEqual((await scene.buyers.webhook(apiKey)).body.webhook, expected);
  }

  test('§4 without its keys, a webhook is 409 until it is registered again, or deleted', async () => {
    const [again, deleted] = [await scene.buyer(), await scene.buyer()];
    const { webhook } = await registered(again);
    await registered(deleted);
    await scene.stop();
    await scene.start();
    await assertShown(again, webhook);
    await scene.stop();
    rmSync(join(scene.dataDir, 'master-key'));
    rmSync(join(scene.dataDir, 'key-ring'));
    await scene.start({ PURSER_MASTER_KEY: ANOTHER_KEY });
    assert.match(
      scene.log(),
      new RegExp(`"accountIds":\\[${again.accountId},${deleted.accountId}\\].*must register again`),
    );
    assertRefusal(await scene.buyers.webhook(again.apiKey), 409, 'WEBHOOK_SECRET_UNREADABLE');
    assert.ok(scene.answers.seen.has('GET /webhook 409 WEBHOOK_SECRET_UNREADABLE'));
    assertSuccess(await scene.buyers.balance(again.apiKey), 200);
    await assertShown(again, (await registered(again)).webhook);
    assertSuccess(await scene.buyers.deleteWebhook(deleted.apiKey), 200);
    assertRefusal(await scene.buyers.webhook(deleted.apiKey), 404, 'NOT_FOUND');
  });

  test('no file and no line of the log has the secret', async () => {
    const url = `${WEBHOOK.url}at-rest`;
    const { secret } = await registered(await scene.buyer(), url);
    await scene.stop();
    const bytes = readdirSync(scene.dataDir, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    assert.ok(
      bytes.some((content) => content.includes(url)),
      'the configuration is in one of them',
    );
    for (const content of [...bytes, scene.log()]) assert.equal(content.includes(secret.slice(-16)), false);
    const lines: string[] = [];
    const isSound = await verifyDataFolder(scene.dataDir, (line) => lines.push(line), ANOTHER_KEY);
    assert.ok(isSound, lines.join('\n'));
  });
});

describe('a node with stock that is stopped, and starts again', { timeout: 120_000 }, () => {
  const scene = new Scene('node');
  before(() => scene.start());
  after(() => scene.close());

  test('price lists, own prices, skus and the rules of orders are as they were', async () => {
    const [buyer, other, productId] = [
      await scene.buyer(),
      await scene.buyer(),
      await scene.product({ stock: 5 }),
    ];
    const call = async (method: string, path: string, body?: object) => {
      const { status, text } = await scene.operator.json(method, path, body);
      assert.ok(status < 300, text);
      const { requestId: _, ...fields } = JSON.parse(text) as Readonly<Record<string, unknown>>;
      return fields;
    };
    const { priceListId } = await call('POST', '/price-lists', { name: 'Gold', percent: -12.5 });
    await call('PATCH', `/accounts/${buyer.accountId}`, { priceListId });
    await call('PUT', `/accounts/${other.accountId}/prices/${productId}`, { priceUsdt: 2 });
    const sku = randomUUID();
    await call('PATCH', `/products/${productId}`, { sku });
    const bought = await scene.buy(buyer, productId, 2, 6.13);
    assertSuccess(bought, 201);
    const paths = [
      `/price-lists/${priceListId}`,
      `/accounts/${other.accountId}/prices`,
      `/accounts/${buyer.accountId}/price?productId=${productId}&quantity=2`,
      `/orders/${bought.body.orderId}`,
    ];
    const seen = () => Promise.all(paths.map((path) => call('GET', path)));
    const before = await seen();
    assert.deepEqual([before[3]?.priceRule, before[3]?.priceListId], ['percent', priceListId]);
    await scene.stop();
    assert.ok(await verifyDataFolder(scene.dataDir, () => {}));
    await scene.start();
    assert.deepEqual(await seen(), before);
    assertSuccess(await scene.buy(buyer, productId, 1, 3.06), 201);
    const taken = { name: 'X', type: 'standard', priceUsdt: 1, sku };
    assertRefused(await scene.operator.json('POST', '/products', taken), 409, 'ALREADY_TAKEN');
    const table = `sku,name,priceUsdt\n${sku},Gift card,3.50\n`;
    const type = { 'content-type': 'text/csv' };
    const found = await scene.operator.request('POST', '/products/import', type, table);
    assert.equal((JSON.parse(found.text) as { unchanged?: number }).unchanged, 1);
  });
});
