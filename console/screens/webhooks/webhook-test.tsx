/** One attempt now, of an event of its own: what the receiver says is shown at once. */
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { ReasonAction } from '../../parts/dialogs/reason-action.tsx';
import { AttemptPanel, isTaken } from './attempt.tsx';

export function SendTest({ accountId }: { readonly accountId: number }) {
  return (
    <ReasonAction
      name="Send test"
      needs="POST /webhooks/{accountId}/test"
      look="primary"
      about="One attempt of an event webhook.test. It is not repeated, and is in no list."
      command={(given) => purser('webhook test', [accountId], given)}
      run={(body) => call('POST /webhooks/{accountId}/test', { path: { accountId }, body })}
      underWay={<p class="hint">Waiting for the receiver…</p>}
      result={({ attempt }) => (
        <>
          <p>{isTaken(attempt) ? 'The receiver took it.' : 'The receiver did not take it.'}</p>
          <AttemptPanel attempt={attempt} />
        </>
      )}
      onDone={({ attempt }) =>
        announce(isTaken(attempt) ? 'The receiver took the test.' : 'The receiver did not take the test.')
      }
    />
  );
}
