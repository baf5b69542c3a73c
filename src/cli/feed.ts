/** `purser feed`: the feed as lines on standard output, to its end or to a given one. */
import { type Command, Option } from 'commander';
import { moment, wholeNumber } from './argument.ts';
import { ClientCommands, connect } from './calls/client-commands.ts';
import { feedLines, newestSeq } from './calls/feed-lines.ts';
import type { FollowOptions, OperatorClient } from './calls/operator-client.ts';
import type { TargetFlags } from './calls/operator-target.ts';
import { CommandFailure } from './terminal/failure.ts';
import { isWritten, printLines, type Terminal } from './terminal/terminal.ts';

interface FeedFlags extends TargetFlags {
  readonly after?: number;
  readonly epoch?: number;
  readonly from?: number;
  readonly until?: number | 'now';
}

export function addFeedCommand(program: Command, terminal: Terminal): void {
  new ClientCommands(program, terminal)
    .readingCommand('feed', 'print every fact as a line of JSON, until the node stops')
    .option('--after <SEQ>', 'start after the line with this seq (default: 0, the beginning)', wholeNumber(0))
    .option(
      '--epoch <EPOCH>',
      'the epoch of that line: after a restore, the node says where to go on',
      wholeNumber(1),
    )
    .addOption(
      new Option('--from <TIME>', 'start with the first line of this time')
        .argParser(moment)
        .conflicts(['after', 'epoch']),
    )
    .option('--until <TIME>', 'end before the first line of this time; now: after the newest line', endOf)
    .action(async ({ after = 0, epoch, from, until, ...flags }: FeedFlags) => {
      const operator = await connect(terminal, flags);
      const start = from === undefined ? { after, epoch } : { from };
      await print(terminal, operator, start, await FeedEnd.of(until, operator));
    });
}

/** A line's `seq`, or a time. */
type FeedStart = { readonly after: number; readonly epoch: number | undefined } | { readonly from: number };

/** Prints lines as they arrive; when the node breaks off, standard error says where to continue. */
async function print(
  { stdout, stderr }: Terminal,
  operator: OperatorClient,
  start: FeedStart,
  end: FeedEnd,
): Promise<void> {
  const isTime = 'from' in start;
  let epoch = isTime ? undefined : start.epoch;
  const path = isTime ? `/feed?from=${start.from}` : `/feed?after=${start.after}${epochField(epoch)}`;
  let first = isTime ? 0 : start.after;
  let last = first;
  const onOpen: NonNullable<FollowOptions['onOpen']> = (headers) => {
    if (isTime) last = first = Number(headers['x-feed-after'] ?? 0);
  };
  try {
    // A position beyond the newest line is left to the node, which says what that means.
    if ((await end.isBehind(last)) && end.isKnown(last)) return;
    for await (const told of feedLines(operator, path, onOpen)) {
      const wanted = told.filter((line) => end.includes(headOf(line)));
      if (wanted.length > 0 && !(await isWritten(stdout, `${wanted.join('\n')}\n`))) return;
      if (wanted.length < told.length) return;
      const newest = told.at(-1);
      if (newest !== undefined) ({ seq: last, epoch } = headOf(newest));
      if (await end.isBehind(last)) return;
    }
  } catch (error) {
    if (last > first) printLines(stderr, [`Continue with ${placeOf(last, epoch)}`]);
    throw error;
  }
  printLines(stderr, [`The node closed the feed. Continue with ${placeOf(last, epoch)}`]);
}

function epochField(epoch: number | undefined): string {
  return epoch === undefined ? '' : `&epoch=${epoch}`;
}

function placeOf(seq: number, epoch: number | undefined): string {
  return epoch === undefined ? `--after ${seq}` : `--after ${seq} --epoch ${epoch}`;
}

/**
 * Where the feed is to end: before a time, or behind a line. Once the time has come, no line before it can follow the
 * newest one, so that is the last.
 */
class FeedEnd {
  readonly #operator: OperatorClient;
  readonly #untilMs: number;
  #lastSeq: number;

  private constructor(operator: OperatorClient, untilMs: number, lastSeq: number) {
    this.#operator = operator;
    this.#untilMs = untilMs;
    this.#lastSeq = lastSeq;
  }

  static async of(until: number | 'now' | undefined, operator: OperatorClient): Promise<FeedEnd> {
    const never = Number.POSITIVE_INFINITY;
    if (until === 'now') return new FeedEnd(operator, never, await newestSeq(operator));
    return new FeedEnd(operator, until ?? never, never);
  }

  includes({ seq, atMs }: LineHead): boolean {
    return seq <= this.#lastSeq && atMs < this.#untilMs;
  }

  /** Once it is behind: whether there is such a line. */
  isKnown(seq: number): boolean {
    return seq <= this.#lastSeq;
  }

  /** Whether nothing that is to be printed comes after `seq`. */
  async isBehind(seq: number): Promise<boolean> {
    if (Date.now() >= this.#untilMs && this.#lastSeq === Number.POSITIVE_INFINITY) {
      this.#lastSeq = await newestSeq(this.#operator);
    }
    return seq >= this.#lastSeq;
  }
}

interface LineHead {
  readonly seq: number;
  readonly atMs: number;
  readonly epoch: number;
}

function headOf(line: string): LineHead {
  const head = /^\{"seq":(\d+),"at":(\d+),"epoch":(\d+),/.exec(line)?.map(Number);
  const [, seq = Number.NaN, atMs = 0, epoch = 0] = head ?? [];
  if (Number.isSafeInteger(seq)) return { seq, atMs, epoch };
  throw new CommandFailure('the answer is not the feed of a Purser node');
}

function endOf(text: string): number | 'now' {
  return text === 'now' ? text : moment(text);
}
