/**
 * PUT /products/{id}/file: what a file product delivers from now on.
 *
 * The bytes are streamed to disk and durable before the one fact that names them; orders that bought an
 * earlier file keep it. What needs none of the bytes is refused before they are read.
 */
import type { Engine } from '../../engine/engine.ts';
import type { Product } from '../../engine/products.ts';
import { Rejection } from '../../engine/rejection.ts';
import type { ProductSnapshot } from '../../engine/snapshot.ts';
import {
  EmptyFileError,
  FilesFullError,
  FileTooLargeError,
  MAX_FILE_BYTES,
  TooManyUploadsError,
} from '../../persistence/files/file-errors.ts';
import { MAX_CONTENT_TYPE_LENGTH } from '../../persistence/files/file-trailer.ts';
import { type ApiError, apiError, badRequest, rateLimited } from '../errors.ts';
import { isMediaType } from '../media-type.ts';
import { BodyAbortedError, type Exchange } from '../transport/transport.ts';
import type { OperatorContext, OperatorRoute, OperatorServices } from './operator-route.ts';
import { PRODUCT_NOT_FOUND, productFields } from './products.ts';
import { UPLOAD_IDLE_TIMEOUT_MS, UPLOAD_INCOMPLETE } from './upload.ts';

const RETRY_AFTER_SECONDS = 5;

export function productFileRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine } = services;
  return [
    {
      method: 'PUT',
      path: '/products/{id}/file',
      handle: (context) => {
        const { exchange } = context;
        const contentType = exchange.header('content-type') ?? '';
        const refusal =
          refusalOf(engine.state.products.get(context.id)) ?? headError(contentType, sizeOf(exchange));
        // Opened in any case: a reply waits until what is still to come has been dropped, within bounds.
        const chunks = exchange.streamBody(UPLOAD_IDLE_TIMEOUT_MS);
        if (refusal !== undefined) return context.fail(refusal);
        receive(services, context, chunks, contentType).catch((error: unknown) => failUpload(context, error));
      },
    },
  ];
}

function refusalOf(product: Product | undefined): ApiError | undefined {
  if (product === undefined) return PRODUCT_NOT_FOUND;
  if (product.profile.type === 'file') return undefined;
  return badRequest(`A product of type ${product.profile.type} has no file.`);
}

function headError(contentType: string, sizeBytes: number): ApiError | undefined {
  if (contentType === '') {
    return badRequest('The Content-Type is missing: send the type that buyers shall get the file with.');
  }
  if (contentType.length > MAX_CONTENT_TYPE_LENGTH || !isMediaType(contentType)) {
    return badRequest(
      `The Content-Type must be a media type of up to ${MAX_CONTENT_TYPE_LENGTH} characters, like application/pdf.`,
    );
  }
  return sizeBytes > MAX_FILE_BYTES ? badRequest(tooLarge(new FileTooLargeError())) : undefined;
}

/** NaN when it isn't known beforehand. */
function sizeOf(exchange: Exchange): number {
  return Number(exchange.header('content-length') ?? Number.NaN);
}

async function receive(
  { engine, files }: OperatorServices,
  context: OperatorContext,
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<void> {
  const productId = context.id;
  const file = await files.add(chunks, contentType);
  const result = await new Promise<ProductSnapshot | Rejection>((resolve) => {
    engine.submit({ kind: 'SetProductFile', productId, file }, resolve);
  });
  // The state is what is durable when a full disk took the fact back, and no other command names this file.
  if (result instanceof Rejection && !delivers(engine, productId, file.fileId))
    await files.discard(file.fileId);
  context.settle(result, (product) => context.succeed(200, productFields(product)));
}

function delivers(engine: Engine, productId: number, fileId: string): boolean {
  return engine.state.products.get(productId)?.file?.fileId === fileId;
}

function tooLarge(error: FileTooLargeError): string {
  return `The file is too large: ${error.message}.`;
}

function failUpload(context: OperatorContext, error: unknown): void {
  if (error instanceof BodyAbortedError) context.fail(UPLOAD_INCOMPLETE);
  else if (error instanceof FileTooLargeError) context.fail(badRequest(tooLarge(error)));
  else if (error instanceof EmptyFileError) context.fail(badRequest('The file is empty.'));
  else if (error instanceof FilesFullError) context.fail(apiError('INTERNAL_ERROR', error.message));
  else if (error instanceof TooManyUploadsError)
    context.fail(rateLimited(error.message, RETRY_AFTER_SECONDS));
  else context.fault(error);
}
