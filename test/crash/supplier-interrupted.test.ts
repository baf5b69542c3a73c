/**
 * kill -9 while suppliers are asked, at any moment between hold and answer: no hold leaks, every key answers as it
 * did or as SPEC.md §4 says of an interrupted purchase, money adds up, and everything the supplier ever sold is
 * in exactly one place: an order, or own stock.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ReferenceSupplier } from '../../examples/supplier/reference-supplier.ts';
import { BuyerClient, type BuyerReply } from '../support/buyer-client.ts';
import { OperatorClient, ok } from '../support/operator-client.ts';
import { runCommand } from '../support/purser-command.ts';
import { type PurserProcess, startPurser } from '../support/purser-process.ts';
import { isLongRun, randomFromEnvironment } from '../support/random.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const rounds = Number(process.env.PURSER_TEST_ROUNDS ?? (isLongRun() ? 100 : 5));
const purchasesPerRound = 24;
const skus = ['codes', 'late', 'late', 'later', 'later-failed', 'silent', 'too-many'] as const;
const flags = ['--supplier-timeout', '700ms', '--supplier-poll', '50ms', '--log-level', 'error'];
const startUsdt = 1_000_000;
const priceUsdt = 3;
const patienceMs = 30_000;

interface Attempt {
  readonly key: string;
  readonly productId: number;
  answer?: BuyerReply;
}

class Shop {
  readonly server: PurserProcess;
  readonly operator: OperatorClient;
  readonly buyers: BuyerClient;

  constructor(server: PurserProcess) {
    this.server = server;
    this.operator = new OperatorClient(server.operatorUrl, server.operatorToken);
    this.buyers = new BuyerClient(server.buyerUrl);
  }

  buy(apiKey: string, { key, productId }: Attempt): Promise<BuyerReply> {
    return this.buyers.purchase(apiKey, key, { productId, quantity: 2, expectedPriceUsdt: 2 * priceUsdt });
  }

  async kill(): Promise<void> {
    await this.server.kill();
    this.buyers.close();
  }
}

test(`no kill of ${rounds} between hold and answer loses or doubles anything`, {
  timeout: 60_000 + rounds * 20_000,
}, async (t: TestContext) => {
  const random = randomFromEnvironment();
  const folder = await createTemporaryFolder('supplier');
  t.diagnostic(`seed ${random.seed}, data folder ${folder.path} (kept when this fails)`);
  const supplier = await ReferenceSupplier.start('a secret of the supplier');
  t.after(() => supplier.stop());
  const open = async () => new Shop(await startPurser({ dataDir: folder.path, flags }));
  let shop = await open();
  t.after(() => shop.kill());
  const { accountId, apiKey, productIds } = await setStage(shop, supplier);
  const attempts: Attempt[] = [];

  for (let round = 1; round <= rounds; round += 1) {
    supplier.lateMs = random.between(100, 600);
    const asked = supplier.purchases.size + random.between(1, purchasesPerRound / 2);
    const young = Array.from({ length: purchasesPerRound }, (_, index): Attempt => {
      return { key: `${round}-${index}`, productId: productIds[index % productIds.length] ?? 0 };
    });
    attempts.push(...young);
    for (const attempt of young) {
      shop.buy(apiKey, attempt).then(
        (reply) => {
          attempt.answer = reply;
        },
        () => undefined,
      );
    }
    while (supplier.purchases.size < asked) await delay(2);
    await delay(random.between(0, 300));
    await shop.kill();
    const { code, stdout } = await runCommand(['verify', '--data', folder.path]);
    assert.equal(code, 0, stdout);
    shop = await open();
    const { heldUsdt } = await ok(shop.operator.getAccount(accountId));
    assert.equal(heldUsdt, 0, 'a hold has leaked');
    for (const attempt of young) await assertKept(shop, apiKey, attempt);
  }

  for (const { reference, status } of supplier.purchases.values()) {
    if (status === 'pending') supplier.finish(reference);
  }
  await settled(shop, supplier);
  const sold = [...supplier.purchases.values()].flatMap(({ items }) => items);
  const orders = known((await ok(shop.operator.json('GET', `/orders?accountId=${accountId}`))).orders);
  const found: string[] = [];
  let chargedUsdt = 0;
  for (const { orderId = 0, status, totalPriceUsdt = 0 } of orders) {
    if (status === 'failed') continue;
    assert.equal(status, 'completed');
    chargedUsdt += totalPriceUsdt;
    found.push(...((await ok(shop.operator.getOrder(orderId))).delivery?.items ?? []));
  }
  for (const productId of productIds) {
    const left = await shop.operator.json('DELETE', `/products/${productId}/stock?count=10000`);
    found.push(...(left.body.items ?? []));
  }
  assert.deepEqual(found.sort(), sold.sort());
  const { balanceUsdt } = await ok(shop.operator.getAccount(accountId));
  assert.equal(balanceUsdt, startUsdt - chargedUsdt);
  const answered = attempts.filter(({ answer }) => answer !== undefined).length;
  assert.ok(answered < attempts.length, 'nothing was interrupted');
  t.diagnostic(`${attempts.length} purchases, ${answered} answered before a kill, ${sold.length} items sold`);
  assert.equal(await shop.server.stop(), 0);
  await folder.remove();
});

async function setStage({ operator }: Shop, { url, secret }: ReferenceSupplier) {
  const { accountId = 0 } = await ok(operator.createAccount({ name: 'a', rateLimitPerMinute: null }));
  await ok(operator.credit(accountId, startUsdt, 'start'));
  const { apiKey = '' } = await ok(operator.issueKey(accountId));
  const { supplierId = 0 } = await ok(operator.createSupplier({ name: 's', url, secret }));
  const productIds: number[] = [];
  for (const supplierSku of skus) {
    const product = { name: supplierSku, type: 'standard', priceUsdt, supplierId, supplierSku };
    productIds.push((await ok(operator.createProduct(product))).productId ?? 0);
  }
  return { accountId, apiKey, productIds };
}

/** What was answered stands; what wasn't has one outcome, which is repeated. */
async function assertKept(shop: Shop, apiKey: string, attempt: Attempt): Promise<void> {
  const first = await shop.buy(apiKey, attempt);
  const { answer } = attempt;
  const { status, body } = answer ?? first;
  const context = `${attempt.key}: ${answer?.text ?? 'no answer'}, then ${first.text}`;
  assert.deepEqual(
    [first.status, first.body.error, first.body.orderId],
    [status, body.error, body.orderId],
    context,
  );
  const outcomes = [undefined, 'IDEMPOTENCY_UNRESOLVED', 'PURCHASE_FAILED', 'PROVIDER_TIMEOUT'];
  assert.ok(outcomes.includes(first.body.error), context);
  const again = await shop.buy(apiKey, attempt);
  assert.deepEqual(
    [again.status, again.body.error, again.body.orderId],
    [first.status, first.body.error, first.body.orderId],
    context,
  );
}

/** Nothing is open but what the supplier never heard of. */
async function settled({ operator }: Shop, { purchases }: ReferenceSupplier): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const supplies = known((await ok(operator.listSupplies())).supplies);
    const left = supplies.filter(({ reference }) => purchases.has(reference));
    if (left.length === 0) return;
    assert.ok(Date.now() < deadline, `still open: ${JSON.stringify(left)}`);
    await ok(operator.reconcileSupplies());
    await delay(50);
  }
}

function known<T>(value: T | undefined): T {
  assert.ok(value !== undefined);
  return value;
}
