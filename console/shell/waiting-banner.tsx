/** Says that the node does not answer, and since when; what is on view is as old as that. */
import { localTime } from '../parts/time.tsx';
import { awaySince, nodeStatus } from './pulse.ts';

export function WaitingBanner() {
  const since = awaySince.value;
  const isReady = nodeStatus.value?.ready !== false;
  return (
    <div role="status">
      {since !== undefined && (
        <p class="banner is-waiting">
          {`Waiting for the node: it does not answer. What you see is from ${localTime(since)}.`}
        </p>
      )}
      {since === undefined && !isReady && (
        <p class="banner is-waiting">
          The node takes no purchases now: it is stopping, its disk is full, or its checkpoint is behind.
        </p>
      )}
    </div>
  );
}
