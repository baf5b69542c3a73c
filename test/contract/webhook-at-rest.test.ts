/**
 * SPEC.md §4, GET /webhook across restarts: what was answered is still so, no file has a secret that can be read, and
 * another master key makes secrets unreadable, but stops the node only where stock needs the key before.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { BuyerClient } from '../support/buyer-client.ts';
import { eventually } from '../support/eventually.ts';
import { OperatorClient, ok } from '../support/operator-client.ts';
import { PurserExitedError, type PurserProcess, startPurser } from '../support/purser-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { assertRefusal, assertSuccess } from './reply-assertions.ts';
import { known } from './scene.ts';

const WEBHOOK = { url: 'https://127.0.0.1:8443/', events: ['order.failed'], balanceThresholdUsdt: 5 };
const FLAGS = ['--webhook-allow', '127.0.0.0/8'];

function newMasterKey(): string {
  return randomBytes(32).toString('base64');
}

describe('a webhook at rest', { timeout: 120_000 }, () => {
  let folder: TemporaryFolder;
  let server: PurserProcess;
  let buyers: BuyerClient;
  let operator: OperatorClient;
  let apiKey: string;

  async function start(masterKey?: string): Promise<void> {
    const env = masterKey === undefined ? {} : { PURSER_MASTER_KEY: masterKey };
    server = await startPurser({ dataDir: folder.path, flags: FLAGS, env });
    buyers = new BuyerClient(server.buyerUrl);
    operator = new OperatorClient(server.operatorUrl, server.operatorToken);
  }

  async function newBuyer(): Promise<string> {
    const { accountId } = await ok(operator.createAccount({ name: 'buyer' }));
    return known((await ok(operator.issueKey(known(accountId)))).apiKey);
  }

  async function stop(): Promise<void> {
    buyers.close();
    assert.equal(await server.stop(), 0, server.output());
  }

  async function kill(): Promise<void> {
    buyers.close();
    await server.kill();
  }

  beforeEach(async () => {
    folder = await createTemporaryFolder('webhook-at-rest');
    await start();
    apiKey = await newBuyer();
  });
  afterEach(async () => {
    await kill();
    await folder.remove();
  });

  test('what was answered survives kill -9: a registration, the next one, and a deletion', async () => {
    for (const events of [['order.failed'], ['order.completed', 'balance.low']]) {
      const { body } = await buyers.setWebhook(apiKey, { ...WEBHOOK, events });
      await kill();
      await start();
      const reply = await buyers.webhook(apiKey);
      assertSuccess(reply, 200);
      const secretMasked = `***${body.webhook?.secret?.slice(-4)}`;
      assert.deepEqual(reply.body.webhook, { ...WEBHOOK, events, secretMasked });
    }
    assertSuccess(await buyers.deleteWebhook(apiKey), 200);
    await kill();
    await start();
    assertRefusal(await buyers.webhook(apiKey), 404, 'NOT_FOUND');
  });

  test('no file and no line of the log has the secret', async () => {
    const { body } = await buyers.setWebhook(apiKey, WEBHOOK);
    const secret = known(body.webhook?.secret);
    await stop();
    assert.equal(server.output().includes(secret.slice(-16)), false);
    const files = readdirSync(folder.path, { recursive: true, encoding: 'utf8', withFileTypes: true });
    const bytes = files
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    assert.ok(
      bytes.some((content) => content.includes(WEBHOOK.url)),
      'the configuration is in one of them',
    );
    for (const content of bytes) assert.equal(content.includes(secret.slice(-16)), false);
  });

  test('another master key: the node starts and says so, 409 until it is registered again, or deleted', async () => {
    const another = await newBuyer();
    for (const key of [apiKey, another]) await buyers.setWebhook(key, WEBHOOK);
    await stop();
    rmSync(join(folder.path, 'master-key'));
    const masterKey = newMasterKey();
    await start(masterKey);
    // The log is another stream than the line that the start waits for.
    const told = /the master key is not the one before[\s\S]*"accountIds":\[1,2\].*must register again/;
    await eventually('the log says it', () => told.test(server.output()));

    assertRefusal(await buyers.webhook(apiKey), 409, 'WEBHOOK_SECRET_UNREADABLE');
    assertSuccess(await buyers.balance(apiKey), 200);
    const { body } = await buyers.setWebhook(apiKey, WEBHOOK);
    const secretMasked = `***${body.webhook?.secret?.slice(-4)}`;
    assert.deepEqual((await buyers.webhook(apiKey)).body.webhook, { ...WEBHOOK, secretMasked });
    assertSuccess(await buyers.deleteWebhook(another), 200);
    assertRefusal(await buyers.webhook(another), 404, 'NOT_FOUND');

    await stop();
    await start(masterKey);
    assert.doesNotMatch(server.output(), /master key/);
    assertSuccess(await buyers.webhook(apiKey), 200);
  });

  test('with stock, another master key is refused, and nothing is lost by trying', async () => {
    await buyers.setWebhook(apiKey, WEBHOOK);
    const product = await ok(operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }));
    await ok(operator.addStock(known(product.productId), ['a code']));
    await stop();
    await assert.rejects(
      start(newMasterKey()),
      (error) => error instanceof PurserExitedError && /the master key is not the one/.test(error.stderr),
    );
    await start();
    assertSuccess(await buyers.webhook(apiKey), 200);
  });
});
