/**
 * All events since a time again, page by page as the node does it. The events are counted first.
 *
 * After a stop in the middle the replayed events stay so, and another try goes on from there: events that have been
 * delivered meanwhile must not be sent again.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { isAborted } from '../../api/api-failure.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { reason, select } from '../../parts/forms/field.tsx';
import { localMoment, momentField } from '../../parts/forms/moment-field.ts';
import { counted } from '../../parts/money.tsx';

interface OfAccount {
  readonly accountId: number;
}

type Status = '' | 'delivered' | 'discarded';

interface Wanted {
  /** RFC 3339; empty while the field is. */
  readonly since: string;
  readonly status: Status;
}

interface Begun extends Wanted {
  readonly cursor: string | undefined;
  readonly count: number;
}

const STATUSES = [
  ['', 'Delivered and discarded'],
  ['discarded', 'Discarded only'],
  ['delivered', 'Delivered only'],
] as const;
const DAY_MS = 24 * 60 * 60_000;
const REST_MS = 300;

const OPTIONAL_STATUS = {
  ...select<Status>({ label: 'Status', options: STATUSES }),
  isRequired: false,
};

export function ReplayMany({ accountId }: OfAccount) {
  const { count, hasBegun, replay } = useReplay(accountId);
  return (
    <Action
      name="Replay"
      needs="POST /webhooks/{accountId}/replay"
      about="Events that have ended, sent again with the same id and body, to the webhook of now."
      fields={{
        since: momentField({ label: 'Since', initial: localMoment(Date.now() - DAY_MS) }),
        status: OPTIONAL_STATUS,
        reason: reason(),
      }}
      command={({ since, status, reason: why }) =>
        purser('webhook replay', [accountId], { since, status: status || undefined, reason: why })
      }
      preview={(wanted) => (
        <>
          <Count accountId={accountId} since={wanted.since} status={wanted.status} />
          {hasBegun(wanted) && (
            <p class="notice is-waiting">
              {`Of these, ${eventsOf(count)} were sent before it stopped: it goes on after them.`}
            </p>
          )}
        </>
      )}
      run={(values, { signal }) => replay(values, signal)}
      underWay={<p role="status">{`So far: ${counted(count)}`}</p>}
      isCancellable
      onDone={(total) => announce(`Sent again: ${counted(total)} events`)}
    />
  );
}

/** The replay, page by page, which is remembered when it stops in the middle. */
function useReplay(accountId: number) {
  const [count, setCount] = useState(0);
  const begun = useRef<Begun>(undefined);
  const hasBegun = ({ since, status }: Wanted) =>
    begun.current?.since === since && begun.current.status === status;
  const replay = async (
    { since, status, reason: why }: Wanted & { readonly reason: string | undefined },
    signal: AbortSignal,
  ) => {
    if (!hasBegun({ since, status })) begun.current = undefined;
    let { cursor, count: sent } = begun.current ?? { cursor: undefined, count: 0 };
    setCount(sent);
    do {
      const answer = await call('POST /webhooks/{accountId}/replay', {
        path: { accountId },
        query: { cursor },
        body: { since, reason: why, ...(status === '' ? {} : { status }) },
        signal,
      });
      cursor = answer.nextCursor;
      sent += 'replayed' in answer ? answer.replayed : 0;
      begun.current = { since, status, cursor, count: sent };
      setCount(sent);
    } while (cursor !== undefined);
    begun.current = undefined;
    return sent;
  };
  return { count, hasBegun, replay };
}

type Counted = { readonly count: number } | { readonly failure: unknown } | undefined;

/** Asked for when the typing rests. */
function Count({ accountId, since, status }: OfAccount & Wanted) {
  const [result, setResult] = useState<Counted>();
  useEffect(() => {
    setResult(undefined);
    if (since === '') return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      countOf(accountId, { since, status }, controller.signal)
        .then((count) => setResult({ count }))
        .catch((failure: unknown) => {
          if (!isAborted(failure)) setResult({ failure });
        });
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [accountId, since, status]);
  if (result !== undefined && 'failure' in result) return <ErrorNotice failure={result.failure} />;
  return (
    <p class="notice" role="status">
      {result === undefined ? 'Counting…' : `It would send ${eventsOf(result.count)}.`}
    </p>
  );
}

function eventsOf(count: number): string {
  return count === 1 ? '1 event' : `${counted(count)} events`;
}

async function countOf(accountId: number, { since, status }: Wanted, signal: AbortSignal): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const answer = await call('POST /webhooks/{accountId}/replay', {
      path: { accountId },
      query: { cursor },
      body: { since, dryRun: true, ...(status === '' ? {} : { status }) },
      signal,
    });
    count += 'wouldReplay' in answer ? answer.wouldReplay : 0;
    cursor = answer.nextCursor;
  } while (cursor !== undefined);
  return count;
}
