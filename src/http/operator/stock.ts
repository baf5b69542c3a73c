/**
 * Stock: POST and DELETE /products/{id}/stock.
 *
 * An upload of any size is streamed into the stock store, where nobody sees it, and becomes visible by one
 * fact at its end: interrupted, it has added nothing; repeated, its lines are counted once.
 */
import type { Product } from '../../engine/products.ts';
import { BadItemError, IntakeQueueFullError } from '../../persistence/stock-errors.ts';
import type { StockIntake } from '../../persistence/stock-intake.ts';
import { badRequest, rateLimited } from '../errors.ts';
import { compileSchema, isJsonContentType } from '../json-body.ts';
import { BodyAbortedError } from '../transport/transport.ts';
import type { OperatorContext, OperatorRoute, OperatorServices } from './operator-route.ts';
import { parseInteger } from './page.ts';
import { PRODUCT_NOT_FOUND } from './products.ts';

/** An upload that sends nothing for this long is given up. */
const UPLOAD_IDLE_TIMEOUT_MS = 30_000;
const MAX_WITHDRAWAL = 100_000;

const STOCK_ITEMS = {
  type: 'object',
  required: ['items'],
  properties: { items: { type: 'array', items: { type: 'string', minLength: 1 } } },
} as const;

type FillIntake = (intake: StockIntake) => Promise<void>;

export function stockRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine, stock } = services;
  const validate = compileSchema<{ readonly items: string[] }>(STOCK_ITEMS);
  return [
    {
      method: 'POST',
      path: '/products/{id}/stock',
      handle: (context) => {
        const contentType = context.exchange.header('content-type');
        if (isJsonContentType(contentType)) {
          context.readJson(validate, ({ items }) =>
            upload(services, context, (intake) => intake.writeItems(items)),
          );
        } else if (contentType !== undefined && /^text\/plain\s*(;|$)/i.test(contentType)) {
          const chunks = context.exchange.streamBody(UPLOAD_IDLE_TIMEOUT_MS);
          upload(services, context, async (intake) => {
            for await (const chunk of chunks) await intake.writeText(chunk);
          });
        } else {
          context.fail(badRequest('The Content-Type must be text/plain or application/json.'));
        }
      },
    },
    {
      method: 'DELETE',
      path: '/products/{id}/stock',
      handle: (context) => {
        const productId = context.id;
        const count = parseInteger(context.query.get('count') ?? '');
        if (!Number.isInteger(count) || count < 1 || count > MAX_WITHDRAWAL) {
          return context.fail(badRequest(`count must be from 1 to ${MAX_WITHDRAWAL}.`));
        }
        context.submit({ kind: 'WithdrawStock', productId, count }, (range) => {
          const { end } = engine.state.stock.of(productId);
          const items = stock.readItems(productId, range.firstItem, range.count, end);
          const availableStock = engine.state.stock.available(productId);
          context.succeed(200, { productId, withdrawn: range.count, items, availableStock });
        });
      },
    },
  ];
}

function upload(services: OperatorServices, context: OperatorContext, fill: FillIntake): void {
  const product = services.engine.state.products.get(context.id);
  if (product === undefined) return context.fail(PRODUCT_NOT_FOUND);
  if (product.profile.type !== 'standard') {
    return context.fail(badRequest(`A product of type ${product.profile.type} has no stock of items.`));
  }
  takeIn(services, context, product, fill).catch((error: unknown) => failUpload(context, error));
}

async function takeIn(
  { engine, stock }: OperatorServices,
  context: OperatorContext,
  { productId }: Product,
  fill: FillIntake,
): Promise<void> {
  const intake = await stock.beginIntake({
    productId,
    allowDuplicates: context.query.get('allowDuplicates') === 'true',
    readState: () => ({
      end: engine.state.stock.of(productId).end,
      withdrawn: engine.state.stock.withdrawn(productId),
    }),
  });
  try {
    await fill(intake);
    const { firstItem, added, duplicates } = await intake.finish();
    const reply = () => {
      const availableStock = engine.state.stock.available(productId);
      context.succeed(201, { productId, added, duplicates, availableStock });
    };
    if (added === 0) return reply();
    await new Promise<void>((resolve) => {
      engine.submit({ kind: 'AddStock', productId, firstItem, count: added }, (result) => {
        context.settle(result, reply);
        resolve();
      });
    });
  } finally {
    await intake.abort();
  }
}

function failUpload(context: OperatorContext, error: unknown): void {
  if (error instanceof BodyAbortedError) context.fail(badRequest('The upload was not complete.'));
  else if (error instanceof BadItemError) context.fail(badRequest(error.message));
  else if (error instanceof IntakeQueueFullError) context.fail(rateLimited(error.message, 1));
  else context.fault(error);
}
