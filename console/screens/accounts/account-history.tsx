/** The operators' acts on an account, newest first. */
import type { Schema } from '../../api/call-types.ts';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { titled } from '../../parts/list/list-row.tsx';
import { pagesOf } from '../../parts/list/pages-of.ts';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf } from '../../shell/router.ts';

type Entry = Schema<'AuditEntry'>;

const COLUMNS: readonly Column<Entry>[] = [
  { name: 'When', narrow: [1, 'most'], width: '11rem', cell: ({ at }) => <Time at={at} /> },
  { name: 'What', narrow: [2, 'most'], width: 'minmax(7rem, 14rem)', cell: ({ action }) => action },
  { name: 'By', narrow: [1, 'last'], width: 'minmax(0, 1fr)', cell: ({ operator }) => operator },
  {
    name: 'Order',
    narrow: [2, 'last'],
    width: '6rem',
    cell: ({ orderId }) => orderId !== undefined && <a href={addressOf('orders', orderId)}>{orderId}</a>,
  },
  { name: 'Reason', narrow: [3, 'all'], width: 'minmax(0, 4fr)', cell: ({ reason }) => titled(reason) },
];

export function AccountHistory({ accountId }: { readonly accountId: number }) {
  return (
    <Panel
      title="What operators did"
      beside={
        <a class="more" href={addressOf('audit', undefined, { accountId })}>
          In the audit
        </a>
      }
    >
      <div class="inset">
        <EndlessList
          label="What operators did"
          columns={COLUMNS}
          load={pagesOf('GET /audit', 'entries', { query: { accountId } })}
          listKey={String(accountId)}
          keyOf={({ seq }) => seq}
          empty="No operator has done anything to it."
        />
      </div>
    </Panel>
  );
}
