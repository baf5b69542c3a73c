/**
 * Stock: POST and DELETE /products/{id}/stock.
 *
 * An upload of any size is streamed into the stock store, where nobody sees it, and becomes visible by one
 * fact at its end: interrupted, it has added nothing; repeated, its lines are counted once.
 */

import type { StockIntake } from '../../persistence/stock/intake/stock-intake.ts';
import { durableStockOf } from '../../persistence/stock/product-stock.ts';
import { badRequest } from '../errors.ts';
import { isJsonContentType } from '../json-body.ts';
import { operatorBody } from './operator-body.ts';
import {
  type OperatorContext,
  type OperatorRoute,
  type OperatorServices,
  operatorRoute,
  REASON_QUERY,
} from './operator-route.ts';
import { parseInteger } from './page.ts';
import { PRODUCT_NOT_FOUND } from './products.ts';
import { STOCK } from './roles.ts';
import { UPLOAD_IDLE_TIMEOUT_MS } from './upload.ts';

/** With items of the greatest length this is an answer of 160 MB. */
const MAX_WITHDRAWAL = 10_000;

const STOCK_ITEMS = { items: { type: 'array', items: { type: 'string', minLength: 1 } } } as const;

const BAD_ALLOW_DUPLICATES = badRequest('allowDuplicates must be true or false, or left out.');

/** Hands the items of one request over, wherever they come from. */
type Upload = (intake: StockIntake) => Promise<void>;

export function stockRoutes(services: OperatorServices): OperatorRoute[] {
  const { stock } = services;
  const stockItems = operatorBody(STOCK_ITEMS, ['items']);
  return [
    operatorRoute(
      'POST /products/{id}/stock',
      (context) => {
        const contentType = context.request.header('content-type');
        if (isJsonContentType(contentType)) {
          context.readJson(stockItems, ({ items, reason }) => {
            context.reason = reason ?? context.reason;
            receive(services, context, listed(items));
          });
          return;
        }
        // Asked for even when it is not wanted: the transport bounds how much of such a body it reads.
        const body = context.request.streamBody(UPLOAD_IDLE_TIMEOUT_MS);
        if (contentType !== undefined && /^text\/plain\s*(;|$)/i.test(contentType)) {
          receive(services, context, streamed(body));
        } else {
          context.fail(badRequest('The Content-Type must be text/plain or application/json.'));
        }
      },
      { roles: STOCK, query: ['allowDuplicates', 'dryRun', ...REASON_QUERY] },
    ),
    operatorRoute(
      'DELETE /products/{id}/stock',
      (context) => {
        const productId = context.id;
        const count = parseInteger(context.query.get('count') ?? '');
        if (!Number.isInteger(count) || count < 1 || count > MAX_WITHDRAWAL) {
          return context.fail(badRequest(`count must be from 1 to ${MAX_WITHDRAWAL}.`));
        }
        context.submit({ kind: 'WithdrawStock', productId, count }, (taken) => {
          const { firstItem, count: withdrawn, availableStock } = taken;
          const end = firstItem + withdrawn + availableStock;
          const items = stock.readItems(productId, firstItem, withdrawn, end);
          context.succeed(200, { productId, withdrawn, items, availableStock });
        });
      },
      { roles: STOCK, query: ['count', ...REASON_QUERY] },
    ),
  ];
}

function listed(items: readonly string[]): Upload {
  return (intake) => intake.writeItems(items);
}

function streamed(chunks: AsyncIterable<Uint8Array>): Upload {
  return async (intake) => {
    for await (const chunk of chunks) await intake.writeText(chunk);
  };
}

/** A refusal leaves at once, whatever is still to come: of that the transport reads a little, and then closes. */
function receive(services: OperatorServices, context: OperatorContext, upload: Upload): void {
  const product = services.engine.state.products.get(context.id);
  if (product === undefined) return context.fail(PRODUCT_NOT_FOUND);
  const { type } = product.profile;
  if (type !== 'standard')
    return context.fail(badRequest(`A product of type ${type} has no stock of items.`));
  const wanted = context.query.get('allowDuplicates') ?? String(product.profile.allowDuplicates);
  if (wanted !== 'true' && wanted !== 'false') return context.fail(BAD_ALLOW_DUPLICATES);
  context.runUpload(takeIn(services, context, upload, wanted === 'true'));
}

async function takeIn(
  { engine, stock }: OperatorServices,
  context: OperatorContext,
  upload: Upload,
  allowDuplicates: boolean,
): Promise<void> {
  const productId = context.id;
  const intake = await stock.beginIntake({
    productId,
    allowDuplicates,
    readStock: () => durableStockOf(engine, productId),
  });
  try {
    await upload(intake);
    const { firstItem, added, duplicates } = await intake.finish();
    const counts = { productId, added, duplicates };
    if (added === 0) {
      const availableStock = engine.state.stock.available(productId);
      return context.succeedWhenDurable(201, { ...counts, availableStock });
    }
    await new Promise<void>((resolve) => {
      engine.submit(
        { kind: 'AddStock', productId, firstItem, count: added },
        (result) => {
          context.handleResult(result, ({ availableStock }) =>
            context.succeed(201, { ...counts, availableStock }),
          );
          resolve();
        },
        context.origin,
      );
    });
  } finally {
    intake.close();
  }
}
