/** The chat bots: whether each is there, how far behind its feed it is, what it has to send, and who has blocked it. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { CommandLine, purser } from '../../parts/command-line.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { type SmallColumn, SmallTable } from '../../parts/list/small-table.tsx';
import { counted } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';

type Bot = Schema<'Bot'>;

/** The node counts no further. */
const MOST_LINES = 1_000;
/** One that follows its feed is there all the time, and says within half a minute what it has done. */
const AWAY_MS = 60_000;
const LATE_MS = 60_000;

const COLUMNS: readonly SmallColumn<Bot>[] = [
  { name: 'Bot', cell: ({ name }) => name },
  { name: 'Accounts', cell: ({ externalIdPrefix }) => <code>{externalIdPrefix}…</code>, isLong: true },
  { name: 'Last seen', cell: (bot) => <LastSeen {...bot} /> },
  { name: 'Behind', cell: (bot) => <Behind {...bot} /> },
  { name: 'To send', align: 'end', cell: ({ unsentMessages }) => told(unsentMessages, 'message') },
  { name: 'Blocked by', align: 'end', cell: ({ blockedChats }) => told(blockedChats, 'chat') },
];

function LastSeen({ lastSeenAt }: Bot) {
  if (lastSeenAt === null) return <>not since the node started</>;
  const isAway = Date.now() - lastSeenAt > AWAY_MS;
  return isAway ? (
    <span class="badge is-bad">
      away: <Ago at={lastSeenAt} />
    </span>
  ) : (
    <StatusBadge status="there" tone="good" />
  );
}

function Behind({ behind, nextLineAt }: Bot) {
  if (behind === null) return <>not known</>;
  if (behind === 0 || nextLineAt === null) return <>nothing</>;
  const more = behind >= MOST_LINES ? ' or more' : '';
  const isLate = Date.now() - nextLineAt > LATE_MS;
  return (
    <span class={isLate ? 'badge is-waiting' : undefined}>
      {`${counted(behind)}${more} ${behind === 1 ? 'line' : 'lines'}, the oldest `}
      <Ago at={nextLineAt} />
    </span>
  );
}

function told(count: number | null, one: string): string {
  return count === null ? 'not said' : `${counted(count)} ${one}${count === 1 ? '' : 's'}`;
}

export function BotsPanel() {
  const { answer, failure } = useLiveAnswer('bots', (signal) => call('GET /bots', { signal }), 'beat');
  if (failure !== undefined) return <ErrorNotice failure={failure} />;
  if (answer === undefined || answer.bots.length === 0) return null;
  return (
    <Panel title="Bots" beside={<span class="hint">How each is, as it said since the node started.</span>}>
      <SmallTable label="Bots" columns={COLUMNS} rows={answer.bots} keyOf={({ operatorId }) => operatorId} />
      <CommandLine text={purser('operator bots')} />
    </Panel>
  );
}
