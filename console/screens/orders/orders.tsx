/** Orders: all of them, newest first, and any of them by what its buyer knows of it. */
import { CsvDownload } from '../../parts/csv-download.tsx';
import { momentInName } from '../../parts/forms/period-fields.tsx';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { titled } from '../../parts/list/list-row.tsx';
import { counted, Money } from '../../parts/money.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf } from '../../shell/router.ts';
import { Screen } from '../../shell/screen.tsx';
import { NameOf } from '../shell/known-names.tsx';
import { OrderFilters } from './order-filters.tsx';
import {
  asked,
  isForgotten,
  lacksAccount,
  type OrderQuery,
  type OrderRow,
  orderQuery,
  ordersOf,
  sought,
} from './order-finding.ts';
import { NewOrder } from './order-opening.tsx';

const COLUMNS: readonly Column<OrderRow>[] = [
  { name: 'Id', narrow: [1, 'first'], width: '5.5rem', cell: ({ orderId }) => orderId },
  {
    name: 'Status',
    narrow: [1, 'middle'],
    width: '9.5rem',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  { name: 'When', narrow: [2, 'most'], width: '11rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'Account',
    narrow: [4, 'all'],
    width: 'minmax(0, 3fr)',
    cell: ({ accountId }) => <NameOf kind="account" id={accountId} />,
  },
  {
    name: 'Product',
    narrow: [3, 'most'],
    width: 'minmax(0, 3fr)',
    cell: ({ productId }) => <NameOf kind="product" id={productId} />,
  },
  {
    name: 'Recipient',
    narrow: [5, 'all'],
    width: 'minmax(0, 2fr)',
    cell: ({ recipientUsername }) => titled(recipientUsername),
  },
  {
    name: 'Items',
    narrow: [3, 'last'],
    width: '3.5rem',
    align: 'end',
    cell: ({ quantity }) => counted(quantity),
  },
  {
    name: 'Total',
    narrow: [1, 'last'],
    width: '8rem',
    align: 'end',
    cell: ({ totalPriceUsdt }) => <Money amount={totalPriceUsdt} />,
  },
  {
    name: 'Refunded',
    narrow: [2, 'last'],
    width: '7rem',
    align: 'end',
    cell: ({ refundedUsdt = 0 }) => (refundedUsdt === 0 ? '' : <Money amount={refundedUsdt} />),
  },
];

export function OrdersScreen() {
  const query = orderQuery();
  const listKey = JSON.stringify([query, query.by === 'item' ? sought.value : undefined]);
  return (
    <Screen
      title="Orders"
      isList
      actions={
        <>
          {isListed(query) && (
            <CsvDownload
              from="GET /orders"
              query={asked(query)}
              name={['orders', momentInName(query.from), momentInName(query.to)]}
            />
          )}
          <NewOrder />
        </>
      }
    >
      <OrderFilters query={query} />
      {query.by === 'item' && <FoundElsewhere />}
      {lacksAccount(query) ? (
        <div class="empty">Idempotency keys belong to accounts: say under Account whose key it is.</div>
      ) : (
        <EndlessList
          label="Orders"
          columns={COLUMNS}
          load={ordersOf(query)}
          listKey={listKey}
          keyOf={({ orderId }) => orderId}
          hrefOf={({ orderId }) => addressOf('orders', orderId)}
          empty={emptyWords(query)}
        />
      )}
    </Screen>
  );
}

/** Whether the node lists these orders by one call: those of an item or a number are asked for one by one. */
function isListed(query: OrderQuery): boolean {
  return query.by !== 'item' && query.by !== 'id' && !isForgotten(query) && !lacksAccount(query);
}

function emptyWords(query: OrderQuery): string {
  const { by, search, ...filters } = query;
  if (isForgotten(query)) {
    const what = by === 'item' ? 'An item’s text' : 'What no order has';
    return `${what} is not kept in the address: search for it again.`;
  }
  if (by === 'item')
    return 'No order has an item with this text. An idempotency key is found when its account is chosen.';
  const isAll = search === '' && Object.values(filters).every((value) => value === '');
  return isAll ? 'There are no orders yet.' : 'No order is like this.';
}

/** Items with the text that no order has, or had: they are of the searched text, too. */
function FoundElsewhere() {
  const { found } = sought.value ?? {};
  const places = (found?.items ?? []).filter(({ orderId }) => orderId === undefined);
  const words = [...new Set(places.map(({ productId, lotId, state }) => wordsOf(productId, lotId, state)))];
  if (words.length === 0 && found?.more !== true) return null;
  return (
    <p class="notice">
      {words.length > 0 &&
        `Not in an order: ${words.slice(0, 5).join(', ')}${words.length > 5 ? ' …' : ''}. `}
      {found?.more === true &&
        'There are more than are shown: the command purser item find --product narrows it down.'}
    </p>
  );
}

function wordsOf(productId: number, lotId: number | undefined, state: string): string {
  return `${state} in product ${productId}${lotId === undefined ? '' : `, lot ${lotId}`}`;
}
