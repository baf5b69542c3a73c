import { once } from 'node:events';
import type { Command } from 'commander';
import { wholeNumber } from './argument.ts';
import { ClientCommands, connect } from './client-commands.ts';
import { CommandFailure } from './failure.ts';
import type { OperatorClient } from './operator-client.ts';
import type { TargetFlags } from './operator-target.ts';
import { printLines, type Terminal } from './terminal.ts';

/** The server sends a blank line every 15 s. */
const SILENCE_MS = 45_000;

interface FeedFlags extends TargetFlags {
  readonly after?: number;
}

export function addFeedCommand(program: Command, terminal: Terminal): void {
  new ClientCommands(program, terminal)
    .command('feed', 'print every fact as a line of JSON, until the node stops')
    .option('--after <SEQ>', 'start after the line with this seq (default: 0, the beginning)', wholeNumber(0))
    .action(async ({ after = 0, ...flags }: FeedFlags) =>
      print(terminal, await connect(terminal, flags), after),
    );
}

/** Prints lines as they arrive; at the end, standard error says where to continue. */
async function print({ stdout, stderr }: Terminal, operator: OperatorClient, after: number): Promise<void> {
  let last = after;
  let rest = '';
  try {
    for await (const chunk of decoded(operator.follow(`/feed?after=${after}`, SILENCE_MS))) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      const told = lines.filter((line) => line !== '');
      const newest = told.at(-1);
      if (newest === undefined) continue;
      // The reader of a pipe has gone.
      if (stdout.destroyed) return;
      if (!stdout.write(`${told.join('\n')}\n`))
        await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]);
      last = seqOf(newest);
    }
  } catch (error) {
    if (last > after) printLines(stderr, [`Continue with --after ${last}`]);
    throw error;
  }
  printLines(stderr, [`The node closed the feed. Continue with --after ${last}`]);
}

async function* decoded(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
}

function seqOf(line: string): number {
  const seq = Number(/^\{"seq":(\d+),/.exec(line)?.[1]);
  if (!Number.isSafeInteger(seq)) throw new CommandFailure('the answer is not the feed of a Purser node');
  return seq;
}
