/** A link to `linked-thread.ts`. */
import { WorkerLink, type WorkerLinkOptions } from '../../src/threads/worker-link.ts';
import type { LinkedThreadCalls, LinkedThreadData } from './linked-thread.ts';
import { OddError } from './odd-error.ts';

type Options = Partial<LinkedThreadData & Omit<WorkerLinkOptions<LinkedThreadData>, 'data'>>;

export type Link = WorkerLink<LinkedThreadData, LinkedThreadCalls>;

export function openLink({ failedStarts = 0, stop = 'ends', ...options }: Options = {}): Link {
  return new WorkerLink<LinkedThreadData, LinkedThreadCalls>({
    program: new URL('./linked-thread.js', import.meta.url),
    name: 'the thread of the test',
    data: { starts: new SharedArrayBuffer(4), failedStarts, stop },
    errors: [OddError],
    onDeath: () => {},
    ...options,
  });
}
