/** An account's webhook events, newest first, with the latest attempt of each; a row opens all its attempts. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { PeriodFields } from '../../parts/forms/period-fields.tsx';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { titled } from '../../parts/list/list-row.tsx';
import type { LoadPage } from '../../parts/list/paged-rows.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { addressOf, queryField } from '../../shell/router.ts';
import { answerOf } from './attempt.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { ReplayOne } from './replay-one.tsx';

type Delivery = Schema<'WebhookDelivery'>;

/** The most deliveries that the node gives at once: each has up to 25 attempts. */
const MOST_A_PAGE = 50;

interface OfAccount {
  readonly accountId: number;
}

function columnsOf(accountId: number): readonly Column<Delivery>[] {
  return [
    { name: 'When', narrow: [1, 'most'], width: '12rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Type', narrow: [2, 'most'], width: 'minmax(5rem, 10rem)', cell: ({ type }) => titled(type) },
    {
      name: 'Status',
      narrow: [1, 'last'],
      width: '5.5rem',
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    {
      name: 'Attempts',
      narrow: [2, 'last'],
      width: '5rem',
      align: 'end',
      cell: ({ attempts }) => attempts.length,
    },
    {
      name: 'Latest answer',
      narrow: [3, 'all'],
      width: 'minmax(0, 2fr)',
      cell: ({ attempts }) => <LatestAnswer answer={answerOf(attempts.at(-1))} />,
    },
    {
      name: 'Event',
      narrow: [4, 'most'],
      width: 'minmax(0, 1fr)',
      cell: ({ eventId }) => <code title={eventId}>{eventId}</code>,
    },
    {
      name: 'Action',
      narrow: [4, 'last'],
      width: '5rem',
      align: 'end',
      cell: (delivery) => <ReplayOne accountId={accountId} delivery={delivery} />,
    },
  ];
}

function LatestAnswer({ answer }: { readonly answer: string }) {
  return <code title={answer}>{answer}</code>;
}

export function DeliveryList({ accountId }: OfAccount) {
  const [from, to] = [queryField('from'), queryField('to')];
  const load: LoadPage<Delivery> = async (cursor, limit, signal) => {
    const { deliveries, nextCursor } = await call('GET /webhooks/{accountId}/deliveries', {
      path: { accountId },
      query: { from, to, cursor, limit: Math.min(limit, MOST_A_PAGE) },
      signal,
    });
    return { rows: deliveries, nextCursor };
  };
  return (
    <>
      <div class="filters">
        <PeriodFields />
      </div>
      <EndlessList
        label="Deliveries"
        columns={columnsOf(accountId)}
        load={load}
        listKey={`${from} ${to}`}
        keyOf={({ eventId }) => eventId}
        // With its moment, by which the node finds it.
        hrefOf={({ eventId: event, createdAt: at }) =>
          addressOf('webhooks', accountId, { from, to, event, at })
        }
        isPulsed
        empty="There is no event of this time. Events are kept for a while only."
      />
      <DeliveryDialog accountId={accountId} />
    </>
  );
}
