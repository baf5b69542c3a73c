/**
 * SPEC.md §4, GET /webhook across restarts: what was answered is still so, no file has a secret that can be read, and
 * another master key makes secrets unreadable, but stops the node only where stock needs the key before. One node
 * goes through it all, because each start takes its time; every test has a buyer of its own.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { BuyerClient, type Webhook } from '../support/buyer-client.ts';
import { eventually } from '../support/eventually.ts';
import { OperatorClient, ok } from '../support/operator-client.ts';
import { PurserExitedError, type PurserProcess, startPurser } from '../support/purser-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { assertRefusal, assertSuccess } from './reply-assertions.ts';
import { type Buyer, known } from './scene.ts';

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
  let buyer: Buyer;
  /** Undefined while it is the one in the folder. */
  let masterKey: string | undefined;

  async function start(key = masterKey): Promise<void> {
    const env = key === undefined ? {} : { PURSER_MASTER_KEY: key };
    server = await startPurser({ dataDir: folder.path, flags: FLAGS, env });
    buyers = new BuyerClient(server.buyerUrl);
    operator = new OperatorClient(server.operatorUrl, server.operatorToken);
  }

  async function newBuyer(): Promise<Buyer> {
    const accountId = known((await ok(operator.createAccount({ name: 'buyer' }))).accountId);
    return { accountId, apiKey: known((await ok(operator.issueKey(accountId))).apiKey) };
  }

  /** Registers; returns the webhook as it must be shown from now on. */
  async function registered({ apiKey }: Buyer, events = WEBHOOK.events): Promise<Webhook> {
    const reply = await buyers.setWebhook(apiKey, { ...WEBHOOK, events });
    assertSuccess(reply, 200);
    const secret = known(reply.body.webhook?.secret);
    return { ...WEBHOOK, events, secretMasked: `***${secret.slice(-4)}` };
  }

  async function assertShown({ apiKey }: Buyer, expected: Webhook): Promise<void> {
    const reply = await buyers.webhook(apiKey);
    assertSuccess(reply, 200);
    assert.deepEqual(reply.body.webhook, expected);
  }

  async function stop(): Promise<void> {
    buyers.close();
    assert.equal(await server.stop(), 0, server.output());
  }

  async function kill(): Promise<void> {
    buyers.close();
    await server.kill();
  }

  before(async () => {
    folder = await createTemporaryFolder('webhook-at-rest');
    await start();
  });
  after(async () => {
    await kill();
    await folder.remove();
  });
  beforeEach(async () => {
    buyer = await newBuyer();
  });

  test('what was answered survives kill -9: a registration, the next one, and a deletion', async () => {
    const other = await newBuyer();
    const [first, others] = [await registered(buyer), await registered(other)];
    await kill();
    await start();
    await assertShown(buyer, first);
    await assertShown(other, others);

    const next = await registered(buyer, ['order.completed', 'balance.low']);
    assertSuccess(await buyers.deleteWebhook(other.apiKey), 200);
    await kill();
    await start();
    await assertShown(buyer, next);
    assertRefusal(await buyers.webhook(other.apiKey), 404, 'NOT_FOUND');
    assertSuccess(await buyers.deleteWebhook(buyer.apiKey), 200);
  });

  test('another master key: the node starts and says so, 409 until it is registered again, or deleted', async () => {
    const { apiKey, accountId } = buyer;
    const other = await newBuyer();
    for (const one of [buyer, other]) await registered(one);
    await stop();
    rmSync(join(folder.path, 'master-key'));
    masterKey = newMasterKey();
    await start();
    // The log is another stream than the line that the start waits for.
    const ids = `"accountIds":\\[${accountId},${other.accountId}\\].*must register again`;
    const told = new RegExp(`the master key has changed[\\s\\S]*${ids}`);
    await eventually('the log says it', () => told.test(server.output()));

    assertRefusal(await buyers.webhook(apiKey), 409, 'WEBHOOK_SECRET_UNREADABLE');
    assertSuccess(await buyers.balance(apiKey), 200);
    await assertShown(buyer, await registered(buyer));
    assertSuccess(await buyers.deleteWebhook(other.apiKey), 200);
    assertRefusal(await buyers.webhook(other.apiKey), 404, 'NOT_FOUND');

    await stop();
    await start();
    assert.doesNotMatch(server.output(), /master key/);
    assertSuccess(await buyers.webhook(apiKey), 200);
  });

  test('with stock, another master key is refused, and nothing is lost by trying', async () => {
    const webhook = await registered(buyer);
    const product = await ok(operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }));
    await ok(operator.addStock(known(product.productId), ['a code']));
    await stop();
    await assert.rejects(
      start(newMasterKey()),
      (error) => error instanceof PurserExitedError && /the master key is not the one/.test(error.stderr),
    );
    await start();
    await assertShown(buyer, webhook);
  });

  test('no file and no line of the log has the secret', async () => {
    const url = `${WEBHOOK.url}at-rest`;
    const { body } = await buyers.setWebhook(buyer.apiKey, { ...WEBHOOK, url });
    const secret = known(body.webhook?.secret);
    await stop();
    assert.equal(server.output().includes(secret.slice(-16)), false);
    const files = readdirSync(folder.path, { recursive: true, encoding: 'utf8', withFileTypes: true });
    const bytes = files
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    assert.ok(
      bytes.some((content) => content.includes(url)),
      'the configuration is in one of them',
    );
    for (const content of bytes) assert.equal(content.includes(secret.slice(-16)), false);
  });
});
