/** Node: the process and its folder: what it runs, how far it is, its copies, its keys and its settings. */
import { call } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { may } from '../../shell/roles.ts';
import { Screen } from '../../shell/screen.tsx';
import { AlertsPanel } from './alert-list.tsx';
import { BackupPanel } from './node-backup.tsx';
import { ClusterPanel } from './node-cluster.tsx';
import { KeysPanel } from './node-keys.tsx';
import { RestorePanel } from './node-restore.tsx';
import { SettingsPanel } from './node-settings.tsx';
import { LedgerPanel, StatePanel } from './node-state.tsx';

export function NodeScreen() {
  const { answer, failure } = useLiveAnswer('node', load, 'beat');
  return (
    <Screen title="Node" lead={answer !== undefined && `Purser ${answer.status.version}`}>
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {answer === undefined && failure === undefined && <p class="loading">Loading…</p>}
      {answer !== undefined && (
        <>
          <RestorePanel restore={answer.restore} />
          <div class="panels">
            <StatePanel status={answer.status} disk={answer.overview.disk} />
            {answer.status.ledger !== undefined && <LedgerPanel ledger={answer.status.ledger} />}
            <KeysPanel keys={answer.keys} />
          </div>
          {may('GET /backups') && <BackupPanel />}
          <ClusterPanel status={answer.status} />
          <AlertsPanel alerts={answer.alerts} />
        </>
      )}
      {may('GET /settings') && <SettingsPanel />}
    </Screen>
  );
}

async function load(signal: AbortSignal) {
  const [status, overview, keys, restore, alerts] = await Promise.all([
    call('GET /status', { signal }),
    call('GET /overview', { signal }),
    call('GET /rekey', { signal }),
    call('GET /restore', { signal }),
    call('GET /alerts', { signal }),
  ]);
  return { status, overview, keys, restore, alerts };
}
