/** The products whose own stock lasts least, if they sell as in the last day. */
import type { Schema } from '../../api/call-types.ts';
import { type SmallColumn, SmallTable } from '../../parts/list/small-table.tsx';
import { counted } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { addressOf } from '../../shell/router.ts';

type Cover = Schema<'ProductCover'>;

const SOON_HOURS = 24;

const COLUMNS: readonly SmallColumn<Cover>[] = [
  {
    name: 'Product',
    isLong: true,
    cell: ({ productId, name }) => <a href={addressOf('products', productId)}>{name}</a>,
  },
  {
    name: 'Left',
    align: 'end',
    cell: ({ availableStock }) => (availableStock === 'unlimited' ? availableStock : counted(availableStock)),
  },
  {
    name: 'Lasts',
    align: 'end',
    cell: ({ hoursOfCover: hours }) =>
      hours < SOON_HOURS ? <StatusBadge status={coverText(hours)} tone="waiting" /> : coverText(hours),
  },
];

export function CoverPanel({ stock }: { readonly stock: readonly Cover[] }) {
  return (
    <Panel
      title="Stock that runs out"
      beside={
        <a class="more" href={addressOf('products')}>
          All products
        </a>
      }
    >
      {stock.length === 0 ? (
        <p class="hint">
          Known an hour after the start, for what has sold: how long own stock lasts at the pace of the last
          day.
        </p>
      ) : (
        <SmallTable
          label="Products whose stock runs out"
          columns={COLUMNS}
          rows={stock}
          keyOf={({ productId }) => productId}
        />
      )}
    </Panel>
  );
}

function coverText(hours: number): string {
  if (hours < 48) return `${hours < 10 ? hours.toFixed(1) : Math.round(hours)} h`;
  return `${counted(Math.round(hours / 24))} d`;
}
