/** Which master key the folder has. Never the key itself. */
import type { AnswerOf } from '../../api/call-types.ts';

type Keys = AnswerOf<'GET /rekey'>;

export function KeysPanel({ keys: { masterKeyId, masterKeyFrom } }: { readonly keys: Keys }) {
  return (
    <section class="panel" aria-labelledby="keys">
      <header>
        <h2 id="keys">Keys</h2>
      </header>
      <dl class="facts">
        <dt>Master key</dt>
        <dd>
          <code>{masterKeyId}</code>
          <span class="quiet">
            {masterKeyFrom === 'file' ? ', from the key file' : ', from the environment'}
          </span>
        </dd>
      </dl>
    </section>
  );
}
