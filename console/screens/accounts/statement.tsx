/**
 * The movements of an account's money in a period, oldest first, each with the balance after it; all of it as CSV, too,
 * for programs or for spreadsheets.
 */
import { useState } from 'preact/hooks';
import type { AnswerOf, Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { CommandLine, purser } from '../../parts/command-line.tsx';
import { CsvDownload } from '../../parts/csv-download.tsx';
import { momentInName, PeriodFields } from '../../parts/forms/period-fields.tsx';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import type { LoadPage } from '../../parts/list/paged-rows.ts';
import { Money } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time, zoneName } from '../../parts/time.tsx';
import { addressOf, queryField } from '../../shell/router.ts';

type Movement = Schema<'Movement'>;
type Sums = Pick<AnswerOf<'GET /accounts/{id}/statement'>, 'openingUsdt' | 'closingUsdt'>;

const COLUMNS: readonly Column<Movement>[] = [
  { name: 'When', narrow: [1, 'most'], width: '11rem', cell: ({ at }) => <Time at={at} /> },
  { name: 'What', narrow: [3, 'all'], width: 'minmax(5rem, 7rem)', cell: ({ kind }) => kind },
  {
    name: 'About',
    narrow: [4, 'all'],
    width: 'minmax(0, 3fr)',
    cell: (movement) => <About movement={movement} />,
  },
  { name: 'By', narrow: [5, 'all'], width: 'minmax(0, 1fr)', cell: ({ operator }) => operator ?? '' },
  {
    name: 'Amount',
    narrow: [1, 'last'],
    width: '10.5rem',
    align: 'end',
    cell: ({ amountUsdt }) => <Money amount={amountUsdt} isSigned />,
  },
  {
    name: 'Balance',
    narrow: [2, 'all'],
    width: '10rem',
    align: 'end',
    cell: ({ balanceUsdt }) => <Money amount={balanceUsdt} />,
  },
];

function About({ movement: { orderId, reference, reason } }: { readonly movement: Movement }) {
  const words = [reference, reason].filter((word) => word !== undefined).join(': ');
  return (
    <span title={words}>
      {orderId !== undefined && <a href={addressOf('orders', orderId)}>{`Order ${orderId}`}</a>} {words}
    </span>
  );
}

export function Statement({ accountId }: { readonly accountId: number }) {
  const period = { from: queryField('from'), to: queryField('to') };
  const [sums, setSums] = useState<Sums>();
  const load: LoadPage<Movement> = async (cursor, limit, signal) => {
    const query = { ...period, cursor, limit };
    const answer = await call('GET /accounts/{id}/statement', { path: { id: accountId }, query, signal });
    setSums(answer);
    return { rows: answer.movements, nextCursor: answer.nextCursor };
  };
  return (
    <Panel
      title="Statement"
      beside={
        sums !== undefined && (
          <span class="hint">
            From <Money amount={sums.openingUsdt} /> to <Money amount={sums.closingUsdt} /> USDT
          </span>
        )
      }
      actions={
        <CsvDownload
          from="GET /accounts/{id}/statement"
          path={{ id: accountId }}
          query={period}
          name={['statement', accountId, momentInName(period.from), momentInName(period.to)]}
        />
      }
    >
      <div class="filters">
        <PeriodFields />
      </div>
      <div class="inset">
        <EndlessList
          label="Statement"
          columns={COLUMNS}
          load={load}
          listKey={`${accountId} ${period.from} ${period.to}`}
          keyOf={({ seq }) => seq}
          grows="below"
          empty="Nothing moved its money in this period."
        />
      </div>
      <CommandLine
        text={purser('statement', [accountId], {
          csv: true,
          from: period.from || undefined,
          until: period.to || undefined,
          'time-zone': zoneName(),
        })}
      />
    </Panel>
  );
}
