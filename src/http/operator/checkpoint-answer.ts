/**
 * Answers that are read from the checkpoint, on the main thread.
 *
 * Invariant: an answer tells of everything that was decided before the request. So a statement of a period that has
 * ended never gets another movement: its facts are durable, folded, and in the answer. A read takes no more than a slice
 * at a time from purchases (`slices.ts`). Rejected: a thread of their own, which would cost memory all day long for
 * questions that come now and then.
 */
import type { Unreached } from '../../persistence/checkpoint/checkpointer.ts';
import type { Place } from '../../persistence/checkpoint/places.ts';
import { type ApiError, apiError, badRequest } from '../errors.ts';
import type { Period } from './moment.ts';
import type { OperatorContext } from './operator-context.ts';
import type { OperatorServices } from './operator-route.ts';

const WHY: Readonly<Record<Unreached, string>> = {
  slow: 'the node is busy bringing them up to date. Try again in a few seconds.',
  'no-room':
    'there is no room for them on the disk, or too many files are open; the log of the node says which. Mend that, and try again.',
  damage:
    'a file with old rows is damaged; the log of the node says which. Stop the node and restore a backup.',
  refusal:
    'the system does not give a file with old rows; the log of the node says which, and why. Mend that, and try again.',
  stopping: 'the node is stopping. Try again when it runs.',
};

/** The refusal where the journal must be read and that can't be done now. */
export const BUSY = apiError('NOT_READY', 'The node is busy or stopping: try again in a second.');

export type CheckpointServices = Pick<OperatorServices, 'engine' | 'checkpointer' | 'checkpoint'>;

/** Calls `answer` once the indexes have all that was decided until now, or answers 503. */
export function fromCheckpoint(
  context: OperatorContext,
  { checkpointer }: Pick<CheckpointServices, 'checkpointer'>,
  answer: () => Promise<void>,
): void {
  context.run(async () => {
    const reached = await checkpointer.reachDecided();
    if (reached === 'reached') await answer();
    else context.fail(behind(reached));
  });
}

/** `first` says what has happened all the same, or what can't be told. */
export function behind(reached: Unreached, first = ''): ApiError {
  return apiError('NOT_READY', `${first}The indexes do not have the newest facts: ${WHY[reached]}`);
}

const CURSOR = /^(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})$/;
export const BAD_CURSOR = badRequest(
  'cursor must be the nextCursor of the previous page, with the same from, to and filters.',
);

/** A place in a list by time and sequence, as a cursor says it. */
export function cursorOf({ atMs, seq }: Place): string {
  return `${atMs}-${seq}`;
}

/**
 * Takes the cursor out of the query, for pages know whole numbers only. Undefined when the query has none. A place outside
 * of the period is refused: the page behind it would have rows of another period.
 */
export function takeCursor(
  query: URLSearchParams,
  { fromMs, toMs }: Period,
): Place | { readonly error: typeof BAD_CURSOR } | undefined {
  const text = query.get('cursor');
  if (text === null) return undefined;
  query.delete('cursor');
  const [, atMs, seq] = CURSOR.exec(text) ?? [];
  const place = { atMs: Number(atMs), seq: Number(seq) };
  const isPlace = Number.isSafeInteger(place.atMs) && Number.isSafeInteger(place.seq) && place.seq >= 1;
  return isPlace && place.atMs >= fromMs && place.atMs < toMs ? place : { error: BAD_CURSOR };
}
