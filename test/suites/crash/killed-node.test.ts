/**
 * SPEC.md §2 and §4 after kill -9: webhooks are as they were answered. The catalog has what a supplier has, though it is
 * down by then, and a purchase whose supplier was being asked is unresolved: it costs nothing. Every answer is in the
 * OpenAPI document.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { DocumentedAnswers } from '../../contract/documented-answers.ts';
import { assertRefusal, assertSuccess } from '../../contract/reply-assertions.ts';
import { type Buyer, freshIdempotencyKey, known } from '../../contract/scene.ts';
import { BuyerClient } from '../../support/buyer-client.ts';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { eventually } from '../../support/eventually.ts';
import { type OperatorClient, ok } from '../../support/operator-client.ts';
import { type PurserProcess, startPurser } from '../../support/purser-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const WEBHOOK = { url: 'https://127.0.0.1:8443/', events: ['order.failed'], balanceThresholdUsdt: 5 };

describe('a node that is killed, and starts again', { timeout: 120_000 }, () => {
  let folder: TemporaryFolder;
  let supplier: ReferenceSupplier;
  let server: PurserProcess;
  let buyers: BuyerClient;
  let operator: OperatorClient;
  let answers: DocumentedAnswers;

  async function start(): Promise<void> {
    server = await startPurser({ dataDir: folder.path, flags: ['--webhook-allow', '127.0.0.0/8'] });
    operator = new CheckedOperatorClient(server.operatorUrl, server.operatorToken);
    buyers = new BuyerClient(server.buyerUrl, { onReply: (...reply) => answers.check(...reply) });
  }

  async function kill(): Promise<void> {
    buyers.close();
    await server.kill();
    const lines: string[] = [];
    assert.ok(await verifyDataFolder(folder.path, (line) => lines.push(line)), lines.join('\n'));
  }

  async function newBuyer(): Promise<Buyer> {
    const accountId = known((await ok(operator.createAccount({ name: 'buyer' }))).accountId);
    return { accountId, apiKey: known((await ok(operator.issueKey(accountId))).apiKey) };
  }

  async function registered({ apiKey }: Buyer, events = WEBHOOK.events) {
    const reply = await buyers.setWebhook(apiKey, { ...WEBHOOK, events });
    assertSuccess(reply, 200);
    return { ...WEBHOOK, events, secretMasked: `***${known(reply.body.webhook?.secret).slice(-4)}` };
  }

  async function suppliedProduct(supplierSku: string): Promise<number> {
    const { url, secret } = supplier;
    const { supplierId } = await ok(operator.createSupplier({ name: 'Codes', url, secret }));
    const product = { name: 'Card', priceUsdt: 1, supplierId: known(supplierId), supplierSku };
    return known((await ok(operator.createProduct(product))).productId);
  }

  before(async () => {
    folder = await createTemporaryFolder('killed-node');
    supplier = await ReferenceSupplier.start('a secret of the supplier');
    await start();
    answers = new DocumentedAnswers(await (await fetch(`${server.buyerUrl}/openapi.json`)).text());
  });
  after(async () => {
    await server.kill();
    await folder.remove();
  });

  test('§4 no registration of a webhook is lost, no later one, and no deletion', async () => {
    const [changed, unchanged, deleted] = [await newBuyer(), await newBuyer(), await newBuyer()];
    await registered(changed);
    const latest = await registered(changed, ['order.completed', 'balance.low']);
    const first = await registered(unchanged);
    await registered(deleted);
    assertSuccess(await buyers.deleteWebhook(deleted.apiKey), 200);
    await kill();
    await start();
    assert.deepEqual((await buyers.webhook(changed.apiKey)).body.webhook, latest);
    assert.deepEqual((await buyers.webhook(unchanged.apiKey)).body.webhook, first);
    assertRefusal(await buyers.webhook(deleted.apiKey), 404, 'NOT_FOUND');
  });

  test('§2, §4 the key of a purchase at a supplier is unresolved, and what the supplier has is known', async () => {
    const suppliedId = await suppliedProduct('codes');
    const left = async () => (await ok(operator.getProduct(suppliedId))).availableStock;
    await ok(operator.addStock(suppliedId, ['own 1', 'own 2']));
    await eventually('the catalog has the 12 of the supplier', async () => (await left()) === 14);
    const { apiKey, accountId } = await newBuyer();
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
    assert.ok(answers.seen.has('POST /orders 409 IDEMPOTENCY_UNRESOLVED'));
    await ok(operator.updateProduct(suppliedId, { supplierId: null, supplierSku: null }));
    assert.equal(await left(), 2, 'what a supplier has is dropped with the supplier');
  });
});
