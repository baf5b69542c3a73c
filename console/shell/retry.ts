/**
 * Repeats calls that failed in a way that may pass: with each beat of the pulse, for in an idle shop the journal moves
 * for nobody. A call that the node refuses for good is made once.
 */
import { useEffect, useRef } from 'preact/hooks';
import { ApiFailure } from '../api/api-failure.ts';
import { beat } from './pulse.ts';

const TOO_MANY_REQUESTS = 429;
const INTERNAL_ERROR = 500;

export function useRetry(failure: unknown, again: () => void): void {
  const tick = mayPass(failure) ? beat.value : undefined;
  /** The beat at which it failed. */
  const failedAt = useRef<number>(undefined);
  useEffect(() => {
    const before = failedAt.current;
    failedAt.current = tick === undefined ? undefined : (before ?? tick);
    if (before !== undefined && tick !== undefined && tick !== before) again();
  }, [tick]);
}

function mayPass(failure: unknown): boolean {
  if (!(failure instanceof ApiFailure)) return false;
  return failure.status >= INTERNAL_ERROR || failure.status === TOO_MANY_REQUESTS;
}
