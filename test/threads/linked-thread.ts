/** A worker thread for `worker-link.test.ts`: does as it is told, in every way in which threads go wrong. */
import { setTimeout as delay } from 'node:timers/promises';
import { Moved } from '../../src/threads/thread-messages.ts';
import { sayer, serve, threadStart } from '../../src/threads/thread-server.ts';
import { OddError } from './odd-error.ts';

export interface LinkedThreadData {
  /** Shared between the starts of one test. */
  readonly starts: SharedArrayBuffer;
  /** So many starts fail. */
  readonly failedStarts: number;
  readonly stop: 'ends' | 'hangs';
}

export type LinkedThreadEvents = { readonly progress: (steps: number, of: string) => void };

const { data, gate } = threadStart<LinkedThreadData>();
const say = sayer<LinkedThreadEvents>('progress');
const start = Atomics.add(new Int32Array(data.starts), 0, 1) + 1;
if (start <= data.failedStarts) throw new RangeError(`start ${start} fails`);

const done: string[] = [];
const calls = {
  half: (number: number): number => {
    if (number % 2 === 1) throw new OddError(number);
    return number / 2;
  },
  halfLater: async (number: number): Promise<number> => {
    await delay(number);
    return calls.half(number);
  },
  note: (what: string): void => void done.push(what),
  done: (): readonly string[] => done,
  steps: (count: number): void => {
    for (let step = 1; step <= count; step += 1) say.progress(step, 'steps');
  },
  bytes: (count: number): Moved<Uint8Array> => {
    const bytes = new Uint8Array(count).fill(7);
    return new Moved(bytes, [bytes.buffer]);
  },
  length: (bytes: Uint8Array): number => bytes.length,
  fail: (): void => {
    throw new TypeError('nobody expects this');
  },
  exit: (): void => process.exit(3),
  never: (): Promise<void> => new Promise(() => {}),
  /** A write transaction that takes so long; tells when it has begun, in `state`, and when it is over. */
  write: (state: SharedArrayBuffer, durationMs: number): void => {
    const progress = new Int32Array(state);
    gate.pass(() => {
      Atomics.store(progress, 0, 1);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
      Atomics.store(progress, 0, 2);
    });
  },
  /** A write transaction in which the thread runs out of heap. */
  writeTooMuch: (): void => {
    const kept: object[][] = [];
    gate.pass(() => {
      for (;;) kept.push(Array.from({ length: 1_000 }, () => ({ kept })));
    });
  },
  stop: async (drainMs: number): Promise<void> => {
    done.push(`stop within ${drainMs}`);
    if (data.stop === 'hangs') await new Promise(() => {});
  },
};
export type LinkedThreadCalls = typeof calls;

serve(calls, [OddError]);
