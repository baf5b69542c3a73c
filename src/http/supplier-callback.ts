/**
 * POST /api/v1/supplier/{supplierId}/callback: a supplier reports how a purchase ended (docs/suppliers.md).
 *
 * Anybody can send one, so what can be refused by its head is, no address may have more than a quarter of the bodies
 * that are awaited or in memory, and none is parsed before its signature was found right.
 */
import type { OpenHandler } from './buyer/buyer-route.ts';
import { apiError, badRequest, INTERNAL_ERROR } from './errors.ts';
import { isJsonContentType } from './json-body.ts';
import { type ClientAddresses, networkOf } from './limits/client-address.ts';
import { SharedSlots } from './limits/shared-slots.ts';
import { sendError, sendJson } from './reply.ts';
import type { Route } from './router.ts';
import type { Exchange } from './transport/transport.ts';

/** As much as the largest order's items take. */
const MAX_REPORT_BYTES = 8 * 1024 * 1024;
/** Nearly all are smaller. */
const SMALL_REPORT_BYTES = 64 * 1024;
/** What is more is asked to come again; and how a purchase went, suppliers are asked anyway. */
const MAX_SMALL_REPORTS = 512;
const MAX_LARGE_REPORTS = 16;
const ID = /^\/api\/v1\/supplier\/(\d+)\//;

export type ReportResult = 'heard' | 'malformed' | 'forged' | 'later';

/** Who judges and takes a report. */
export interface ReportJudge {
  /** False when, whatever the body is, the signature can't be right. */
  mayBeSigned(supplierId: number, signature: string): boolean;
  hear(supplierId: number, signature: string, body: Uint8Array): Promise<ReportResult>;
}

export interface SupplierCallbackServices {
  readonly reports: ReportJudge;
  readonly clientAddresses: ClientAddresses;
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

export function supplierCallbackRoute(services: SupplierCallbackServices): Route<OpenHandler> {
  const { reports, clientAddresses, onFault } = services;
  const small = new SharedSlots<string>(MAX_SMALL_REPORTS, MAX_SMALL_REPORTS / 4);
  const large = new SharedSlots<string>(MAX_LARGE_REPORTS, MAX_LARGE_REPORTS / 4);
  return {
    method: 'POST',
    path: '/api/v1/supplier/{id}/callback',
    handle: (exchange, requestId) => {
      const supplierId = Number(ID.exec(exchange.path)?.[1]);
      const signature = exchange.header('x-service-signature') ?? '';
      const isJson = isJsonContentType(exchange.header('content-type'));
      if (!reports.mayBeSigned(supplierId, signature)) return sendError(exchange, requestId, FORGED);
      const isSmall = Number(exchange.header('content-length') ?? Number.NaN) <= SMALL_REPORT_BYTES;
      const slots = isSmall ? small : large;
      const sender = networkOf(clientAddresses.of(exchange));
      if (!slots.take(sender)) return sendError(exchange, requestId, LATER);
      const end = (result: ReportResult | 'failed' | 'gone') => {
        slots.leave(sender);
        sendResult(exchange, requestId, result);
      };
      exchange.readBody(isSmall ? SMALL_REPORT_BYTES : MAX_REPORT_BYTES, (received) => {
        if (received === 'aborted') return end('gone');
        if (typeof received === 'string' || !isJson) return end('malformed');
        reports.hear(supplierId, signature, received).then(end, (error: unknown) => {
          onFault(error, requestId);
          end('failed');
        });
      });
    },
  };
}

function sendResult(exchange: Exchange, requestId: string, result: ReportResult | 'failed' | 'gone'): void {
  switch (result) {
    case 'heard':
      return sendJson(exchange, requestId, 200, JSON.stringify({ success: true, requestId }));
    case 'forged':
      return sendError(exchange, requestId, FORGED);
    case 'malformed':
      return sendError(exchange, requestId, MALFORMED);
    case 'later':
      return sendError(exchange, requestId, LATER);
    case 'failed':
      return sendError(exchange, requestId, INTERNAL_ERROR);
    case 'gone':
  }
}
