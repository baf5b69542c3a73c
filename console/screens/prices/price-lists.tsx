/** Price lists: prices that several accounts have. */
import type { Schema } from '../../api/call-types.ts';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { titled } from '../../parts/list/list-row.tsx';
import { pagesOf } from '../../parts/list/pages-of.ts';
import { counted } from '../../parts/money.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf } from '../../shell/router.ts';
import { Screen } from '../../shell/screen.tsx';
import { NewPriceList } from './price-list-actions.tsx';
import { percentWords } from './price-words.tsx';

type PriceList = Schema<'PriceList'>;

const COLUMNS: readonly Column<PriceList>[] = [
  { name: 'Id', narrow: [1, 'first'], width: '4.5rem', cell: ({ priceListId }) => priceListId },
  { name: 'Name', narrow: [1, 'middle'], width: 'minmax(0, 1fr)', cell: ({ name }) => titled(name) },
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
  return (
    <Screen title="Price lists" isList actions={<NewPriceList />}>
      <EndlessList
        label="Price lists"
        columns={COLUMNS}
        load={pagesOf('GET /price-lists', 'priceLists')}
        listKey="all"
        keyOf={({ priceListId }) => priceListId}
        hrefOf={({ priceListId }) => addressOf('price-lists', priceListId)}
        grows="below"
        empty="There are no price lists: everybody pays the products’ prices, but for own prices of accounts."
      />
    </Screen>
  );
}
