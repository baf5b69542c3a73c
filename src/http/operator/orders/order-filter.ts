/** The filter of a listing of orders, from the query of GET /orders. All that is given must fit. */
import { ORDER_STATUSES, type Order, type OrderStatus } from '../../../engine/orders.ts';
import { NO_REQUEST, requestNumberOf } from '../../../engine/request-number.ts';
import { type ApiError, badRequest } from '../../errors.ts';
import type { Query } from '../../operation.ts';
import { ID } from '../../schemas/order.ts';
import { EXCEL_QUERY } from '../csv-listing.ts';
import { type Period, parseZonedPeriod, ZONED_PERIOD_QUERY } from '../moment.ts';
import { PAGE_QUERY, parseInteger, parsePage } from '../page.ts';
import type { TimeZone } from '../time-zone.ts';

export const ORDER_QUERY = {
  accountId: { ...ID, description: 'Of this account only.' },
  productId: { ...ID, description: 'Of this product only.' },
  status: { type: 'string', enum: ORDER_STATUSES, description: 'Of this status only.' },
  ...ZONED_PERIOD_QUERY,
  idempotencyKey: {
    type: 'string',
    description: 'The key of a purchase. Keys belong to accounts: `accountId` is required with it.',
  },
  requestId: { type: 'string', description: 'The `requestId` of the answer to the purchase.' },
  recipient: { type: 'string', description: 'A username, with or without its `@`, in capitals or not.' },
  ...PAGE_QUERY,
  ...EXCEL_QUERY,
} as const satisfies Query;

export interface OrderFilter extends Period {
  /** Whose days dates without a time are. */
  readonly zone: TimeZone;
  readonly accountId: number | undefined;
  readonly productId: number | undefined;
  readonly status: OrderStatus | undefined;
  /** Only together with `accountId`, to which it belongs. */
  readonly idempotencyKey: string | undefined;
  readonly requestNumber: number | undefined;
  /** The recipient with its `@`, in small letters. */
  readonly recipient: string | undefined;
  /** The page has orders with lower numbers only; 0 starts with the newest. */
  readonly before: number;
  readonly limit: number;
}

type Refused = { readonly error: ApiError };

export function parseOrderFilter(query: URLSearchParams): OrderFilter | Refused {
  const page = parsePage(query);
  if ('error' in page) return page;
  const period = parseZonedPeriod(query);
  if ('error' in period) return period;
  const status = query.get('status') ?? undefined;
  if (status !== undefined && !isStatus(status)) {
    return { error: badRequest(`status must be one of ${ORDER_STATUSES.join(', ')}.`) };
  }
  const accountId = parseId(query.get('accountId'));
  const productId = parseId(query.get('productId'));
  if (Number.isNaN(accountId) || Number.isNaN(productId)) {
    return { error: badRequest('accountId and productId must be ids.') };
  }
  const idempotencyKey = query.get('idempotencyKey') ?? undefined;
  if (idempotencyKey !== undefined && accountId === undefined) {
    return {
      error: badRequest(
        'idempotencyKey belongs to an account: send accountId with it, or find the order by requestId.',
      ),
    };
  }
  const requestNumber = parseRequest(query.get('requestId'));
  if (requestNumber === NO_REQUEST) {
    return {
      error: badRequest(
        'requestId must be one that an answer of this server had, such as req_1790000000000_0.',
      ),
    };
  }
  const recipient = parseRecipient(query.get('recipient'));
  if (recipient === '@') return { error: badRequest('recipient must be a username, with or without its @.') };
  const { after: before, limit } = page;
  return { accountId, productId, status, ...period, idempotencyKey, requestNumber, recipient, before, limit };
}

export function fits(order: Order, filter: OrderFilter): boolean {
  const { accountId, productId, status, fromMs, toMs, idempotencyKey, requestNumber, recipient } = filter;
  return (
    (accountId === undefined || order.accountId === accountId) &&
    (productId === undefined || order.productId === productId) &&
    (status === undefined || order.status === status) &&
    order.createdAtMs >= fromMs &&
    order.createdAtMs < toMs &&
    (idempotencyKey === undefined || order.idempotencyKey === idempotencyKey) &&
    (requestNumber === undefined || order.requestNumber === requestNumber) &&
    (recipient === undefined || order.recipientUsername?.toLowerCase() === recipient)
  );
}

function isStatus(text: string): text is OrderStatus {
  return (ORDER_STATUSES as readonly string[]).includes(text);
}

function parseId(text: string | null): number | undefined {
  return text === null ? undefined : parseInteger(text);
}

/** `NO_REQUEST` when it is none of ours. */
function parseRequest(text: string | null): number | undefined {
  return text === null ? undefined : requestNumberOf(text);
}

function parseRecipient(text: string | null): string | undefined {
  return text === null ? undefined : `@${text.replace(/^@/, '').toLowerCase()}`;
}
