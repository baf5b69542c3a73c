/** The feed as its readers here take it: lines of JSON, as they come. */
import { CommandFailure } from '../terminal/failure.ts';
import type { FollowOptions, OperatorClient } from './operator-client.ts';

/** The server sends a blank line every 15 s. */
const SILENCE_MS = 45_000;

/** Lines of the feed at `path`, those that came together in one list, without blank ones; it begins with an empty list. */
export async function* feedLines(
  operator: OperatorClient,
  path: string,
  onOpen: NonNullable<FollowOptions['onOpen']>,
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of operator.follow(path, SILENCE_MS, { onOpen })) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield lines.filter((line) => line !== '');
  }
}

export async function newestSeq(operator: OperatorClient): Promise<number> {
  const { journalPosition } = (await operator.call({ method: 'GET', path: '/status' })).body;
  if (typeof journalPosition === 'number') return journalPosition;
  throw new CommandFailure('the node does not say which line of the feed is its newest');
}
