/**
 * SPEC.md §4, §7 and §9 as the OpenAPI document tells them: what the document has, the server does, and the other
 * way round. That every answer of the other contract cases is documented is checked where they get it (`Scene`).
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { API_ERRORS, type BuyerErrorCode } from '../../../src/engine/api-errors.ts';
import { STORED_REFUSAL_CODES } from '../../../src/engine/orders.ts';
import type { BuyerReply } from '../../support/buyer-client.ts';
import { operatorAnswers } from '../../support/checked-operator-client.ts';
import { ok } from '../../support/operator-client.ts';
import { casesOf } from '../scene.ts';
import { COLLECTION_FILE, collectionText } from './collection.ts';
import type { OpenApiDocument } from './documented-answers.ts';
import {
  callsOf,
  checkExamples,
  closedTexts,
  type DocumentedCall,
  numberFormats,
  promisedAnswers,
  promisedFields,
  unnamedObjects,
} from './openapi-promises.ts';

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
  ['GET', '/events', 'webhooks:read'],
  ['GET', '/webhook', 'webhooks:read'],
  ['POST', '/webhook', 'webhooks:write'],
  ['DELETE', '/webhook', 'webhooks:write'],
];

/**
 * Promises of the document that these cases don't bring about. The server's own failures can't be. The others are held
 * against the document in `supplied-product.cases.ts`, and, as they take a restart or a restore, in
 * `node-restarts.test.ts`, `test/crash/` and `receipt-recovery.test.ts`.
 */
const UNPROVOKED =
  /INTERNAL_ERROR$|PROVIDER_TIMEOUT$|IDEMPOTENCY_UNRESOLVED$|WEBHOOK_SECRET_UNREADABLE$|SALES_CLOSED$|NOT_LEADING$|EVENTS_GONE$/;

export const openApiDocument = casesOf('OpenAPI document', (scene) => {
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
    assert.equal(document.info.version, '1.0.0');
    assert.equal(new URL(scene.server.buyerUrl).pathname, document.servers[0]?.url);
    assert.equal((await scene.buyers.raw('HEAD', '/openapi.json')).status, 200);
    assert.equal((await scene.buyers.raw('POST', '/openapi.json')).status, 404);
  });

  test('each number has the format by which generated clients know how wide it is', () => {
    for (const described of [document, operatorAnswers.document]) {
      const numbers = numberFormats(described);
      for (const [place, type, format] of numbers)
        assert.equal(format, type === 'integer' ? 'int64' : 'double', place);
      const places = numbers.map(([place]) => place);
      for (const part of [
        '/Order/properties/createdAt',
        '/parameters/OrderId/schema',
        'Usdt',
        'Retry-After',
      ]) {
        assert.ok(
          places.some((place) => place.includes(part)),
          part,
        );
      }
    }
  });

  test('generators make a type of each object, and one that reads values of a later version', () => {
    assert.deepEqual(unnamedObjects(document), []);
    for (const described of [document, operatorAnswers.document])
      assert.deepEqual(closedTexts(described), []);
    const { schemas } = document.components;
    assert.deepEqual(schemas.Product?.properties?.availableStock, {
      $ref: '#/components/schemas/AvailableStock',
    });
    assert.deepEqual(schemas.ErrorAnswer?.required, ['success', 'error', 'message', 'requestId']);
  });

  test('the collection of requests is made of it', () => {
    assert.equal(
      readFileSync(COLLECTION_FILE, 'utf8'),
      collectionText(document),
      'run `npm run api:collection`',
    );
  });

  test('§4 it has the routes that there are, each with its scope', () => {
    const listed = calls.map(({ method, path, operation }) => {
      const scopes = operation.security.map((scheme) => Object.values(scheme).flat());
      assert.equal(scopes.length === 0 || scopes.length === 2, true, 'a key goes in either header');
      return [method, path, scopes[0]?.[0]];
    });
    assert.deepEqual(listed.sort(), [...ROUTES].sort());
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

  test('every body and JSON answer has an example, which is valid by its schema', () => {
    checkExamples(scene.answers);
  });

  /** Every call with keys that it refuses. */
  async function provokeKeys(): Promise<void> {
    const { accountId = 0 } = await ok(
      scene.operator.createAccount({ name: 'limited', rateLimitPerMinute: 1 }),
    );
    const limited = await scene.freshKey(accountId);
    await scene.buyers.balance(limited);
    const webhooksOnly = await scene.freshKey((await scene.buyer()).accountId, ['webhooks:read']);
    const catalogOnly = await scene.freshKey((await scene.buyer()).accountId, ['catalog:read']);
    for (const apiKey of ['wrong', webhooksOnly, catalogOnly, limited]) {
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      for (const { method, path } of calls) {
        const body = method === 'GET' ? undefined : '{}';
        await scene.buyers.raw(method, path.replace('{id}', '1'), headers, body);
      }
    }
  }

  test('every answer and every field that it promises was seen, by the cases before this one', async () => {
    await provokeKeys();
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
      ['no such status', { ...reply, status: 409 }],
      ['Cache-Control', { ...reply, headers: { ...reply.headers, 'cache-control': 'public' } }],
    ];
    for (const [message, changed] of wrong) {
      assert.throws(() => scene.answers.check('GET', '/balance', changed), new RegExp(message), message);
    }
    assert.throws(() => scene.answers.check('GET', '/new', reply), /undocumented route/);
    const order = { productId: 4711, expectedPriceUsdt: 1 };
    const missing = await scene.buyers.purchase(apiKey, 'k', order);
    const errors: readonly (readonly [string, object])[] = [
      ['no such error', { error: 'DELIVERY_NOT_READY' }],
      ['currentPriceUsdt of PRICE_CHANGED', { error: 'PRICE_CHANGED' }],
      ['currentPriceUsdt of OUT_OF_STOCK', { error: 'OUT_OF_STOCK', currentPriceUsdt: 1 }],
    ];
    for (const [message, fields] of errors) {
      const status = message.startsWith('no') ? 404 : 409;
      const changed = { ...missing, status, body: { ...missing.body, ...fields } };
      assert.throws(() => scene.answers.check('POST', '/orders', changed), new RegExp(message), message);
    }
  });
});
