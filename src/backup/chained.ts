/**
 * The tries of a series' chunks that count: one rule, for nodes that go on shipping, and for restores.
 *
 * A number may have been tried several times, and more than one try may open. The one counts that continues a chunk
 * before and that the next number's chunk names; of the last number, the latest.
 */
import type { ChunkHead } from './chunk.ts';

export interface Try {
  readonly head: ChunkHead;
  /** The chunk's hash, as the next one of its series names it. */
  readonly hash: string;
}

/**
 * `numbers` gives the tries of each number that open, the latest first; `previous` is what the first one must continue,
 * undefined when that isn't known. Ends before the first number of which no try continues the one before.
 */
export async function* chained<Each extends Try>(
  numbers: AsyncIterable<readonly Each[]>,
  previous?: string,
): AsyncIterableIterator<Each> {
  let before: readonly string[] | undefined = previous === undefined ? undefined : [previous];
  let waiting: readonly Each[] = [];
  for await (const tries of numbers) {
    const fitting = tries.filter(({ head }) => before?.includes(head.previous) ?? true);
    const named = fitting[0]?.head.previous;
    const chosen = waiting.find(({ hash }) => hash === named) ?? waiting[0];
    if (chosen !== undefined) yield chosen;
    waiting = fitting;
    before = fitting.map(({ hash }) => hash);
    if (fitting.length === 0) return;
  }
  const [last] = waiting;
  if (last !== undefined) yield last;
}
