/**
 * Calls whose answer is lost: nobody knows whether they happened. A call that has an `Idempotency-Key` is repeated with it,
 * which the node carries out once; what is then still unknown, the message says how to repeat.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailure } from '../terminal/failure.ts';

/** A second, and then two: a proxy, or a node, that starts again. */
const PAUSES_MS = [1_000, 2_000];

/** `attempt` is called again, with the same key, as long as its answer is lost; three times at most. */
export async function repeatWhenLost<Result>(
  key: string | undefined,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof CommandFailure && error.isLost) || key === undefined) throw error;
      await sleep(pauseMs);
    }
  }
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.refusal !== undefined) throw error;
    const message = `${error.message}. The answer was lost, so the change may have been made: to repeat it safely, add --idempotency-key ${key}`;
    throw new CommandFailure(message, { cause: error });
  }
}
