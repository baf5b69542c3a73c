/**
 * The bytes of a file that an order bought, as an answer to a buyer or an operator: whole, or a part of it.
 *
 * Invariant: only so many are under way at once, and so many of one sharer.
 */
import type { FileStore } from '../persistence/files/file-store.ts';
import type { StoredFile } from '../persistence/files/stored-file.ts';
import { Semaphore } from '../shared/semaphore.ts';
import { type BodyPart, choosePart, type RangeConditions } from './byte-range.ts';
import { DownloadBody } from './download-body.ts';
import { type ApiError, apiError, badRequest } from './errors.ts';
import { requestIdHeader } from './reply.ts';
import type { ContextServices, RequestContext, RequestSide } from './request-context.ts';
import type { ReplyHeaders } from './transport/reply-headers.ts';

/** Each holds a file open, and a chunk of it in memory, for as long as its reader takes. */
const MAX_DOWNLOADS = 256;
const MAX_DOWNLOADS_EACH = 32;
const RETRY_AFTER_SECONDS = '5';

export const NO_FILE = apiError(
  'NOT_FOUND',
  'This order delivers no file. What it delivers is in GET /orders/{id}.',
);
const UNAVAILABLE = unavailable('The file cannot be read now: retry in a few seconds.');
const TOO_MANY = unavailable('Too many downloads are under way: retry in a few seconds.');

export interface FileServices extends Pick<ContextServices, 'onFault'> {
  readonly files: FileStore;
}

export class FileReplies {
  readonly #services: FileServices;
  readonly #slots = new Semaphore<number>(MAX_DOWNLOADS, { each: MAX_DOWNLOADS_EACH });

  constructor(services: FileServices) {
    this.#services = services;
  }

  /** Answers with the file of the order `context.id`, once all that it was found by is durable. */
  send(context: RequestContext, sharer: number, fileId: string): void {
    const conditions = conditionsOf(context.request);
    context.whenDurable(() => {
      this.#deliver(context, sharer, fileId, conditions).catch((error: unknown) =>
        this.#services.onFault(error, context.request),
      );
    });
  }

  async #deliver(
    context: RequestContext,
    sharer: number,
    fileId: string,
    conditions: RangeConditions,
  ): Promise<void> {
    const { files } = this.#services;
    const giveBack = this.#slots.tryTake({ sharer });
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
}

function unavailable(message: string): ApiError {
  return { code: 'DELIVERY_UNAVAILABLE', message, headers: [['retry-after', RETRY_AFTER_SECONDS]] };
}

function conditionsOf(request: RequestSide): RangeConditions {
  return {
    // `Range` means something to GET alone.
    range: request.method === 'GET' ? request.header('range') : undefined,
    ifRange: request.header('if-range'),
    ifNoneMatch: request.header('if-none-match'),
  };
}

function fileHeaders(
  { requestId, id }: RequestContext,
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
