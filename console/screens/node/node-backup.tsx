/** Copies of the shop elsewhere: the continuous one with its drill, and single ones, which this process has made. */
import type { AnswerOf, Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { ReasonAction } from '../../parts/dialogs/reason-action.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { reason, text } from '../../parts/forms/field.tsx';
import { Scrolled } from '../../parts/list/scrolled.tsx';
import { type SmallColumn, SmallTable } from '../../parts/list/small-table.tsx';
import { counted } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { sizeText } from '../../parts/size.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago, spanOf, Time } from '../../parts/time.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';

type Status = AnswerOf<'GET /backups/status'>;
type Backup = Schema<'Backup'>;

const SINGLE_COLUMNS: readonly SmallColumn<Backup>[] = [
  { name: 'When', cell: ({ at }) => <Time at={at} /> },
  { name: 'State', cell: ({ state }) => <StatusBadge status={state} /> },
  {
    name: 'Target',
    isLong: true,
    cell: ({ target, error }) => (
      <>
        {target}
        {error !== undefined && <p class="is-trouble">{error}</p>}
      </>
    ),
  },
  { name: 'Up to fact', align: 'end', cell: ({ position }) => position && counted(position.seq) },
  { name: 'Size', align: 'end', cell: ({ bytes }) => sizeText(bytes) },
];

export function BackupPanel() {
  const { answer, failure } = useLiveAnswer('backups', load, 'beat');
  return (
    <Panel
      title="Backup"
      beside={answer?.status.fenced && <StatusBadge status="another node ships there" tone="bad" />}
      actions={
        <>
          {answer?.status.target != null && <DrillNow isRunning={answer.status.drilling} />}
          <BackUpNow isRunning={answer?.backups.some(({ state }) => state === 'running') ?? false} />
        </>
      }
    >
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {answer !== undefined && (
        <>
          <Continuous status={answer.status} />
          {answer.backups.length > 0 && (
            <Scrolled label="Table of single backups">
              <SmallTable
                label="Single backups"
                columns={SINGLE_COLUMNS}
                rows={answer.backups}
                keyOf={({ backupId }) => backupId}
              />
            </Scrolled>
          )}
        </>
      )}
    </Panel>
  );
}

function Continuous({ status }: { readonly status: Status }) {
  const { target, lagSeconds, position, drill, drilling, error } = status;
  if (target === null)
    return (
      <p class="hint">
        No continuous one: if this machine is lost, so is the shop. Start the node with{' '}
        <code>--backup TARGET</code>.
      </p>
    );
  return (
    <>
      <Facts>
        <Fact name="Continuous, to" is={target} />
        <Fact name="Has">
          {lagSeconds === 0 || lagSeconds === null ? 'everything' : `all but ${spanOf(lagSeconds * 1_000)}`}
          {position !== null && <span class="quiet">{`, up to fact ${counted(position.seq)}`}</span>}
        </Fact>
        <Fact name="Drill">
          {drill === null ? (
            'none yet'
          ) : (
            <>
              <StatusBadge status={drill.ok ? 'passed' : 'failed'} tone={drill.ok ? 'good' : 'bad'} />{' '}
              <Ago at={drill.at} /> {drill.error}
            </>
          )}
          {drilling && <StatusBadge status="one is under way" tone="waiting" />}
        </Fact>
      </Facts>
      {error !== null && <p class="notice is-waiting">{error}</p>}
    </>
  );
}

function BackUpNow({ isRunning }: { readonly isRunning: boolean }) {
  return (
    <Action
      name="Back up now"
      needs="POST /backups"
      look="small"
      isDisabled={isRunning}
      about="A single copy of the whole shop, while it sells on. It has all texts, sealed, and not the master key."
      fields={{
        target: text({
          label: 'Target',
          maxLength: 1_000,
          hint: 'The whole path of a folder of the node’s machine, or s3://bucket/prefix.',
        }),
        reason: reason(),
      }}
      command={({ target, reason: why }) => purser('backup', [target], { reason: why })}
      run={(body) => call('POST /backups', { body })}
      onDone={() => announce('The backup has begun.')}
    />
  );
}

function DrillNow({ isRunning }: { readonly isRunning: boolean }) {
  return (
    <ReasonAction
      name="Drill now"
      needs="POST /backups/drill"
      look="small"
      isDisabled={isRunning}
      about="Restores the continuous backup into a folder of its own, checks it, and removes it: a proof that it can be restored."
      command={(given) => purser('backup drill', [], given)}
      run={(body) => call('POST /backups/drill', { body })}
      onDone={() => announce('The drill has begun.')}
    />
  );
}

async function load(signal: AbortSignal) {
  const [status, { backups }] = await Promise.all([
    call('GET /backups/status', { signal }),
    call('GET /backups', { signal }),
  ]);
  return { status, backups };
}
