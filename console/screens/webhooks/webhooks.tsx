/** Accounts that have a webhook: first those whose latest attempt failed. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { titled } from '../../parts/list/list-row.tsx';
import type { LoadPage } from '../../parts/list/paged-rows.ts';
import { counted } from '../../parts/money.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { addressOf, queryField } from '../../shell/router.ts';
import { Screen } from '../../shell/screen.tsx';

type Webhook = Schema<'Webhook'>;

const COLUMNS: readonly Column<Webhook>[] = [
  { name: 'Account', narrow: [1, 'first'], width: '4.5rem', cell: ({ accountId }) => accountId },
  { name: 'Name', narrow: [1, 'middle'], width: 'minmax(0, 2fr)', cell: ({ name }) => titled(name) },
  { name: 'Goes to', narrow: [2, 'all'], width: 'minmax(0, 2fr)', cell: ({ host }) => host },
  {
    name: 'Tells of',
    narrow: [3, 'all'],
    width: 'minmax(0, 3fr)',
    cell: ({ events }) => titled(events.join(', ')),
  },
  {
    name: 'Latest attempt',
    narrow: [1, 'last'],
    width: '7rem',
    cell: ({ failing }) =>
      failing ? <StatusBadge status="failed" /> : <StatusBadge status="not failed" tone="quiet" />,
  },
  {
    name: 'Pending',
    narrow: [4, 'all'],
    width: '5rem',
    align: 'end',
    cell: ({ pending }) => counted(pending),
  },
];

const STATES = [
  ['', 'All, failing ones first'],
  ['true', 'Failing ones only'],
] as const;

/** The most webhooks that the node gives at once: events that are pending are counted for each. */
const MOST_A_PAGE = 50;
/** The mark before a cursor of the node: it is of the second of the two lists. */
const REST = 'rest:';

export function WebhooksScreen() {
  const onlyFailing = queryField('failing') === 'true';
  const load: LoadPage<Webhook> = async (cursor, limit, signal) => {
    if (!cursor.startsWith(REST)) {
      const query = { failing: true, cursor, limit: Math.min(limit, MOST_A_PAGE) };
      const { webhooks, nextCursor } = await call('GET /webhooks', { query, signal });
      return { rows: webhooks, nextCursor: nextCursor ?? (onlyFailing ? undefined : REST) };
    }
    const query = { cursor: cursor.slice(REST.length), limit: Math.min(limit, MOST_A_PAGE) };
    const { webhooks, nextCursor } = await call('GET /webhooks', { query, signal });
    const rest = webhooks.filter(({ failing }) => !failing);
    return { rows: rest, nextCursor: nextCursor === undefined ? undefined : `${REST}${nextCursor}` };
  };
  return (
    <Screen title="Webhooks" isList>
      <div class="filters">
        <ChoiceField label="Show" name="failing" options={STATES} />
      </div>
      <EndlessList
        label="Webhooks"
        columns={COLUMNS}
        load={load}
        listKey={String(onlyFailing)}
        keyOf={({ accountId }) => accountId}
        hrefOf={({ accountId }) => addressOf('webhooks', accountId)}
        grows="below"
        isPulsed
        empty={onlyFailing ? 'None is failing.' : 'No account has a webhook.'}
      />
    </Screen>
  );
}
