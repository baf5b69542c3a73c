/**
 * SPEC.md §4, §7 and §9 as the OpenAPI document tells them: what the document has, the server does, and the other
 * way round. That every answer of the other contract cases is documented is checked where they get it (`Scene`).
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { ReferenceSupplier, type Sku } from '../../examples/supplier/reference-supplier.ts';
import { API_ERRORS, type BuyerErrorCode } from '../../src/engine/api-errors.ts';
import { STORED_REFUSAL_CODES } from '../../src/engine/orders.ts';
import type { BuyerReply } from '../support/buyer-client.ts';
import { type OperatorClient, ok } from '../support/operator-client.ts';
import type { OpenApiDocument } from './documented-answers.ts';
import { buyFile, download, fileProduct } from './download-client.ts';
import {
  callsOf,
  checkExamples,
  type DocumentedCall,
  lint,
  promisedAnswers,
  promisedFields,
} from './openapi-promises.ts';
import { casesOf, freshIdempotencyKey, known, type Scene } from './scene.ts';

/** SPEC.md §4, receipts, and the document itself. */
const ROUTES: readonly (readonly [method: string, path: string, scope: string | undefined])[] = [
  ['GET', '/health', undefined],
  ['GET', '/openapi.json', undefined],
  ['GET', '/products', 'catalog:read'],
  ['GET', '/balance', 'balance:read'],
  ['POST', '/orders', 'orders:write'],
  ['GET', '/orders/{id}', 'orders:read'],
  ['GET', '/orders/{id}/download', 'orders:read'],
  ['GET', '/orders/{id}/receipt', 'orders:read'],
  ['GET', '/receipt-keys', undefined],
  ['GET', '/webhook', 'webhooks:read'],
  ['POST', '/webhook', 'webhooks:write'],
  ['DELETE', '/webhook', 'webhooks:write'],
];

const WEBHOOK = { url: 'https://127.0.0.1:8443/', events: ['order.failed'], balanceThresholdUsdt: 5 };

/**
 * What the document promises and these cases don't bring about. The server's own failures can't be. The others are held
 * against the document in `silent-supplier.cases.ts`, and, as they take a restart or a restore, in `node-restarts.test.ts`
 * and `receipt-recovery.test.ts`.
 */
const UNPROVOKED =
  /INTERNAL_ERROR$|PROVIDER_TIMEOUT$|IDEMPOTENCY_UNRESOLVED$|WEBHOOK_SECRET_UNREADABLE$|SALES_CLOSED$|NOT_LEADING$/;

/** What both transports' cases share, because it takes seconds and no transport changes it. */
const shared: { validated?: Promise<string>; text?: string } = {};

export const openApiDocument = casesOf('OpenAPI document', cases);

function cases(scene: Scene): void {
  let document: OpenApiDocument;
  let calls: DocumentedCall[];
  before(() => {
    document = scene.answers.document;
    calls = callsOf(document);
  });

  test('it is answered without a key, as JSON that is not stored, with a request id', async () => {
    const reply = await scene.buyers.raw('GET', '/openapi.json');
    assert.equal(reply.status, 200);
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(reply.headers['cache-control'], 'no-store');
    assert.match(String(reply.headers['x-request-id']), /^req_/);
    assert.deepEqual(JSON.parse(reply.text), document);
    shared.text ??= reply.text;
    assert.equal(reply.text, shared.text, 'both transports give the same');
    assert.equal((await scene.buyers.raw('HEAD', '/openapi.json')).status, 200);
    assert.equal((await scene.buyers.raw('POST', '/openapi.json')).status, 404);
  });

  test('§4 it has the routes that there are, each with its scope', () => {
    const listed = calls.map(({ method, path, operation }) => {
      const scopes = operation.security.map((scheme) => Object.values(scheme).flat());
      assert.equal(scopes.length === 0 || scopes.length === 2, true, 'a key goes in either header');
      return [method, path, scopes[0]?.[0]];
    });
    assert.deepEqual(listed.sort(), [...ROUTES].sort());
  });

  test('§9 it has the version of the API and the address of this server', () => {
    assert.equal(document.info.version, '1.0.0');
    const [server] = document.servers;
    assert.equal(new URL(scene.server.buyerUrl).pathname, server?.url);
  });

  test('§7 it has every error of the buyers’ side, with its status and the table of what to do', () => {
    const codes = Object.entries(API_ERRORS).flatMap(([code, row]) => (row.isOperators ? [] : [code]));
    const documented = calls.flatMap(({ operation }) =>
      Object.entries(operation.responses).flatMap(([status, response]) =>
        (response['x-errors'] ?? []).map((error) => {
          assert.equal(error.status, Number(status));
          return error;
        }),
      ),
    );
    assert.deepEqual(new Set(documented.map(({ code }) => code)), new Set(codes));
    for (const { code, status } of documented) {
      const isUnsatisfiableRange = code === 'BAD_REQUEST' && status === 416;
      if (!isUnsatisfiableRange) assert.equal(status, API_ERRORS[code as BuyerErrorCode].status);
    }
    for (const code of codes) assert.ok(document.info.description.includes(`| \`${code}\` |`));
  });

  test('§4 what it says of retrying with the same key is what the engine does', () => {
    for (const [code, { mayRetrySameKey }] of Object.entries(API_ERRORS)) {
      const isStored = (STORED_REFUSAL_CODES as readonly string[]).includes(code);
      assert.equal(mayRetrySameKey, !isStored && code !== 'IDEMPOTENCY_CONFLICT', code);
    }
  });

  test('its examples are valid by its schemas', () => {
    const count = checkExamples(scene.answers);
    assert.ok(count > 30, `${count} examples`);
  });

  test('a validator of OpenAPI documents finds no error in it', async () => {
    const text = JSON.stringify(document);
    shared.validated ??= lint(text).then(() => text);
    assert.equal(text, await shared.validated, 'both transports give the same');
  });

  test('every answer and every field that it promises was seen', async () => {
    await provokeEverything(scene);
    const { seen, seenFields } = scene.answers;
    const promised = calls.flatMap(promisedAnswers).filter((answer) => !UNPROVOKED.test(answer));
    assert.deepEqual(
      promised.filter((answer) => !seen.has(answer)),
      [],
    );
    const fields = calls.flatMap((call) => promisedFields(document, call));
    const unseen = fields.filter((field) => !seenFields.has(field));
    assert.deepEqual(unseen, []);
  });

  test('an answer that it doesn’t promise is noticed', async () => {
    const { apiKey } = await scene.buyer();
    const reply = await scene.buyers.balance(apiKey);
    const { 'x-request-id': _, ...headersWithoutId } = reply.headers;
    const wrong: readonly (readonly [string, BuyerReply])[] = [
      ['additional properties', { ...reply, body: { ...reply.body, orderId: 1 } }],
      ['must be number', { ...reply, body: { ...reply.body, balanceUsdt: '1' as unknown as number } }],
      ['must have required property', { ...reply, body: { success: true, requestId: 'req_1' } }],
      ['no such status', { ...reply, status: 202 }],
      ['undocumented header', { ...reply, headers: { ...reply.headers, 'x-new': '1' } }],
      ['X-Request-Id is missing', { ...reply, headers: headersWithoutId }],
      ['Cache-Control', { ...reply, headers: { ...reply.headers, 'cache-control': 'public' } }],
    ];
    for (const [message, changed] of wrong) {
      assert.throws(() => scene.answers.check('GET', '/balance', changed), new RegExp(message), message);
    }
    assert.throws(() => scene.answers.check('GET', '/new', reply), /undocumented route/);
  });
}

/** One call for every answer that the document promises. */
async function provokeEverything(scene: Scene): Promise<void> {
  const { buyers, operator } = scene;
  const buyer = await scene.buyer({ balanceUsdt: 10 });
  const productId = await scene.product({ stock: 3 });
  const buy = (
    key: string,
    body: Partial<{ productId: number; quantity: number; expectedPriceUsdt: number }>,
  ) => buyers.purchase(buyer.apiKey, key, { productId, expectedPriceUsdt: 3.5, ...body });

  const key = freshIdempotencyKey();
  const bought = await buy(key, {});
  await buy(key, { quantity: 2 });
  await buy(freshIdempotencyKey(), { quantity: 0 });
  await buy(freshIdempotencyKey(), { productId: 999_999 });
  await buy(freshIdempotencyKey(), { expectedPriceUsdt: 1 });
  await buy(freshIdempotencyKey(), { quantity: 4, expectedPriceUsdt: 14 });
  await ok(operator.credit(buyer.accountId, -6, 'taken out'));
  await buy(freshIdempotencyKey(), {});
  await buyers.order(buyer.apiKey, known(bought.body.orderId));
  await buyers.order(buyer.apiKey, 999_999);
  await buyers.receipt(buyer.apiKey, known(bought.body.orderId));
  await buyers.receipt(buyer.apiKey, 999_999);
  await provokeDownloads(scene);
  await provokeWebhooks(scene);
  await provokeSuppliers(scene);
  await buyers.products(buyer.apiKey);
  await buyers.balance(buyer.apiKey);
  await buyers.raw('GET', '/health');
  await buyers.raw('GET', '/openapi.json');
  await buyers.raw('GET', '/receipt-keys');

  const limited = known(
    (await ok(operator.createAccount({ name: 'limited', rateLimitPerMinute: 1 }))).accountId,
  );
  const limitedKey = await scene.freshKey(limited);
  await buyers.balance(limitedKey);
  const webhooksOnly = await scene.freshKey((await scene.buyer()).accountId, ['webhooks:read']);
  const catalogOnly = await scene.freshKey((await scene.buyer()).accountId, ['catalog:read']);
  for (const apiKey of ['wrong', webhooksOnly, catalogOnly, limitedKey]) {
    await download(scene, { accountId: 0, apiKey }, 1);
    await buyers.products(apiKey);
    await buyers.balance(apiKey);
    await buyers.purchase(apiKey, freshIdempotencyKey(), { productId, expectedPriceUsdt: 3.5 });
    await buyers.order(apiKey, 1);
    await buyers.receipt(apiKey, 1);
    await buyers.webhook(apiKey);
    await buyers.setWebhook(apiKey, {});
    await buyers.deleteWebhook(apiKey);
  }
}

async function provokeSuppliers(scene: Scene): Promise<void> {
  const supplier = await ReferenceSupplier.start('a secret of the supplier');
  const buyer = await scene.buyer();
  const productId = await suppliedProduct(scene.operator, supplier, 'failed');
  const wanted = { productId, expectedPriceUsdt: 3.5 };
  await scene.buyers.purchase(buyer.apiKey, freshIdempotencyKey(), wanted);
  await supplier.stop();
}

async function suppliedProduct(
  operator: OperatorClient,
  { url, secret }: ReferenceSupplier,
  supplierSku: Sku,
): Promise<number> {
  const { supplierId = 0 } = await ok(operator.createSupplier({ name: 'Codes', url, secret }));
  const product = { name: supplierSku, type: 'standard', priceUsdt: 3.5, supplierId, supplierSku };
  return known((await ok(operator.createProduct(product))).productId);
}

async function provokeWebhooks(scene: Scene): Promise<void> {
  const { buyers } = scene;
  const { apiKey } = await scene.buyer();
  await buyers.webhook(apiKey);
  await buyers.deleteWebhook(apiKey);
  await buyers.setWebhook(apiKey, {});
  await buyers.setWebhook(apiKey, WEBHOOK);
  await buyers.webhook(apiKey);
  await buyers.deleteWebhook(apiKey, {});
  await buyers.deleteWebhook(apiKey);
}

async function provokeDownloads(scene: Scene): Promise<void> {
  const buyer = await scene.buyer();
  const { accountId } = buyer;
  const { productId } = await fileProduct(scene, 100, 'application/pdf');
  const orderId = await buyFile(scene, buyer, productId);
  await scene.buyers.order(buyer.apiKey, orderId);
  const whole = await download(scene, buyer, orderId);
  await download(scene, buyer, orderId, { range: 'bytes=10-' });
  await download(scene, buyer, orderId, { range: 'bytes=100-' });
  await download(scene, buyer, orderId, { 'if-none-match': String(whole.headers.get('etag')) });
  await download(scene, buyer, 999_999);
  const unpaid = await ok(scene.operator.json('POST', '/orders', { accountId, productId }));
  await download(scene, buyer, known(unpaid.orderId));
  const { file } = await ok(scene.operator.getProduct(productId));
  rmSync(join(scene.dataDir, 'files', known(file).fileId));
  await download(scene, buyer, orderId);
}
