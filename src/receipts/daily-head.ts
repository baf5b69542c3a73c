/**
 * Once a day the shop signs where its journal is (`signed-head.ts`), and the signed head goes where the node can't take
 * it back: to the operators' alerts, and to the backup. So nobody who has the node alone can rewrite history unseen.
 *
 * Invariant: a day's head is told once, and goes to the backup when that has the facts that it speaks of; it is tried
 * again until it is there, or the next one is due. A start in between makes another one, which harms nothing.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Job } from '../persistence/disk/job.ts';
import type { HeadClaims } from './signed-head.ts';

export const HEAD_FILE = 'last-head';
const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
const AGAIN_MS = 10_000;

export interface SignedHead {
  readonly claims: HeadClaims;
  /** A compact JWS. */
  readonly text: string;
}

export interface DailyHeadOptions {
  readonly dataDir: string;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Signs where the journal is now, up to a durable fact. */
  readonly sign: () => SignedHead;
  readonly tell: (head: SignedHead) => void;
  /** Resolves with whether it is where it should be; false: try it again. */
  readonly ship: (head: SignedHead) => Promise<boolean>;
  readonly onTrouble: (error: unknown) => void;
  /** Between two tries; for tests, the default is ten seconds. */
  readonly againMs?: number | undefined;
}

export function openDailyHead(options: DailyHeadOptions): Job<object> {
  const { dataDir, clock, onTrouble } = options;
  return new Job<object>({
    file: join(dataDir, HEAD_FILE),
    intervalMs: DAY_MS,
    firstAfterMs: HOUR_MS,
    clock,
    run: (signal) => makeHead(options, signal),
    nothing: {},
    onResult: ({ error }, cause) => error !== undefined && onTrouble(cause ?? new Error(error)),
    onTrouble,
  });
}

async function makeHead(options: DailyHeadOptions, signal: AbortSignal) {
  const { clock, sign, tell, ship, onTrouble, againMs = AGAIN_MS } = options;
  const head = sign();
  tell(head);
  // A target that hangs is given up.
  const stopped = once(signal, 'abort').then(() => signal.throwIfAborted());
  for (;;) {
    const isThere = await Promise.race([ship(head).catch(onTrouble), stopped]);
    if (isThere === true) return {};
    if (Math.abs(clock() - head.claims.at) >= DAY_MS)
      return { error: 'the backup has not taken it for a day' };
    await delay(againMs, undefined, { signal, ref: false });
  }
}
