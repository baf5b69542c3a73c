/** Price lists: prices that several accounts have. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import type { LoadPage } from '../../parts/list/paged-rows.ts';
import { counted } from '../../parts/money.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf } from '../../shell/router.ts';
import { Screen } from '../../shell/screen.tsx';
import { NewPriceList } from './price-list-actions.tsx';
import { percentWords } from './price-words.tsx';

type PriceList = Schema<'PriceList'>;

const COLUMNS: readonly Column<PriceList>[] = [
  { name: 'Id', narrow: [1, 'first'], width: '4.5rem', cell: ({ priceListId }) => priceListId },
  {
    name: 'Name',
    narrow: [1, 'middle'],
    width: 'minmax(0, 1fr)',
    cell: ({ name }) => <span title={name}>{name}</span>,
  },
  {
    name: 'Percent',
    narrow: [1, 'last'],
    width: '9rem',
    align: 'end',
    cell: ({ percent }) => <span class="number">{percentWords(percent)}</span>,
  },
  {
    name: 'Accounts',
    narrow: [2, 'most'],
    width: '7rem',
    align: 'end',
    cell: ({ accounts }) => <span class="number">{counted(accounts)}</span>,
  },
  {
    name: 'Prices',
    narrow: [2, 'last'],
    width: '7rem',
    align: 'end',
    cell: ({ prices }) => <span class="number">{counted(prices)}</span>,
  },
  {
    name: 'Created',
    narrow: [3, 'all'],
    width: '11rem',
    cell: ({ createdAt }) => createdAt !== undefined && <Time at={createdAt} />,
  },
];

export function PriceListsScreen() {
  const load: LoadPage<PriceList> = async (cursor, limit, signal) => {
    const { priceLists, nextCursor } = await call('GET /price-lists', { query: { cursor, limit }, signal });
    return { rows: priceLists, nextCursor };
  };
  return (
    <Screen title="Price lists" isList actions={<NewPriceList />}>
      <EndlessList
        label="Price lists"
        columns={COLUMNS}
        load={load}
        listKey="all"
        keyOf={({ priceListId }) => priceListId}
        hrefOf={({ priceListId }) => addressOf('price-lists', priceListId)}
        grows="below"
        empty="There are no price lists: everybody pays the products’ prices, but for own prices of accounts."
      />
    </Screen>
  );
}
