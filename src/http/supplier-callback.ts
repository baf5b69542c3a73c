/** POST /api/v1/supplier/{supplierId}/callback: a supplier reports how a purchase ended (docs/suppliers.md). */

import type { OpenHandler } from './buyer/buyer-route.ts';
import { apiError, badRequest, INTERNAL_ERROR } from './errors.ts';
import { isJsonContentType } from './json-body.ts';
import { sendError, sendJson } from './reply.ts';
import type { Route } from './router.ts';

/** As much as the largest order's items take. */
const MAX_REPORT_BYTES = 16 * 1024 * 1024;
const ID = /^\/api\/v1\/supplier\/(\d+)\//;

/** Who judges and takes a report. */
export type HearReport = (
  supplierId: number,
  signature: string,
  body: Uint8Array,
) => Promise<'heard' | 'malformed' | 'forged' | 'later'>;

export interface SupplierCallbackServices {
  readonly hearReport: HearReport;
  readonly onFault: (error: unknown, requestId: string) => void;
}

const FORGED = apiError('UNAUTHORIZED', 'The signature is missing, wrong, or more than five minutes old.');
const LATER = apiError(
  'DELIVERY_UNAVAILABLE',
  'The purchase is still being decided: report again in a second.',
);
const MALFORMED = badRequest(
  'The body must be JSON: reference, status (delivered or failed) and, when delivered, items.',
);

export function supplierCallbackRoute({ hearReport, onFault }: SupplierCallbackServices): Route<OpenHandler> {
  return {
    method: 'POST',
    path: '/api/v1/supplier/{id}/callback',
    handle: (exchange, requestId) => {
      const supplierId = Number(ID.exec(exchange.path)?.[1]);
      const signature = exchange.header('x-service-signature') ?? '';
      const isJson = isJsonContentType(exchange.header('content-type'));
      exchange.readBody(MAX_REPORT_BYTES, (received) => {
        if (received === 'aborted') return;
        if (typeof received === 'string' || !isJson) return sendError(exchange, requestId, MALFORMED);
        hearReport(supplierId, signature, received).then(
          (result) => {
            if (result === 'forged') sendError(exchange, requestId, FORGED);
            else if (result === 'malformed') sendError(exchange, requestId, MALFORMED);
            else if (result === 'later') sendError(exchange, requestId, LATER);
            else sendJson(exchange, requestId, 200, JSON.stringify({ success: true, requestId }));
          },
          (error: unknown) => {
            onFault(error, requestId);
            sendError(exchange, requestId, INTERNAL_ERROR);
          },
        );
      });
    },
  };
}
