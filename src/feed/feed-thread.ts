/**
 * The thread in which the feed's lines are made: reading and decoding the journal for a bot that was down for days
 * must take nothing from purchases.
 *
 * Segments that the start has not looked at are proved before LMDB opens them, once; the readers of the others wait
 * meanwhile, for a second or two, which is what a history that old costs. Other questions that only the journal answers
 * are asked here, too (`journal-questions.ts`).
 */
import type { Epoch } from '../engine/recovery/epochs.ts';
import { segmentProof } from '../persistence/folder/folder-check.ts';
import type { LogReader } from '../persistence/journal/frame-log.ts';
import { openLogReaders } from '../persistence/journal/open-log.ts';
import { lastFactBefore } from '../persistence/journal/time-search.ts';
import { Moved } from '../threads/thread-messages.ts';
import { serve, threadStart } from '../threads/thread-server.ts';
import { eventPage } from './event-page.ts';
import type { EventQuestion } from './event-question.ts';
import { EventSources } from './event-sources.ts';
import { linesAt } from './fact-lookup.ts';
import { type FeedChunk, FeedReader, type FeedView } from './feed-reader.ts';
import { hashOf, type SumsQuestion, sumsOf } from './journal-questions.ts';
import { countOn, type LineCount } from './line-count.ts';

export interface FeedThreadData {
  readonly folder: string;
  /** The epochs of its journal: a node that runs begins none. */
  readonly epochs: readonly Epoch[];
}

const {
  data: { folder, epochs },
  gate,
} = threadStart<FeedThreadData>();
const openLog = openLogReaders(folder, segmentProof(folder), gate);
const sources = new EventSources(folder, epochs, gate);
const readers = new Map<number, FeedReader>();

function asked<Answer>(question: (log: LogReader) => Answer): Answer {
  const log = openLog();
  try {
    return question(log);
  } finally {
    void log.close();
  }
}

/** A reader has one call under way at a time. Any error means that the journal can't be read there. */
const calls = {
  /** Opens the reader `number`, which can `read` then. */
  open: (number: number, after: number, view: FeedView): void => {
    const log = openLog();
    try {
      readers.set(number, FeedReader.open(log, after, epochs, view));
    } catch (error) {
      void log.close();
      throw error;
    }
  },
  /** The next lines up to `through`, which is durable. */
  read: (number: number, through: number): Moved<FeedChunk> => {
    const reader = readers.get(number);
    if (reader === undefined) throw new Error(`there is no reader ${number}`);
    const chunk = reader.read(through);
    return new Moved(chunk, [chunk.bytes.buffer]);
  },
  hashOf: (sequence: number) => asked((log) => hashOf(log, sequence)),
  positionBefore: (through: number, ms: number) => asked((log) => lastFactBefore(log, through, ms)),
  sumsOf: (question: SumsQuestion) => asked((log) => sumsOf(log, question)),
  countOn: (count: LineCount, end: number, view: FeedView) => asked((log) => countOn(log, count, end, view)),
  close: (number: number): void => {
    void readers.get(number)?.close();
    readers.delete(number);
  },
  /** Lines of single facts, all durable: see `linesAt`. */
  lines: (positions: readonly number[]) => asked((log) => linesAt(log, positions, epochs)),
  /** A page of an account's events. */
  events: (question: EventQuestion) => asked((log) => eventPage(sources.for(log, question), question)),
  stop: (): Promise<unknown> =>
    Promise.all([sources.close(), ...Array.from(readers.values(), (reader) => reader.close())]),
};
export type FeedCalls = typeof calls;

serve(calls, [Error]);
