/** The thread that makes a base (`base-thread.ts`), as the main thread sees it. */
import { WorkerLink } from '../../threads/worker-link.ts';
import { ClusterError } from '../cluster-error.ts';
import type { Base } from '../postgres/cluster-rows.ts';
import type { BaseCalls, BaseThreadData } from './base-thread.ts';

/**
 * `place`: the folder has all up to there. Rejects with `ClusterError`, and with `ThreadEndedError` when the
 * folder can't be read, or `signal` ends it.
 */
export async function makeBase(
  data: BaseThreadData,
  place: { readonly entry: number; readonly term: number },
  signal: AbortSignal,
): Promise<Base> {
  const thread = new WorkerLink<BaseThreadData, BaseCalls>({
    program: new URL('./base-thread.js', import.meta.url),
    name: 'the thread that makes a base',
    data,
    errors: [ClusterError],
    // Its call is rejected.
    onDeath: () => {},
  });
  const breakOff = () => void thread.breakOff().catch(() => {});
  signal.addEventListener('abort', breakOff);
  try {
    return await thread.call('make', [place]);
  } finally {
    signal.removeEventListener('abort', breakOff);
    await thread.breakOff();
  }
}
