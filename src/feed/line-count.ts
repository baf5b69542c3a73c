/**
 * The lines of a reader's feed behind the last one that it has: how many, and when the oldest was written.
 *
 * A count goes on where it stopped, so that a bot whose accounts are quiet in a busy shop costs each question what has come
 * since, and it ends at `MAX_COUNTED_LINES`: whoever is so far behind needs no exact figure. Rejected: to subtract positions, which
 * would call a bot late that has all lines of its own.
 */
import type { Fact } from '../engine/fact.ts';
import { MAX_COUNTED_LINES } from '../engine/limits.ts';
import type { LogReader } from '../persistence/journal/frame-log.ts';
import { JournalReader } from '../persistence/journal/journal-reader.ts';
import type { FeedView } from './feed-reader.ts';
import { OwnFacts } from './own-facts.ts';

/** One answer takes about this long; readers of the feed have their turn between two. */
const SLICE_MS = 20;

export interface LineCount {
  /** All facts up to here are counted. */
  readonly through: number;
  readonly lines: number;
  /** When the oldest was written, in Unix milliseconds; undefined while there is none. */
  readonly sinceMs: number | undefined;
}

/** Counts on up to `end`, which is durable and the end of a group, as far as a slice or `MAX_COUNTED_LINES` goes. */
export function countOn(log: LogReader, before: LineCount, end: number, { types, own }: FeedView): LineCount {
  let { through, lines, sinceMs } = before;
  const ownFacts = own && new OwnFacts(own);
  const wanted = types && new Set(types);
  const take = (fact: Fact, sequence: number) => {
    if (sequence <= before.through || sequence > end) return;
    if (ownFacts?.has(fact) === false || wanted?.has(fact.kind) === false) return;
    lines += 1;
    sinceMs ??= fact.atMs;
  };
  const startedMs = performance.now();
  for (const position of JournalReader.at(log, through).visit(end, { fact: take })) {
    through = Math.max(through, Math.min(position, end));
    if (through >= end || lines >= MAX_COUNTED_LINES || performance.now() - startedMs >= SLICE_MS) break;
  }
  return { through, lines: Math.min(lines, MAX_COUNTED_LINES), sinceMs };
}
