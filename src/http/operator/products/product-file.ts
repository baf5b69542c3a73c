/**
 * PUT /products/{id}/file: the file that a product delivers from now on.
 *
 * The bytes are streamed to disk and durable before the one fact that names them; orders that bought an earlier file
 * keep it. Refusals that need none of the bytes come before they are read.
 */

import { Rejection } from '../../../engine/decide/rejection.ts';
import type { Engine } from '../../../engine/loop/engine.ts';
import type { ProductCopy } from '../../../engine/loop/row-copy.ts';
import type { Product } from '../../../engine/products.ts';
import { fileTooLarge, MAX_FILE_BYTES } from '../../../persistence/files/file-errors.ts';
import { MAX_CONTENT_TYPE_LENGTH } from '../../../persistence/files/file-trailer.ts';
import { type ApiError, badRequest } from '../../errors.ts';
import { isMediaType } from '../../media-type.ts';
import type { RequestSide } from '../../request-context.ts';
import { REASON } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { STOCK } from '../roles.ts';
import { UPLOAD_IDLE_TIMEOUT_MS, uploadRefusal } from '../stock/upload.ts';
import { SET_PRODUCT_FILE } from './product-operations.ts';
import { productFields } from './product-row.ts';
import { PRODUCT_NOT_FOUND } from './products.ts';

export function productFileRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine } = services;
  return [
    operatorRoute(
      'PUT /products/{id}/file',
      SET_PRODUCT_FILE,
      (context) => {
        const { request } = context;
        const contentType = request.header('content-type') ?? '';
        const refusal =
          refusalOf(engine.state.products.get(context.id)) ?? headError(contentType, sizeOf(request));
        // Opened in any case: a reply waits until what is still to come has been dropped, within bounds.
        const chunks = request.streamBody(UPLOAD_IDLE_TIMEOUT_MS);
        if (refusal !== undefined) return context.fail(refusal);
        context.runUpload(receive(services, context, chunks, contentType));
      },
      { roles: STOCK, query: REASON },
    ),
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
  return sizeBytes > MAX_FILE_BYTES ? uploadRefusal(fileTooLarge()) : undefined;
}

/** NaN when it isn't known beforehand. */
function sizeOf(request: RequestSide): number {
  return Number(request.header('content-length') ?? Number.NaN);
}

async function receive(
  services: OperatorServices,
  context: OperatorContext,
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<void> {
  const { engine, files } = services;
  const productId = context.id;
  const file = await files.add(chunks, contentType);
  const refusal = context.lateRefusal();
  if (refusal !== undefined) {
    await files.discard(file.fileId);
    return context.fail(refusal);
  }
  const result = await new Promise<ProductCopy | Rejection>((resolve) => {
    engine.submit({ kind: 'SetProductFile', productId, file }, resolve, context.origin);
  });
  // The state is what is durable when a full disk took the fact back, and no other command names this file.
  if (result instanceof Rejection && !delivers(engine, productId, file.fileId))
    await files.discard(file.fileId);
  context.handleResult(result, (product) => context.succeed(200, productFields(product, services)));
}

function delivers(engine: Engine, productId: number, fileId: string): boolean {
  return engine.state.products.get(productId)?.file?.fileId === fileId;
}
