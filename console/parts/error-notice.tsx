/** A failure in the words of the API, and the request id to look for in the node's log. */
import { useEffect, useRef } from 'preact/hooks';
import { ApiFailure } from '../api/api-failure.ts';

export function ErrorNotice({ failure }: { readonly failure: unknown }) {
  const requestId = failure instanceof ApiFailure ? failure.requestId : '';
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A dialog may be longer than a small screen.
    if (notice.current?.closest('dialog') != null) notice.current.scrollIntoView({ block: 'nearest' });
  }, [failure]);
  return (
    <div ref={notice} class="notice is-bad" role="alert">
      <p>{messageOf(failure)}</p>
      {requestId !== '' && (
        <p class="request">
          Request <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}

export function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
