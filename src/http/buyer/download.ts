/**
 * GET /orders/{id}/download (SPEC.md §4): the bytes of the file that the order bought, whatever its product
 * delivers now.
 *
 * An order that failed or was refunded has no delivery and never will: 404, because `DELIVERY_NOT_READY` tells
 * clients to wait.
 */

import type { Order } from '../../engine/orders.ts';
import type { State } from '../../engine/state.ts';
import type { StoredFile } from '../../persistence/files/stored-file.ts';
import { Semaphore } from '../../shared/semaphore.ts';
import { type BodyPart, choosePart, type RangeConditions } from '../byte-range.ts';
import { type ApiError, apiError, badRequest } from '../errors.ts';
import { requestIdHeader } from '../reply.ts';
import type { RequestSide } from '../request-context.ts';
import type { ReplyHeaders } from '../transport/reply-headers.ts';
import type { BuyerContext } from './buyer-context.ts';
import { type BuyerRoute, type BuyerServices, buyerRoute } from './buyer-route.ts';
import { DownloadBody } from './download-body.ts';
import { DOWNLOAD_FILE } from './order-operations.ts';
import { findOrder, ORDER_NOT_FOUND } from './orders.ts';

/** Each holds a file open, and a chunk of it in memory, for as long as its reader takes. */
const MAX_DOWNLOADS = 256;
const MAX_DOWNLOADS_PER_ACCOUNT = 32;
const RETRY_AFTER_SECONDS = '5';

const NO_FILE = apiError(
  'NOT_FOUND',
  'This order delivers no file. What it delivers is in GET /orders/{id}.',
);
const NOT_READY = apiError('DELIVERY_NOT_READY');
const UNAVAILABLE = unavailable('The file cannot be read now: retry in a few seconds.');
const TOO_MANY = unavailable('Too many downloads are under way: retry in a few seconds.');

function unavailable(message: string): ApiError {
  return { code: 'DELIVERY_UNAVAILABLE', message, headers: [['retry-after', RETRY_AFTER_SECONDS]] };
}

export function downloadRoutes(services: BuyerServices): BuyerRoute[] {
  const { engine } = services;
  const slots = new Semaphore<number>(MAX_DOWNLOADS, { each: MAX_DOWNLOADS_PER_ACCOUNT });
  return [
    buyerRoute('GET /orders/{id}/download', 'orders:read', DOWNLOAD_FILE, (context) => {
      const conditions = conditionsOf(context.request);
      const order = findOrder(services, context);
      if (order === undefined) return context.fail(ORDER_NOT_FOUND);
      const wanted = fileOf(order, engine.state);
      if (typeof wanted !== 'string') return context.failWhenDurable(wanted);
      context.whenDurable(() => {
        deliver(services, slots, context, wanted, conditions).catch((error: unknown) =>
          services.onFault(error, context.request),
        );
      });
    }),
  ];
}

/** The file's id, or why there is none. */
function fileOf({ productId, status, fileId }: Order, state: State): string | ApiError {
  if (status === 'completed') return fileId ?? NO_FILE;
  const isOpen = status === 'processing' || status === 'pending_delivery';
  return isOpen && state.products.get(productId)?.profile.type === 'file' ? NOT_READY : NO_FILE;
}

function conditionsOf(request: RequestSide): RangeConditions {
  return {
    // `Range` means something to GET alone.
    range: request.method === 'GET' ? request.header('range') : undefined,
    ifRange: request.header('if-range'),
    ifNoneMatch: request.header('if-none-match'),
  };
}

async function deliver(
  { files }: BuyerServices,
  slots: Semaphore<number>,
  context: BuyerContext,
  fileId: string,
  conditions: RangeConditions,
): Promise<void> {
  const giveBack = slots.tryTake({ sharer: context.account.accountId });
  if (giveBack === undefined) return context.fail(TOO_MANY);
  let file: StoredFile | undefined;
  let isHandedOver = false;
  try {
    file = await files.openFile(fileId);
    const { sizeBytes, sha256 } = file.description;
    const part = choosePart(conditions, `"${sha256}"`, sizeBytes);
    const headers = fileHeaders(context, file, part);
    if (part.kind === 'not-modified') return context.reply(304, headers, '');
    if (part.kind === 'unsatisfiable') return context.fail(unsatisfiable(sizeBytes), 416);
    const [start, end] = part.kind === 'part' ? [part.start, part.end] : [0, sizeBytes];
    const body = new DownloadBody(file.range(start, end), end - start, giveBack);
    if (context.request.method === 'GET') await body.readFirst();
    isHandedOver = true;
    context.replyStream(part.kind === 'part' ? 206 : 200, headers, body);
  } catch (error) {
    context.fault(error, UNAVAILABLE);
  } finally {
    if (!isHandedOver) {
      giveBack();
      await file?.close();
    }
  }
}

function fileHeaders(
  { requestId, id }: BuyerContext,
  { description }: StoredFile,
  part: BodyPart,
): ReplyHeaders {
  const { contentType, sizeBytes, sha256 } = description;
  const headers: ReplyHeaders[number][] = [
    ['cache-control', 'no-store'],
    requestIdHeader(requestId),
    ['etag', `"${sha256}"`],
    ['accept-ranges', 'bytes'],
  ];
  if (part.kind === 'not-modified') return headers;
  headers.push(
    ['content-type', contentType],
    ['content-disposition', `attachment; filename="order-${id}"`],
    // What an operator uploaded as an image must not become a page in somebody's browser.
    ['x-content-type-options', 'nosniff'],
  );
  if (part.kind === 'part') {
    headers.push(['content-range', `bytes ${part.start}-${part.end - 1}/${sizeBytes}`]);
  }
  return headers;
}

function unsatisfiable(sizeBytes: number): ApiError {
  const error = badRequest(`The range lies outside the file, which has ${sizeBytes} bytes.`);
  return { ...error, headers: [['content-range', `bytes */${sizeBytes}`]] };
}
