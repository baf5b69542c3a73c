/**
 * POST /api/v1/supplier/{supplierId}/callback: a supplier reports how a purchase ended (docs/suppliers.md).
 *
 * Anybody can send one, so what can be refused by its head is, no address may have more than a quarter of the bodies
 * that are awaited or in memory, and none is parsed before its signature was found right.
 */
import { Semaphore } from '../shared/semaphore.ts';
import type { ReportResult, SupplierReports } from '../suppliers/supplier-report.ts';
import { type ApiError, apiError, badRequest } from './errors.ts';
import { isJsonContentType } from './json-body.ts';
import { type ClientAddresses, networkOf } from './limits/client-address.ts';
import type { OpenHandler } from './request-context.ts';
import { type Route, route } from './router.ts';

/** The limit of a report: as much as the largest order's items take. */
const MAX_REPORT_BYTES = 8 * 1024 * 1024;
const SMALL_REPORT_BYTES = 64 * 1024;
/**
 * The most reports at a time. A report beyond that is answered "later"; suppliers are asked how a purchase went anyway.
 */
const MAX_SMALL_REPORTS = 512;
const MAX_LARGE_REPORTS = 16;

export interface SupplierCallbackServices {
  readonly reports: Pick<SupplierReports, 'mayBeSigned' | 'hear'>;
  readonly clientAddresses: ClientAddresses;
}

const REFUSALS: Readonly<Record<Exclude<ReportResult, 'heard'>, ApiError>> = {
  forged: apiError('UNAUTHORIZED', 'The signature is missing, wrong, or more than five minutes old.'),
  later: apiError(
    'DELIVERY_UNAVAILABLE',
    'The purchase is being processed: send the report again in a second.',
  ),
  unknown: apiError('NOT_FOUND', 'You were asked for no purchase with this reference. Check the reference.'),
  contrary: apiError(
    'TRANSITION_NOT_ALLOWED',
    'The purchase has ended with other items than this report has. The operator was told.',
  ),
  malformed: badRequest(
    'The body must be JSON: reference, status (delivered or failed) and, when delivered, items.',
  ),
};

export function supplierCallbackRoute(services: SupplierCallbackServices): Route<OpenHandler> {
  const { reports, clientAddresses } = services;
  const small = new Semaphore<string>(MAX_SMALL_REPORTS, { each: MAX_SMALL_REPORTS / 4 });
  const large = new Semaphore<string>(MAX_LARGE_REPORTS, { each: MAX_LARGE_REPORTS / 4 });
  return route('POST /api/v1/supplier/{id}/callback', (context) => {
    const { id: supplierId, request } = context;
    const signature = request.header('x-service-signature') ?? '';
    const isJson = isJsonContentType(request.header('content-type'));
    if (!reports.mayBeSigned(supplierId, signature)) return context.fail(REFUSALS.forged);
    const isSmall = Number(request.header('content-length') ?? Number.NaN) <= SMALL_REPORT_BYTES;
    const sender = networkOf(clientAddresses.of(request));
    const giveBack = (isSmall ? small : large).tryTake({ sharer: sender });
    if (giveBack === undefined) return context.fail(REFUSALS.later);
    const end = (result: ReportResult) => {
      giveBack();
      if (result === 'heard') context.succeed(200, {});
      else context.fail(REFUSALS[result]);
    };
    request.readBody(isSmall ? SMALL_REPORT_BYTES : MAX_REPORT_BYTES, (received) => {
      if (received === 'aborted') return giveBack();
      if (typeof received === 'string' || !isJson) return end('malformed');
      const heard = reports.hear(supplierId, signature, received).then(end, (error: unknown) => {
        giveBack();
        context.fault(error);
      });
      context.keep(heard);
    });
  });
}
