/**
 * A client against a scripted server, with a clock that only its own waiting moves, time-outs that
 * come when the script says so, and no jitter: how busy the machine is changes nothing.
 */
import { PurserClient, type PurserClientOptions, PurserError, type RetryNotice } from 'purser/client';
import { ScriptedServer, type SeenRequest, type Step } from './scripted-server.ts';

export interface UnderTest {
  readonly client: PurserClient;
  readonly baseUrl: string;
  readonly requests: readonly SeenRequest[];
  /** The waits between requests. */
  readonly delaysMs: readonly number[];
  readonly notices: readonly RetryNotice[];
  /** Whatever has a time limit now has reached it. */
  readonly timeOut: () => void;
}

export const API_KEY = 'pk_live_of_a_test';

/** Runs `use` with both, and stops the server. */
export async function withClient(
  script: readonly Step[],
  use: (under: UnderTest) => Promise<void>,
  options: Partial<PurserClientOptions> = {},
): Promise<void> {
  const timers = new Set<() => void>();
  const timeOut = () => {
    for (const onElapsed of timers) onElapsed();
  };
  const server = new ScriptedServer(script, timeOut);
  const baseUrl = await server.start();
  const delaysMs: number[] = [];
  const notices: RetryNotice[] = [];
  let nowMs = 1_700_000_000_000;
  const client = new PurserClient({
    baseUrl,
    apiKey: API_KEY,
    onRetry: (notice) => notices.push(notice),
    timing: {
      now: () => nowMs,
      random: () => 0,
      startTimer: (_delayMs, onElapsed) => {
        timers.add(onElapsed);
        return () => timers.delete(onElapsed);
      },
      sleep: async (delayMs, signal) => {
        if (signal?.aborted === true) throw signal.reason;
        delaysMs.push(delayMs);
        nowMs += delayMs;
      },
    },
    ...options,
  });
  try {
    await use({ client, baseUrl, requests: server.requests, delaysMs, notices, timeOut });
  } finally {
    await server.stop();
  }
}

/** The error that a call ends with; throws when it succeeds or throws something else. */
export async function errorOf(call: Promise<unknown>): Promise<PurserError> {
  const result = await call.catch((error: unknown) => error);
  if (result instanceof PurserError) return result;
  throw new Error('it did not end with a PurserError', { cause: result });
}
