/** The prices of a list, or the own prices of an account: product by product, each set, changed and removed. */
import type { Schema } from '../../api/call-types.ts';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { titled } from '../../parts/list/list-row.tsx';
import { pagesOf } from '../../parts/list/pages-of.ts';
import { Money } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { NameLink } from '../shell/known-names.tsx';
import { type OwnerOfPrices, PRICE_CALLS, RemovePrice, SetPrice } from './price-actions.tsx';
import { tierWords } from './price-tiers.ts';

type Price = Schema<'OwnPrice'>;

function columnsOf(owner: OwnerOfPrices, id: number): readonly Column<Price>[] {
  return [
    {
      name: 'Product',
      narrow: [1, 'most'],
      width: 'minmax(0, 2fr)',
      cell: ({ productId }) => <NameLink kind="product" id={productId} />,
    },
    {
      name: 'Price',
      narrow: [1, 'last'],
      width: '8rem',
      align: 'end',
      cell: ({ priceUsdt }) => <Money amount={priceUsdt} />,
    },
    {
      name: 'Volume prices',
      narrow: [2, 'all'],
      width: 'minmax(0, 2fr)',
      cell: ({ priceTiers }) => titled(tierWords(priceTiers)),
    },
    {
      name: 'Actions',
      narrow: [3, 'all'],
      width: '12rem',
      align: 'end',
      cell: (price) => (
        <span class="row-actions">
          <SetPrice owner={owner} id={id} price={price} />
          <RemovePrice owner={owner} id={id} productId={price.productId} />
        </span>
      ),
    },
  ];
}

export function PricesPanel({ owner, id }: { readonly owner: OwnerOfPrices; readonly id: number }) {
  const { list, title, empty } = PRICE_CALLS[owner];
  return (
    <Panel title={title} actions={<SetPrice owner={owner} id={id} />}>
      <div class="inset">
        <EndlessList
          label={title}
          columns={columnsOf(owner, id)}
          load={pagesOf(list, 'prices', { path: { id } })}
          listKey={`${owner} ${id}`}
          keyOf={({ productId }) => productId}
          grows="below"
          empty={empty}
        />
      </div>
    </Panel>
  );
}
