/** Purchases at suppliers: those that are open, with what can be done about them, and those that have ended lately. */
import { useState } from 'preact/hooks';
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { FilterChip } from '../../parts/filter-chip.tsx';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { titled } from '../../parts/list/list-row.tsx';
import type { LoadPage } from '../../parts/list/paged-rows.ts';
import { Money } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { may } from '../../shell/roles.ts';
import { queryField, setQuery } from '../../shell/router.ts';
import { AboutLinks } from '../shell/about-links.tsx';
import { GiveUp, Reconcile } from './supplier-purchase-actions.tsx';

type OpenPurchase = Schema<'SupplierPurchase'>;
type EndedPurchase = Schema<'EndedSupplierPurchase'>;

interface OfSupplier {
  /** All when it is undefined. */
  readonly supplierId: number | undefined;
}

const PHASES = [
  ['', 'All'],
  ['held', 'Held: being asked'],
  ['pending', 'Pending: promised'],
  ['unresolved', 'Unresolved: may have sold'],
] as const;

const REFERENCE: Column<{ readonly reference: string }> = {
  name: 'Reference',
  narrow: [1, 'most'],
  width: 'minmax(6rem, 2fr)',
  cell: ({ reference }) => <code title={reference}>{reference}</code>,
};

function openColumns(onGiveUp: (purchase: OpenPurchase) => void): readonly Column<OpenPurchase>[] {
  return [
    REFERENCE,
    {
      name: 'Phase',
      narrow: [1, 'last'],
      width: '6.5rem',
      cell: ({ phase }) => <StatusBadge status={phase} />,
    },
    { name: 'Since', narrow: [2, 'most'], width: '6.5rem', cell: ({ createdAt }) => <Ago at={createdAt} /> },
    { name: 'Why', narrow: [3, 'most'], width: 'minmax(0, 2fr)', cell: ({ cause }) => titled(cause) },
    {
      name: 'About',
      narrow: [4, 'all'],
      width: 'minmax(0, 3fr)',
      cell: (row) => <AboutLinks about={{ ...row, supplierPurchaseId: undefined }} />,
    },
    {
      name: 'USDT',
      narrow: [3, 'last'],
      width: '6rem',
      align: 'end',
      cell: ({ totalPriceUsdt }) => <Money amount={totalPriceUsdt} />,
    },
    {
      name: 'Action',
      narrow: [2, 'last'],
      width: '5rem',
      align: 'end',
      cell: (purchase) =>
        purchase.phase === 'unresolved' &&
        may('POST /supplier-purchases/{reference}/give-up') && (
          <button type="button" class="small" onClick={() => onGiveUp(purchase)}>
            Give up
          </button>
        ),
    },
  ];
}

export function OpenPurchases({ supplierId }: OfSupplier) {
  const phase = queryField('phase');
  const [asked, setAsked] = useState<OpenPurchase>();
  const load: LoadPage<OpenPurchase> = async (cursor, limit, signal) => {
    const { supplierPurchases, nextCursor } = await call('GET /supplier-purchases', {
      query: { cursor, limit },
      signal,
    });
    const isShown = (row: OpenPurchase) =>
      (phase === '' || row.phase === phase) && (supplierId === undefined || row.supplierId === supplierId);
    return { rows: supplierPurchases.filter(isShown), nextCursor };
  };
  return (
    <Panel title="Open purchases" actions={<Reconcile />}>
      <div class="filters">
        <ChoiceField label="Phase" name="phase" options={PHASES} />
        {supplierId !== undefined && (
          <FilterChip text={`Supplier ${supplierId}`} onRemove={() => setQuery({ supplierId: '' })} />
        )}
      </div>
      <div class="inset">
        <EndlessList
          label="Open purchases"
          columns={openColumns(setAsked)}
          load={load}
          listKey={`${supplierId} ${phase}`}
          keyOf={({ supplierPurchaseId }) => supplierPurchaseId}
          grows="below"
          empty="Nothing is open."
        />
      </div>
      {asked !== undefined && (
        <GiveUp key={asked.reference} purchase={asked} onClose={() => setAsked(undefined)} />
      )}
    </Panel>
  );
}

const ENDED_COLUMNS: readonly Column<EndedPurchase>[] = [
  REFERENCE,
  {
    name: 'Result',
    narrow: [1, 'last'],
    width: '6.5rem',
    cell: ({ result }) => <StatusBadge status={result} />,
  },
  { name: 'Ended', narrow: [2, 'all'], width: '11rem', cell: ({ endedAt }) => <Time at={endedAt} /> },
  {
    name: 'About',
    narrow: [3, 'all'],
    width: 'minmax(0, 3fr)',
    cell: (row) => <AboutLinks about={{ ...row, supplierPurchaseId: undefined }} />,
  },
  {
    name: 'Items',
    narrow: [4, 'most'],
    width: '4rem',
    align: 'end',
    cell: ({ itemsDelivered }) => itemsDelivered,
  },
  {
    name: 'Into stock',
    narrow: [4, 'last'],
    width: '6rem',
    align: 'end',
    cell: ({ itemsIntoStock }) => itemsIntoStock,
  },
];

/** The node remembers a bounded number of them, and tells all with its first page. */
export function EndedPurchases({ supplierId }: OfSupplier) {
  const load: LoadPage<EndedPurchase> = async (_cursor, limit, signal) => {
    const { ended } = await call('GET /supplier-purchases', { query: { limit }, signal });
    return { rows: ended.filter((row) => supplierId === undefined || row.supplierId === supplierId) };
  };
  return (
    <Panel title="Ended lately">
      <div class="inset">
        <EndlessList
          label="Ended lately"
          columns={ENDED_COLUMNS}
          load={load}
          listKey={String(supplierId)}
          keyOf={({ supplierPurchaseId }) => supplierPurchaseId}
          empty="Nothing has ended lately."
        />
      </div>
    </Panel>
  );
}
