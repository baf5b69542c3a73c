/** The sessions at the console: an operator sees his own, an owner all. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { ReasonAction } from '../../parts/dialogs/reason-action.tsx';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import type { LoadPage } from '../../parts/list/paged-rows.ts';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago, Time } from '../../parts/time.tsx';

type Session = Schema<'Session'>;

const COLUMNS: readonly Column<Session>[] = [
  { name: 'Id', narrow: [1, 'first'], width: '2rem', cell: ({ sessionId }) => sessionId },
  {
    name: 'Operator',
    narrow: [1, 'middle'],
    width: 'minmax(4rem, 1fr)',
    cell: ({ operator, current }) => (
      <>
        {current && <StatusBadge status="this one" />} {operator}
      </>
    ),
  },
  { name: 'Role', narrow: [1, 'last'], width: '6rem', cell: ({ role }) => role },
  {
    name: 'Signed in',
    narrow: [2, 'all'],
    width: '11rem',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  {
    name: 'Last used',
    narrow: [3, 'most'],
    width: '6rem',
    cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} />,
  },
  { name: 'Ends', narrow: [4, 'all'], width: '11rem', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  {
    name: 'Action',
    narrow: [3, 'last'],
    width: '7.5rem',
    align: 'end',
    cell: (session) => <EndSession session={session} />,
  },
];

export function SessionsPanel() {
  const load: LoadPage<Session> = async (_cursor, _limit, signal) => {
    const { sessions } = await call('GET /sessions', { signal });
    return { rows: sessions };
  };
  return (
    <Panel
      title="Sessions"
      beside={<span class="hint">They end after 12 hours, or one without a request.</span>}
    >
      <div class="inset">
        <EndlessList
          label="Sessions"
          columns={COLUMNS}
          load={load}
          listKey="all"
          keyOf={({ sessionId }) => sessionId}
          isPulsed
          empty="Nobody is signed in."
        />
      </div>
    </Panel>
  );
}

function EndSession({ session: { sessionId, operator, current } }: { readonly session: Session }) {
  return (
    <ReasonAction
      name="End session"
      needs="DELETE /sessions/{id}"
      look="small"
      isGrave
      about={
        current
          ? 'It is the one of this tab: you are signed out with it.'
          : `Session ${sessionId} of ${operator} opens nothing from then on.`
      }
      command={(given) => purser('session end', [sessionId], given)}
      run={(query) => call('DELETE /sessions/{id}', { path: { id: sessionId }, query })}
      onDone={() => announce(`Session ${sessionId} has ended.`)}
    />
  );
}
