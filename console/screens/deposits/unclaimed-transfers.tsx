/** Transfers that no deposit waited for, the oldest first: somebody has to say whose each is. */
import type { Schema } from '../../api/call-types.ts';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { titled } from '../../parts/list/list-row.tsx';
import { pagesOf } from '../../parts/list/pages-of.ts';
import { Money } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { Place } from './place.tsx';
import { AssignTransfer } from './transfer-assignment.tsx';

type Transfer = Schema<'Deposit'>;

const COLUMNS: readonly Column<Transfer>[] = [
  {
    name: 'Paid',
    narrow: [1, 'most'],
    width: '11rem',
    cell: ({ paidAt }) => paidAt !== undefined && <Time at={paidAt} />,
  },
  {
    name: 'Amount',
    narrow: [1, 'last'],
    width: '10rem',
    align: 'end',
    cell: ({ amountUsdt }) => <Money amount={amountUsdt} />,
  },
  {
    name: 'Reported',
    narrow: [2, 'most'],
    width: '6rem',
    cell: ({ seenAt }) => seenAt !== undefined && <Ago at={seenAt} />,
  },
  {
    name: 'Went to',
    narrow: [3, 'all'],
    width: 'minmax(0, 2fr)',
    cell: (transfer) => <Place {...transfer} />,
  },
  {
    name: 'Transfer',
    narrow: [4, 'all'],
    width: 'minmax(0, 3fr)',
    cell: ({ reference }) => titled(reference),
  },
  {
    name: 'Action',
    narrow: [2, 'last'],
    width: '5rem',
    align: 'end',
    cell: (transfer) => <AssignTransfer transfer={transfer} />,
  },
];

export function UnclaimedTransfers() {
  return (
    <Panel
      title="Unclaimed transfers"
      beside={<span class="hint">They came, and no deposit waited for them.</span>}
    >
      <div class="inset">
        <EndlessList
          label="Unclaimed transfers"
          columns={COLUMNS}
          load={pagesOf('GET /deposits', 'deposits', { query: { state: 'unclaimed' } })}
          listKey="unclaimed"
          keyOf={({ reference = '' }) => reference}
          grows="below"
          empty="There are none: each transfer is credited."
        />
      </div>
    </Panel>
  );
}
