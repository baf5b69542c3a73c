/**
 * The orders that the screen Orders lists, by what its address says, and by what was searched for last.
 *
 * Invariant: an item's text goes to the node in a body, never into an address, be it the tab's or a request's, which
 * proxies write down. A text that may be an item's is only taken for a key or a recipient when no item has it, or when
 * somebody says that it is one. He may be wrong: so a text goes into the tab's address only once an order has it as
 * what it was searched as. Until then it is in memory alone.
 */
import { signal } from '@preact/signals';
import { ApiFailure } from '../../api/api-failure.ts';
import type { Schema } from '../../api/call-types.ts';
import { heldSession } from '../../api/held-session.ts';
import { call } from '../../api/operator-api.ts';
import type { LoadPage, RowPage } from '../../parts/list/paged-rows.ts';
import { queryField, route, setQuery } from '../../shell/router.ts';

export type OrderRow = Schema<'Order'>;
export type OrderStatus = OrderRow['status'];
export type Found = Schema<'FoundItems'>;

/** The kinds of a searched text; `item` is in the address without its text. */
export type SearchBy = 'id' | 'key' | 'request' | 'recipient' | 'item';

export const STATUSES: readonly OrderStatus[] = [
  'processing',
  'pending_delivery',
  'completed',
  'failed',
  'refunded',
];

export interface OrderQuery {
  readonly by: string;
  readonly search: string;
  readonly status: string;
  readonly accountId: string;
  readonly productId: string;
  readonly from: string;
  readonly to: string;
}

interface Sought {
  readonly by: SearchBy;
  readonly text: string;
  /** The item's text that was found. */
  readonly found?: Found;
}

/** The last search, so that going back shows its orders again. */
export const sought = signal<Sought | undefined>(undefined);

heldSession.subscribe((session) => {
  if (session === undefined) sought.value = undefined;
});

/** `typed`: it makes no entry in the history. */
export function seek(next: Sought | undefined, kind: 'chosen' | 'typed' = 'chosen'): void {
  const { by, search } = orderQuery();
  // Enter behind a paste: it is listed, and may be in the address already.
  if (next?.found === undefined && next?.by === by && next.text === search) return;
  sought.value = next;
  setQuery({ search: '', by: next?.by }, kind);
}

export function orderQuery(): OrderQuery {
  const [by, status] = ['by', 'status'].map(queryField) as [string, string];
  const { value: last } = sought;
  const search = queryField('search') || (last?.by === by ? last.text : '');
  const [accountId, productId] = ['accountId', 'productId'].map(queryField) as [string, string];
  return { by, search, status, accountId, productId, from: queryField('from'), to: queryField('to') };
}

/** How it looks, and what is said when it doesn't. */
export const LOOKS: Readonly<
  Record<Exclude<SearchBy, 'item'>, { readonly form: RegExp; readonly words: string }>
> = {
  id: { form: /^[0-9]{1,15}$/, words: 'An order id is a whole number.' },
  request: { form: /^req_[0-9]+_[0-9]+$/, words: 'A request id is like req_1790000000000_0.' },
  recipient: {
    form: /^@?[A-Za-z0-9_]{1,64}$/,
    words: 'A recipient has letters, digits and underscores alone.',
  },
  key: { form: /^.{1,128}$/, words: 'An idempotency key has 128 characters at most.' },
};

/** The only kind that a text can be, by its looks. */
export function plainKindOf(text: string): SearchBy | undefined {
  // Longer numbers may be what is sold.
  if (/^[0-9]{1,9}$/.test(text)) return 'id';
  if (LOOKS.request.form.test(text)) return 'request';
  return text.startsWith('@') && LOOKS.recipient.form.test(text) ? 'recipient' : undefined;
}

/** The kind that a text may be when no item has it. */
export function otherKindOf(text: string, accountId: string): SearchBy | undefined {
  if (LOOKS.id.form.test(text)) return 'id';
  if (accountId !== '') return 'key';
  return LOOKS.recipient.form.test(text) ? 'recipient' : undefined;
}

export function ordersOf(query: OrderQuery): LoadPage<OrderRow> {
  if (query.by === 'item') {
    const { items = [] } = (sought.value?.by === 'item' && sought.value.found) || {};
    return pagesOfIds([...new Set(items.flatMap(({ orderId }) => orderId ?? []))], query);
  }
  if (isForgotten(query)) return pagesOfIds([], query);
  const load = query.by === 'id' ? pagesOfIds([Number(query.search)], query) : pagesAsked(query);
  return async (cursor, limit, signal) => {
    const page = await load(cursor, limit, signal);
    if (page.rows.length > 0) keepInAddress(query);
    return page;
  };
}

/** The address says as what something was searched, and not what: nothing had it, or the tab is another. */
export function isForgotten({ by, search }: OrderQuery): boolean {
  return by !== '' && search === '';
}

function keepInAddress({ by, search }: OrderQuery): void {
  const last = sought.peek();
  const { screen, query } = route.peek();
  const isOnView = screen === 'orders' && query.get('by') === by && !query.has('search');
  if (isOnView && by !== 'item' && last?.by === by && last.text === search) setQuery({ search }, 'typed');
}

function pagesAsked(query: OrderQuery): LoadPage<OrderRow> {
  return async (cursor, limit, signal) => {
    const { orders, nextCursor } = await call('GET /orders', {
      query: { ...asked(query), cursor, limit },
      signal,
    });
    return { rows: orders, nextCursor };
  };
}

/** Keys belong to accounts, so without one there is nothing to ask. */
export function lacksAccount({ by, search, accountId }: OrderQuery): boolean {
  return by === 'key' && search !== '' && accountId === '';
}

/** The query of the list; as CSV it is the same. */
export function asked({ by, search, status, accountId, productId, from, to }: OrderQuery) {
  return {
    status: (status === '' ? undefined : status) as OrderStatus | undefined,
    accountId: accountId === '' ? undefined : Number(accountId),
    productId: productId === '' ? undefined : Number(productId),
    from,
    to,
    idempotencyKey: by === 'key' ? search : undefined,
    requestId: by === 'request' ? search : undefined,
    recipient: by === 'recipient' ? search : undefined,
  };
}

const ORDERS_AT_A_TIME = 20;

function pagesOfIds(orderIds: readonly number[], query: OrderQuery): LoadPage<OrderRow> {
  return async (cursor, _, signal): Promise<RowPage<OrderRow>> => {
    const begin = Number(cursor);
    const end = begin + ORDERS_AT_A_TIME;
    const orders = await Promise.all(orderIds.slice(begin, end).map((id) => orderWith(id, signal)));
    const rows = orders.filter((order) => order !== undefined && fits(order, query)) as OrderRow[];
    return { rows, nextCursor: end < orderIds.length ? String(end) : undefined };
  };
}

async function orderWith(id: number, signal: AbortSignal): Promise<OrderRow | undefined> {
  try {
    return await call('GET /orders/{id}', { path: { id }, query: { items: false }, signal });
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return undefined;
    throw error;
  }
}

/** As the node would, of orders that are asked for by their number. */
function fits(order: OrderRow, { status, accountId, productId, from, to }: OrderQuery): boolean {
  return (
    (status === '' || order.status === status) &&
    (accountId === '' || order.accountId === Number(accountId)) &&
    (productId === '' || order.productId === Number(productId)) &&
    (from === '' || order.createdAt >= Date.parse(from)) &&
    (to === '' || order.createdAt < Date.parse(to))
  );
}
