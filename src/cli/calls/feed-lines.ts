/** The feed as its readers here take it: lines of JSON, as they come. */
import { textLines } from '../../shared/text-lines.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { FollowOptions, OperatorClient } from './operator-client.ts';

/** The server sends a blank line every 15 s. */
const SILENCE_MS = 45_000;

/** Lines of the feed at `path`, those that came together in one list, without blank ones; it begins with an empty list. */
export function feedLines(
  operator: OperatorClient,
  path: string,
  onOpen: NonNullable<FollowOptions['onOpen']>,
): AsyncGenerator<string[]> {
  return textLines(operator.follow(path, SILENCE_MS, { onOpen }));
}

export async function newestSeq(operator: OperatorClient): Promise<number> {
  const { journalPosition } = (await operator.call({ method: 'GET', path: '/status' })).body;
  if (typeof journalPosition === 'number') return journalPosition;
  throw new CommandFailure('the node does not say which line of the feed is its newest');
}
