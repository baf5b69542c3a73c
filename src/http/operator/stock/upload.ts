/** Common parts of uploads of files and of stock: how long one may be silent, and the answers to its failures. */
import { FileError } from '../../../persistence/files/file-errors.ts';
import { StockError } from '../../../persistence/stock/stock-errors.ts';
import { type ApiError, apiError, badRequest, rateLimited } from '../../errors.ts';
import { BodyAbortedError } from '../../transport/transport.ts';
import { TableRefusal } from '../imports/table-refusal.ts';

/** An upload that sends nothing for this long is given up. */
export const UPLOAD_IDLE_TIMEOUT_MS = 30_000;

const FILE_RETRY_SECONDS = 5;
const STOCK_RETRY_SECONDS = 1;

/** Undefined for what should not have happened. */
export function uploadRefusal(error: unknown): ApiError | undefined {
  if (error instanceof BodyAbortedError)
    return badRequest('The upload was not complete, and nothing was added: send it again.');
  if (error instanceof TableRefusal) return badRequest(error.message);
  if (error instanceof FileError) return fileRefusal(error);
  if (StockError.is(error, 'bad-item', 'unfit')) return badRequest(error.message);
  if (StockError.is(error, 'full')) return apiError('INTERNAL_ERROR', error.message);
  if (StockError.is(error, 'queue')) return rateLimited(error.message, STOCK_RETRY_SECONDS);
  return undefined;
}

function fileRefusal({ reason, message }: FileError): ApiError | undefined {
  switch (reason) {
    case 'too-large':
      return badRequest(`The file is too large: ${message}.`);
    case 'empty':
      return badRequest('The file is empty.');
    case 'no-room':
      return apiError('INTERNAL_ERROR', message);
    case 'too-many':
      return rateLimited(message, FILE_RETRY_SECONDS);
    case 'closed':
    case 'unreadable':
      return undefined;
  }
}
