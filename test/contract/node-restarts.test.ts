/**
 * SPEC.md §2 and §4 across restarts: what was answered is still so, after a stop and after a kill. That is: webhooks, what
 * suppliers have (also when they are down by then: they neither block the start nor empty the catalog), and a purchase
 * whose supplier was being asked. Another master key is refused; only where there is no stock, an operator who moves
 * `key-ring` away starts with it, and webhooks' secrets are unreadable then. No file has a secret that can be read.
 *
 * One node goes through it all, as each start takes its time: each test goes on where the one before it ended.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ReferenceSupplier } from '../../examples/supplier/reference-supplier.ts';
import { verifyDataFolder } from '../../src/persistence/verify.ts';
import { BuyerClient, type Webhook } from '../support/buyer-client.ts';
import { CheckedOperatorClient } from '../support/checked-operator-client.ts';
import { eventually } from '../support/eventually.ts';
import { type OperatorClient, ok } from '../support/operator-client.ts';
import { PurserExitedError, type PurserProcess, startPurser } from '../support/purser-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { DocumentedAnswers } from './documented-answers.ts';
import { assertRefusal, assertSuccess } from './reply-assertions.ts';
import { type Buyer, freshIdempotencyKey, known } from './scene.ts';

const WEBHOOK = { url: 'https://127.0.0.1:8443/', events: ['order.failed'], balanceThresholdUsdt: 5 };

describe('a node that is stopped or killed, and starts again', { timeout: 120_000 }, () => {
  let folder: TemporaryFolder;
  let supplier: ReferenceSupplier;
  let server: PurserProcess;
  let buyers: BuyerClient;
  let operator: OperatorClient;
  let answers: DocumentedAnswers;
  /** Undefined while it is the one in the folder. */
  let masterKey: string | undefined;
  /** They have a webhook: one since the beginning, the other since the node has another master key. */
  let [buyer, later]: [Buyer?, Buyer?] = [];
  /** What `buyer`'s webhook must be shown as. */
  let webhook: Webhook;
  /** It is sold by a supplier, and has stock of its own. */
  let suppliedId = 0;

  async function start(key = masterKey): Promise<void> {
    const env = key === undefined ? {} : { PURSER_MASTER_KEY: key };
    const flags = ['--webhook-allow', '127.0.0.0/8'];
    server = await startPurser({ dataDir: folder.path, flags, env });
    operator = new CheckedOperatorClient(server.operatorUrl, server.operatorToken);
    buyers = new BuyerClient(server.buyerUrl, { onReply: (...reply) => answers.check(...reply) });
  }

  async function stop(): Promise<void> {
    buyers.close();
    assert.equal(await server.stop(), 0, server.output());
    await verify();
  }

  async function kill(): Promise<void> {
    buyers.close();
    await server.kill();
    await verify();
  }

  async function verify(): Promise<void> {
    const lines: string[] = [];
    const isSound = await verifyDataFolder(folder.path, (line) => lines.push(line), masterKey);
    assert.ok(isSound, lines.join('\n'));
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

  async function suppliedProduct(supplierSku: string): Promise<number> {
    const { url, secret } = supplier;
    const created = await ok(operator.createSupplier({ name: 'Codes', url, secret }));
    const supplierId = known(created.supplierId);
    const product = { name: 'Card', priceUsdt: 1, supplierId, supplierSku };
    return known((await ok(operator.createProduct(product))).productId);
  }

  const left = async () => (await ok(operator.getProduct(suppliedId))).availableStock;

  before(async () => {
    folder = await createTemporaryFolder('node-restarts');
    supplier = await ReferenceSupplier.start('a secret of the supplier');
    await start();
    answers = new DocumentedAnswers(await (await fetch(`${server.buyerUrl}/openapi.json`)).text());
  });
  after(async () => {
    await server.kill();
    await folder.remove();
  });

  test('§4 a kill loses no registration of a webhook, no later one, and no deletion', async () => {
    buyer = await newBuyer();
    const [unchanged, deleted] = [await newBuyer(), await newBuyer()];
    await registered(buyer);
    webhook = await registered(buyer, ['order.completed', 'balance.low']);
    const first = await registered(unchanged);
    await registered(deleted);
    assertSuccess(await buyers.deleteWebhook(deleted.apiKey), 200);
    await kill();
    await start();

    await assertShown(buyer, webhook);
    await assertShown(unchanged, first);
    assertRefusal(await buyers.webhook(deleted.apiKey), 404, 'NOT_FOUND');
    for (const { apiKey } of [unchanged, buyer]) assertSuccess(await buyers.deleteWebhook(apiKey), 200);
  });

  test('§4 another master key is refused; without the key ring, 409 until it is registered again, or deleted', async () => {
    [buyer, later] = [await newBuyer(), await newBuyer()];
    for (const one of [buyer, later]) await registered(one);
    await stop();
    rmSync(join(folder.path, 'master-key'));
    const another = randomBytes(32).toString('base64');
    await assert.rejects(start(another), isNotTheKey);
    rmSync(join(folder.path, 'key-ring'));
    masterKey = another;
    await start();
    // The log is another stream than the line that the start waits for.
    const ids = `"accountIds":\\[${buyer.accountId},${later.accountId}\\].*must register again`;
    await eventually('the log says it', () => new RegExp(ids).test(server.output()));

    assertRefusal(await buyers.webhook(buyer.apiKey), 409, 'WEBHOOK_SECRET_UNREADABLE');
    assertSuccess(await buyers.balance(buyer.apiKey), 200);
    webhook = await registered(buyer);
    await assertShown(buyer, webhook);
    assertSuccess(await buyers.deleteWebhook(later.apiKey), 200);
    assertRefusal(await buyers.webhook(later.apiKey), 404, 'NOT_FOUND');
  });

  test('§2, §4 after a kill the catalog has what a supplier has, though it is down, and the key of a purchase there is unresolved', async () => {
    suppliedId = await suppliedProduct('codes');
    await ok(operator.addStock(suppliedId, ['own 1', 'own 2']));
    await eventually('the catalog has the 12 of the supplier', async () => (await left()) === 14);
    const { apiKey, accountId } = known(buyer);
    await ok(operator.credit(accountId, 10, 'start'));
    const wanted = { productId: await suppliedProduct('silent'), expectedPriceUsdt: 1 };
    const key = freshIdempotencyKey();
    const interrupted = assert.rejects(buyers.purchase(apiKey, key, wanted));
    await eventually('the supplier is asked', () => supplier.purchases.size > 0);
    await kill();
    await Promise.all([interrupted, supplier.stop()]);
    await start();
    assert.equal(await left(), 14);
    assertRefusal(await buyers.purchase(apiKey, key, wanted), 409, 'IDEMPOTENCY_UNRESOLVED');
    assert.equal((await buyers.balance(apiKey)).body.balanceUsdt, 10);
    assert.doesNotMatch(server.output(), /master key/);
    await assertShown(known(buyer), webhook);
    assertRefusal(await buyers.webhook(known(later).apiKey), 404, 'NOT_FOUND');
  });

  test('with stock, another master key is refused, and nothing is lost by trying, nor by the stop', async () => {
    await stop();
    await assert.rejects(start(randomBytes(32).toString('base64')), isNotTheKey);
    await start();
    await assertShown(known(buyer), webhook);
    assert.equal(await left(), 14);
  });

  test('§2 what a supplier has is dropped with the supplier', async () => {
    await ok(operator.updateProduct(suppliedId, { supplierId: null, supplierSku: null }));
    assert.equal(await left(), 2);
    await stop();
    await start();
    assert.equal(await left(), 2);
  });

  test('no file and no line of the log has the secret', async () => {
    const url = `${WEBHOOK.url}at-rest`;
    const { body } = await buyers.setWebhook(known(buyer).apiKey, { ...WEBHOOK, url });
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

  test('these answers are in the OpenAPI document', () => {
    assert.ok(answers.seen.has('POST /orders 409 IDEMPOTENCY_UNRESOLVED'));
    assert.ok(answers.seen.has('GET /webhook 409 WEBHOOK_SECRET_UNREADABLE'));
  });
});

function isNotTheKey(error: unknown): boolean {
  return error instanceof PurserExitedError && /the master key is not the one/.test(error.stderr);
}
