/**
 * The HTTP in front of every peer: the buyer's and the operator's calls that the benchmark makes, answered as Purser
 * answers them, so that a purchase has as many bytes on both sides. SPEC.md says what they mean.
 *
 * Fastify as its documentation advises: schemas for what comes in and what goes out, no log of requests. Left out,
 * because nobody asks for it here: other quantities than 1, scopes, rate limits, the catalog, webhooks.
 */
import { hash, randomBytes } from 'node:crypto';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { NewProduct, Refusal, Shop, ShopOrder } from './shop.ts';
import * as schemas from './shop-schemas.ts';

const BUYER = '/api/v1/buyer';
const OPERATOR = '/operator/v1';
const MICROS = 1_000_000;
const longestKey = 128;
const mostStockBytes = 64 * 1024 * 1024;

/** The statuses, codes and messages of SPEC.md, section 7. */
const refusals: Readonly<Record<Refusal, readonly [status: number, error: string, message: string]>> = {
  INVALID_API_KEY: [401, 'UNAUTHORIZED', 'The API key is missing or invalid.'],
  PRODUCT_NOT_FOUND: [404, 'NOT_FOUND', 'There is no such product on sale. Check the id.'],
  PRICE_CHANGED: [409, 'PRICE_CHANGED', 'The total now differs from expectedPriceUsdt.'],
  OUT_OF_STOCK: [409, 'OUT_OF_STOCK', 'There is less stock than the quantity.'],
  INSUFFICIENT_BALANCE: [402, 'INSUFFICIENT_BALANCE', 'The balance is lower than the total.'],
  IDEMPOTENCY_KEY_CONFLICT: [
    409,
    'IDEMPOTENCY_CONFLICT',
    'The Idempotency-Key was used before with a different request.',
  ],
};

interface PurchaseBody {
  readonly productId: number;
  readonly quantity: number;
  readonly expectedPriceUsdt: number;
}

type ProductBody = Omit<NewProduct, 'priceMicros'> & { readonly priceUsdt: number };

/** Not listening yet. `close` waits for the answers that are due, not for the shop. */
export function shopServer(shop: Shop, operatorToken: string): FastifyInstance {
  const server = fastify({ logger: false, genReqId: requestIds() });
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('cache-control', 'no-store').header('x-request-id', request.id);
    done();
  });
  server.setNotFoundHandler((request, reply) =>
    fail(request, reply, 404, 'NOT_FOUND', 'There is no such route.'),
  );
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const { statusCode = 500, message } = error;
    if (statusCode < 500) return fail(request, reply, 400, 'BAD_REQUEST', message);
    process.stderr.write(`${request.method} ${request.url}: ${error.stack}\n`);
    return fail(request, reply, 500, 'INTERNAL_ERROR', 'Something went wrong.');
  });
  void server.register((scope) => buyerRoutes(scope, shop), { prefix: BUYER });
  void server.register((scope) => operatorRoutes(scope, shop, operatorToken), { prefix: OPERATOR });
  return server;
}

async function buyerRoutes(server: FastifyInstance, shop: Shop): Promise<void> {
  server.get('/health', { schema: schemas.health }, async (request) => ({
    success: true,
    service: 'peer',
    status: 'ok',
    requestId: request.id,
  }));

  server.get('/balance', { schema: schemas.balance }, async (request, reply) => {
    const micros = await shop.balance(apiKeyOf(request));
    if (micros === undefined) return refuse(request, reply, 'INVALID_API_KEY');
    return { success: true, balanceUsdt: micros / MICROS, requestId: request.id };
  });

  server.post<{ Body: PurchaseBody }>('/orders', { schema: schemas.purchase }, async (request, reply) => {
    const { productId, quantity, expectedPriceUsdt } = request.body;
    const idempotencyKey = request.headers['idempotency-key'];
    if (typeof idempotencyKey !== 'string' || idempotencyKey === '' || idempotencyKey.length > longestKey) {
      const message = `The header Idempotency-Key must have 1 to ${longestKey} characters.`;
      return fail(request, reply, 400, 'BAD_REQUEST', message);
    }
    if (quantity !== 1) {
      return fail(
        request,
        reply,
        400,
        'BAD_REQUEST',
        'This shop sells one item an order: quantity must be 1.',
      );
    }
    const expectedPriceMicros = Math.round(expectedPriceUsdt * MICROS);
    const outcome = await shop.purchase({
      apiKey: apiKeyOf(request),
      idempotencyKey,
      requestHash: hash('sha256', `${productId} ${quantity} ${expectedPriceMicros}`, 'base64url'),
      productId,
      expectedPriceMicros,
    });
    if ('refusal' in outcome) return refuse(request, reply, outcome.refusal, outcome.currentPriceMicros);
    const { order } = outcome;
    reply.code(201);
    return { ...orderBody(order, request), balanceAfterUsdt: order.balanceAfterMicros / MICROS };
  });

  server.get<{ Params: { id: number } }>('/orders/:id', { schema: schemas.order }, async (request, reply) => {
    const apiKey = apiKeyOf(request);
    const order = await shop.order(apiKey, request.params.id);
    if (order !== undefined) return orderBody(order, request);
    if ((await shop.balance(apiKey)) === undefined) return refuse(request, reply, 'INVALID_API_KEY');
    return notFound(request, reply, 'order');
  });
}

async function operatorRoutes(server: FastifyInstance, shop: Shop, token: string): Promise<void> {
  type OfId<Body> = { Params: { id: number }; Body: Body };
  server.addHook('onRequest', (request, reply, done) => {
    if (request.headers.authorization === `Bearer ${token}`) return done();
    void fail(request, reply, 401, 'UNAUTHORIZED', 'The operator token is missing or wrong.');
  });
  server.setNotFoundHandler((request, reply) =>
    fail(request, reply, 404, 'NOT_FOUND', 'There is no such route.'),
  );

  const succeed = (request: FastifyRequest, reply: FastifyReply, fields: object) =>
    reply.code(201).send({ success: true, ...fields, requestId: request.id });

  server.post<{ Body: { name: string } }>('/accounts', { schema: schemas.account }, async (request, reply) =>
    succeed(request, reply, { accountId: await shop.createAccount(request.body.name) }),
  );

  server.post<OfId<{ amountUsdt: number; reference: string }>>(
    '/accounts/:id/credits',
    { schema: schemas.credit },
    async (request, reply) => {
      const { amountUsdt, reference } = request.body;
      const isKnown = await shop.credit(request.params.id, Math.round(amountUsdt * MICROS), reference);
      if (!isKnown) return notFound(request, reply, 'account');
      return succeed(request, reply, { accountId: request.params.id, amountUsdt, reference });
    },
  );

  server.post<OfId<unknown>>('/accounts/:id/key', { schema: schemas.ofId }, async (request, reply) => {
    const apiKey = await shop.issueKey(request.params.id);
    if (apiKey === undefined) return notFound(request, reply, 'account');
    return succeed(request, reply, { accountId: request.params.id, apiKey });
  });

  server.post<{ Body: ProductBody }>('/products', { schema: schemas.product }, async (request, reply) => {
    const { name, description, instructions, type, priceUsdt } = request.body;
    const priceMicros = Math.round(priceUsdt * MICROS);
    const product = { name, description, instructions, type, priceMicros };
    return succeed(request, reply, { productId: await shop.createProduct(product), priceUsdt });
  });

  server.post<OfId<string | { readonly items?: unknown }>>(
    '/products/:id/stock',
    { schema: schemas.ofId, bodyLimit: mostStockBytes },
    async (request, reply) => {
      const items = itemsOf(request.body);
      if (items === undefined || items.length === 0) {
        return fail(request, reply, 400, 'BAD_REQUEST', 'Send items, one a line or as {"items": ["…"]}.');
      }
      const added = await shop.addStock(request.params.id, items);
      if (added === undefined) return notFound(request, reply, 'product');
      return succeed(request, reply, { added });
    },
  );
}

/** One a line, or a list. */
function itemsOf(body: string | { readonly items?: unknown } | null): readonly string[] | undefined {
  if (typeof body === 'string') return body.split('\n').filter((line) => line !== '');
  const items: unknown = body?.items;
  return Array.isArray(items) && items.every((item) => typeof item === 'string') ? items : undefined;
}

function apiKeyOf({ headers }: FastifyRequest): string {
  const key = headers['x-api-key'];
  return typeof key === 'string' ? key : (headers.authorization?.replace(/^Bearer /, '') ?? '');
}

function orderBody(order: ShopOrder, { id: requestId }: FastifyRequest) {
  return {
    success: true,
    orderId: order.orderId,
    status: 'completed',
    productId: order.productId,
    quantity: 1,
    totalPriceUsdt: order.priceMicros / MICROS,
    createdAt: order.createdAtMs,
    requestId,
    delivery: { items: [order.item] },
  };
}

function refuse(request: FastifyRequest, reply: FastifyReply, refusal: Refusal, currentPriceMicros?: number) {
  const [status, error, message] = refusals[refusal];
  const fields = currentPriceMicros === undefined ? {} : { currentPriceUsdt: currentPriceMicros / MICROS };
  return fail(request, reply, status, error, message, fields);
}

function notFound(request: FastifyRequest, reply: FastifyReply, what: string): FastifyReply {
  return fail(request, reply, 404, 'NOT_FOUND', `There is no such ${what}. Check the id.`);
}

function fail(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  error: string,
  message: string,
  fields: object = {},
): FastifyReply {
  return reply.code(status).send({ success: false, error, message, ...fields, requestId: request.id });
}

/** As long as Purser's. */
function requestIds(): () => string {
  const prefix = `req_${randomBytes(6).toString('hex')}_`;
  let last = 0;
  return () => {
    last += 1;
    return prefix + last;
  };
}
