/** The lots of a product, the newest first: what each import brought, and what has become of it. */
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { titled } from '../../parts/list/list-row.tsx';
import { pagesOf } from '../../parts/list/pages-of.ts';
import { counted, Money } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf } from '../../shell/router.ts';
import type { Lot } from '../stock/stock-upload.ts';

const COLUMNS: readonly Column<Lot>[] = [
  { name: 'Lot', narrow: [1, 'first'], width: '4rem', cell: ({ lotId }) => lotId },
  { name: 'Added at', narrow: [1, 'middle'], width: '11rem', cell: ({ at }) => <Time at={at} /> },
  { name: 'Added', narrow: [2, 'most'], width: '5.5rem', align: 'end', cell: ({ added }) => counted(added) },
  {
    name: 'Unsold',
    narrow: [2, 'last'],
    width: 'minmax(4rem, 5.5rem)',
    align: 'end',
    cell: ({ available }) => counted(available),
  },
  { name: 'Sold', narrow: [3, 'most'], width: '5.5rem', align: 'end', cell: ({ sold }) => counted(sold) },
  {
    name: 'Cost',
    narrow: [3, 'last'],
    width: '6rem',
    align: 'end',
    cell: ({ costUsdt }) => costUsdt !== undefined && <Money amount={costUsdt} />,
  },
  { name: 'Source', narrow: [4, 'all'], width: 'minmax(0, 1fr)', cell: ({ source }) => titled(source) },
  {
    name: 'Reference',
    narrow: [5, 'all'],
    width: 'minmax(0, 1fr)',
    cell: ({ reference }) => titled(reference),
  },
  {
    name: 'State',
    narrow: [1, 'last'],
    width: '6.5rem',
    cell: ({ recalledAt }) => recalledAt !== undefined && <StatusBadge status="recalled" tone="bad" />,
  },
];

export function ProductLots({ productId }: { readonly productId: number }) {
  return (
    <Panel title="Lots">
      <div class="inset">
        <EndlessList
          label="Lots"
          columns={COLUMNS}
          load={pagesOf('GET /products/{id}/lots', 'lots', { path: { id: productId } })}
          listKey={String(productId)}
          keyOf={({ lotId }) => lotId}
          hrefOf={({ lotId }) => addressOf('products', productId, { lot: lotId })}
          empty="There are no lots: nothing has been imported yet."
        />
      </div>
    </Panel>
  );
}
