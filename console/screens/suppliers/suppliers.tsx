/** Suppliers, and what is open at them; `supplierId` in the address narrows all of it down to one. */
import type { Schema } from '../../api/call-types.ts';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { titled } from '../../parts/list/list-row.tsx';
import { pagesOf } from '../../parts/list/pages-of.ts';
import { counted } from '../../parts/money.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { addressOf, queryId } from '../../shell/router.ts';
import { Screen } from '../../shell/screen.tsx';
import { SupplierPanel } from './supplier.tsx';
import { NewSupplier } from './supplier-profile.tsx';
import { EndedPurchases, OpenPurchases } from './supplier-purchases.tsx';

type Supplier = Schema<'Supplier'>;

const COLUMNS: readonly Column<Supplier>[] = [
  { name: 'Id', narrow: [1, 'first'], width: '2.5rem', cell: ({ supplierId }) => supplierId },
  { name: 'Name', narrow: [1, 'middle'], width: 'minmax(0, 1fr)', cell: ({ name }) => titled(name) },
  { name: 'URL', narrow: [2, 'all'], width: 'minmax(0, 2fr)', cell: ({ url }) => titled(url) },
  {
    name: 'Circuit',
    narrow: [1, 'last'],
    width: '5rem',
    cell: ({ circuit }) => <StatusBadge status={circuit} />,
  },
  {
    name: 'Open',
    narrow: [3, 'most'],
    width: '4rem',
    align: 'end',
    cell: ({ openPurchases }) => counted(openPurchases),
  },
  {
    name: 'Unresolved',
    narrow: [3, 'last'],
    width: '6rem',
    align: 'end',
    cell: ({ unresolvedPurchases }) =>
      unresolvedPurchases === 0 ? '0' : <span class="badge is-bad">{counted(unresolvedPurchases)}</span>,
  },
];

export function SuppliersScreen() {
  const supplierId = queryId('supplierId');
  return (
    <Screen title="Suppliers" actions={<NewSupplier />}>
      <div class="inset">
        <EndlessList
          label="Suppliers"
          columns={COLUMNS}
          load={pagesOf('GET /suppliers', 'suppliers')}
          listKey="all"
          keyOf={({ supplierId: id }) => id}
          hrefOf={({ supplierId: id }) => addressOf('suppliers', undefined, { supplierId: id })}
          grows="below"
          isPulsed
          empty="There are no suppliers: own stock is all there is to sell."
        />
      </div>
      {supplierId !== undefined && <SupplierPanel key={supplierId} supplierId={supplierId} />}
      <OpenPurchases supplierId={supplierId} />
      <EndedPurchases supplierId={supplierId} />
    </Screen>
  );
}
