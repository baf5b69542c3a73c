/** The operators' acts, newest first: by whom, to which account, when. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { CommandLine, purser } from '../../parts/command-line.tsx';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';
import { IdField } from '../../parts/forms/id-field.tsx';
import { PeriodFields } from '../../parts/forms/period-fields.tsx';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { titled } from '../../parts/list/list-row.tsx';
import type { LoadPage } from '../../parts/list/paged-rows.ts';
import { Time } from '../../parts/time.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { queryField, queryId } from '../../shell/router.ts';
import { Screen } from '../../shell/screen.tsx';
import { AboutLinks } from '../shell/about-links.tsx';

type Entry = Schema<'AuditEntry'>;

const COLUMNS: readonly Column<Entry>[] = [
  { name: 'When', narrow: [1, 'most'], width: '11rem', cell: ({ at }) => <Time at={at} /> },
  { name: 'Operator', narrow: [1, 'last'], width: 'minmax(4rem, 9rem)', cell: ({ operator }) => operator },
  { name: 'What', narrow: [2, 'all'], width: 'minmax(6rem, 12rem)', cell: ({ action }) => titled(action) },
  {
    name: 'About',
    narrow: [4, 'all'],
    width: 'minmax(0, 2fr)',
    cell: (entry) => {
      const changes = changesText(entry);
      if (changes === '') return <AboutLinks about={entry} />;
      return (
        <span title={changes}>
          <AboutLinks about={entry} /> {changes}
        </span>
      );
    },
  },
  { name: 'Reason', narrow: [5, 'all'], width: 'minmax(0, 3fr)', cell: ({ reason }) => titled(reason) },
  {
    name: 'Request',
    narrow: [3, 'all'],
    width: '12rem',
    cell: ({ requestId = '' }) => (
      <code class="small" title={requestId}>
        {requestId}
      </code>
    ),
  },
];

/** The changes of an update, from what to what. */
function changesText({ changes = [] }: Entry): string {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return changes.map(({ field, from, to }) => `${field}: ${text(from)} → ${text(to)}`).join(', ');
}

export function AuditScreen() {
  const operator = queryField('operator');
  const accountId = queryId('accountId');
  const [from, to] = [queryField('from'), queryField('to')];
  const load: LoadPage<Entry> = async (cursor, limit, signal) => {
    // The address may have what is no id: the node would refuse it.
    if (queryField('accountId') !== '' && accountId === undefined) return { rows: [] };
    const query = { operator, accountId, from, to, cursor, limit };
    const { entries, nextCursor } = await call('GET /audit', { query, signal });
    return { rows: entries, nextCursor };
  };
  return (
    <Screen title="Audit" isList>
      <div class="filters">
        <OperatorChoice />
        <IdField label="Account" name="accountId" />
        <PeriodFields />
      </div>
      <EndlessList
        label="Audit"
        columns={COLUMNS}
        load={load}
        listKey={[operator, accountId, from, to].join(' ')}
        keyOf={({ seq }) => seq}
        empty="No operator did anything of this kind."
      />
      <CommandLine
        text={purser('audit', [], {
          who: operator || undefined,
          account: accountId,
          from: from || undefined,
          until: to || undefined,
        })}
      />
    </Screen>
  );
}

/** Also those that are revoked: what they did stays. */
function OperatorChoice() {
  const { answer } = useLiveAnswer('operators', (signal) => call('GET /operators', { signal }));
  const names = ['root', ...(answer?.operators ?? []).map(({ name }) => name)];
  const options = names.map((name) => [name, name] as const);
  return <ChoiceField label="Operator" name="operator" options={[['', 'All'], ...options]} />;
}
