/** An attempt to deliver an event. The receiver's words are a stranger's: text, in a box of its own. */
import type { Schema } from '../../api/call-types.ts';
import { counted } from '../../parts/money.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';

export type Attempt = Schema<'WebhookAttempt'>;

export function isTaken({ status }: Attempt): boolean {
  return status !== undefined && status >= 200 && status <= 299;
}

/** In one line. */
export function answerOf(attempt: Attempt | undefined): string {
  if (attempt === undefined) return '';
  const { status, responseHead = '', error } = attempt;
  return status === undefined ? `${error?.code}: ${error?.message}` : `${status} ${responseHead}`;
}

export function AttemptPanel({ attempt }: { readonly attempt: Attempt }) {
  const { startedAt, durationMs, status, responseHead = '', error } = attempt;
  const outcome = status === undefined ? (error?.code ?? 'no answer') : String(status);
  return (
    <div class="attempt">
      <p>
        <StatusBadge status={outcome} tone={isTaken(attempt) ? 'good' : 'bad'} /> <Time at={startedAt} />{' '}
        <span class="hint">{`took ${counted(Math.round(durationMs))} ms`}</span>
      </p>
      {error !== undefined && <p>{error.message}</p>}
      {status !== undefined &&
        (responseHead === '' ? (
          <p class="hint">The answer was empty.</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: long answers scroll, also by keyboard.
          <pre class="answer" tabIndex={0} role="group" aria-label="Answer">
            {responseHead}
          </pre>
        ))}
    </div>
  );
}
