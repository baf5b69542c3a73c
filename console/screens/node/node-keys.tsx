/** Which master key the folder has; and the key itself, once, for its owner to keep elsewhere. */
import type { AnswerOf } from '../../api/call-types.ts';
import { save } from '../../api/download.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { ReasonAction } from '../../parts/dialogs/reason-action.tsx';
import { ShownOnce } from '../../parts/dialogs/shown-once.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { Panel } from '../../parts/panel.tsx';

type Keys = AnswerOf<'GET /rekey'>;

export function KeysPanel({ keys }: { readonly keys: Keys }) {
  return (
    <Panel title="Keys" actions={keys.masterKeyFrom === 'file' && <SaveMasterKey keys={keys} />}>
      <Facts>
        <Fact name="Master key">
          <code>{keys.masterKeyId}</code>
          <span class="quiet">{placeOf(keys)}</span>
        </Fact>
      </Facts>
    </Panel>
  );
}

function placeOf({ masterKeyFrom, masterKeySaved }: Keys): string {
  if (masterKeyFrom === 'environment') return ', from the environment';
  return masterKeySaved ? ', from the key file, saved: keep it elsewhere' : ', from the key file';
}

/** It stays when the key is saved: its dialog shows the key. */
function SaveMasterKey({ keys: { masterKeyId, masterKeySaved } }: { readonly keys: Keys }) {
  const fileName = `purser-master-key-${masterKeyId}.txt`;
  return (
    <ReasonAction
      name="Save the master key"
      needs="POST /rekey/save"
      look="small"
      isDisabled={masterKeySaved === true}
      about="A backup opens with this key alone, and the key lies in the folder that a backup is for. The browser saves it as a file: keep that elsewhere, in a password store. It is given once."
      command={(given) => purser('rekey save', [fileName], given)}
      run={(body) => call('POST /rekey/save', { body })}
      isShownOnce
      result={({ masterKey }) => <ShownOnce label="Master key" secret={masterKey} />}
      onDone={({ masterKey, masterKeyId: id }) => {
        save(new Blob([`${masterKey}\n`], { type: 'text/plain' }), `purser-master-key-${id}.txt`);
        announce('The master key is saved. Keep it elsewhere.');
      }}
    />
  );
}
