/** The keys that seal texts and secrets: which ones, and how far sealing anew has come. Never a key itself. */
import type { AnswerOf } from '../api/call-types.ts';
import { call } from '../api/operator-api.ts';
import { announce } from '../parts/announcer.tsx';
import { purser } from '../parts/command-line.tsx';
import { counted } from '../parts/money.tsx';
import { ReasonAction } from '../parts/reason-action.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';

type Keys = AnswerOf<'GET /rekey'>;

export function KeysPanel({ keys }: { readonly keys: Keys }) {
  const { masterKeyId, masterKeyFrom, dataKeyIds, sealingAnew } = keys;
  return (
    <section class="panel" aria-labelledby="keys">
      <header>
        <h2 id="keys">Keys</h2>
        <NewDataKey isRunning={sealingAnew.state === 'running'} />
      </header>
      <dl class="facts">
        <dt>Master key</dt>
        <dd>
          <code>{masterKeyId}</code>
          <span class="quiet">
            {masterKeyFrom === 'file' ? ', from the key file' : ', from the environment'}
          </span>
        </dd>
        <dt>Data keys</dt>
        <dd>
          {dataKeyIds.map((dataKeyId, index) => (
            <span key={dataKeyId} class="scope">
              <code>{dataKeyId}</code>
              {index === dataKeyIds.length - 1 && <span class="quiet"> seals</span>}
            </span>
          ))}
        </dd>
        <dt>Sealing anew</dt>
        <dd>
          <Sealing sealing={sealingAnew} />
        </dd>
      </dl>
      {sealingAnew.state !== 'done' && (
        <progress aria-label="Sealing anew" max={Math.max(1, sealingAnew.total)} value={sealingAnew.looked} />
      )}
      {sealingAnew.trouble !== undefined && <p class="notice is-error">{sealingAnew.trouble}</p>}
    </section>
  );
}

function Sealing({ sealing: { state, looked, total } }: { readonly sealing: Keys['sealingAnew'] }) {
  if (state === 'done') return <>nothing to do</>;
  return (
    <>
      <StatusBadge status={state} tone={state === 'failed' ? 'bad' : 'waiting'} />{' '}
      <span class="number">{`${counted(looked)} of ${counted(total)}`}</span>
    </>
  );
}

function NewDataKey({ isRunning }: { readonly isRunning: boolean }) {
  return (
    <ReasonAction
      name="New data key"
      needs="POST /rekey/data-keys"
      look="small"
      isDisabled={isRunning}
      about="All texts and secrets are sealed anew with a new key, while the node sells on. The old ones leave the folder when that is done."
      command={(given) => purser('rekey', [], { 'data-keys': true, ...given })}
      run={(body) => call('POST /rekey/data-keys', { body })}
      onDone={() => announce('Sealing anew has begun.')}
    />
  );
}
