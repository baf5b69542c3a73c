/** All of the event that the address names, kept as it is now. */
import { useRef } from 'preact/hooks';
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { ModalDialog } from '../../parts/dialogs/modal-dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { queryField, setQuery } from '../../shell/router.ts';
import { AttemptPanel } from './attempt.tsx';
import { ReplayOne } from './replay-one.tsx';

interface OfAccount {
  readonly accountId: number;
}

export function DeliveryDialog({ accountId }: OfAccount) {
  const eventId = queryField('event');
  const at = Number(queryField('at'));
  if (eventId === '' || !Number.isSafeInteger(at)) return null;
  return <Opened key={eventId} accountId={accountId} eventId={eventId} at={at} />;
}

function Opened({ accountId, eventId, at }: OfAccount & { readonly eventId: string; readonly at: number }) {
  const { answer, failure } = useLiveAnswer(
    eventId,
    (signal) => find(accountId, eventId, at, signal),
    'beat',
  );
  const delivery = answer?.delivery;
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <ModalDialog
      name={`Event ${eventId}`}
      dialog={dialog}
      isWide
      onClose={() => setQuery({ event: '', at: '' })}
    >
      <div class="after">
        {failure !== undefined && <ErrorNotice failure={failure} />}
        {answer !== undefined && delivery === undefined && <p>It is not kept any more.</p>}
        {delivery !== undefined && <Attempts delivery={delivery} />}
        <div class="buttons">
          {delivery !== undefined && <ReplayOne accountId={accountId} delivery={delivery} />}
          <button type="button" class="primary" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
      </div>
    </ModalDialog>
  );
}

/** There is no call for one: the period of a millisecond has it, and whatever else came in it. */
async function find(accountId: number, eventId: string, at: number, signal: AbortSignal) {
  let cursor: string | undefined;
  do {
    const { deliveries, nextCursor } = await call('GET /webhooks/{accountId}/deliveries', {
      path: { accountId },
      query: { from: String(at), to: String(at + 1), cursor },
      signal,
    });
    const delivery = deliveries.find((one) => one.eventId === eventId);
    if (delivery !== undefined) return { delivery };
    cursor = nextCursor;
  } while (cursor !== undefined);
  return { delivery: undefined };
}

function Attempts({ delivery }: { readonly delivery: Schema<'WebhookDelivery'> }) {
  const { type, status, createdAt, nextAttemptAt, attempts } = delivery;
  return (
    <>
      <Facts>
        <Fact name="Type" is={type} />
        <Fact name="Status" is={<StatusBadge status={status} />} />
        <Fact name="Of" is={<Time at={createdAt} />} />
        <Fact name="Next attempt" is={nextAttemptAt !== undefined && <Time at={nextAttemptAt} />} />
      </Facts>
      <h3>Attempts, the latest first</h3>
      {attempts.length === 0 && <p class="hint">There was none yet.</p>}
      {attempts.toReversed().map((attempt) => (
        <AttemptPanel key={attempt.startedAt} attempt={attempt} />
      ))}
    </>
  );
}
