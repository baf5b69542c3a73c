/** The lots of a product, the newest first: what each import brought, and what has become of it. */
import { call } from '../api/operator-api.ts';
import { type Column, EndlessList } from '../parts/endless-list.tsx';
import { counted, Money } from '../parts/money.tsx';
import type { LoadPage } from '../parts/paged-rows.ts';
import { StatusBadge } from '../parts/status-badge.tsx';
import { Time } from '../parts/time.tsx';
import { addressOf } from '../shell/router.ts';
import type { Lot } from './stock-upload.ts';

const COLUMNS: readonly Column<Lot>[] = [
  { name: 'Lot', width: '4rem', cell: ({ lotId }) => lotId },
  { name: 'Added at', width: '11rem', cell: ({ at }) => <Time at={at} /> },
  { name: 'Added', width: '5.5rem', align: 'end', isWideOnly: true, cell: ({ added }) => counted(added) },
  {
    name: 'Unsold',
    width: 'minmax(4rem, 5.5rem)',
    align: 'end',
    cell: ({ available }) => counted(available),
  },
  { name: 'Sold', width: '5.5rem', align: 'end', isWideOnly: true, cell: ({ sold }) => counted(sold) },
  {
    name: 'Cost',
    width: '6rem',
    align: 'end',
    isWideOnly: true,
    cell: ({ costUsdt }) => costUsdt !== undefined && <Money amount={costUsdt} />,
  },
  { name: 'Source', width: 'minmax(0, 1fr)', isWideOnly: true, cell: ({ source }) => source },
  { name: 'Reference', width: 'minmax(0, 1fr)', isWideOnly: true, cell: ({ reference }) => reference },
  {
    name: 'State',
    width: '6.5rem',
    isWideOnly: true,
    cell: ({ recalledAt }) => recalledAt !== undefined && <StatusBadge status="recalled" tone="bad" />,
  },
];

export function ProductLots({ productId }: { readonly productId: number }) {
  const load: LoadPage<Lot> = async (cursor, limit, signal) => {
    const query = { cursor, limit };
    const { lots, nextCursor } = await call('GET /products/{id}/lots', {
      path: { id: productId },
      query,
      signal,
    });
    return { rows: lots, nextCursor };
  };
  return (
    <section class="panel" aria-labelledby="lots">
      <header>
        <h2 id="lots">Lots</h2>
      </header>
      <div class="inset">
        <EndlessList
          label="Lots"
          columns={COLUMNS}
          load={load}
          listKey={String(productId)}
          keyOf={({ lotId }) => lotId}
          hrefOf={({ lotId }) => addressOf('products', productId, { lot: lotId })}
          empty="There are no lots: nothing has been imported yet."
        />
      </div>
    </section>
  );
}
