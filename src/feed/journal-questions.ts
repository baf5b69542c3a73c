/**
 * Questions that only the journal answers, asked in the thread that reads it: which frame has a fact, and what the facts
 * of a part of a day or of a quarter of an hour come to, which the sums of the fold don't tell.
 */

import { addChange, type MoneySums, moneyChangeOf, noSums } from '../engine/apply/money-change.ts';
import type { Fact } from '../engine/fact.ts';
import { idIn, type SumsOf } from '../persistence/checkpoint/day-sums.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import type { LogReader } from '../persistence/journal/frame-log.ts';
import { extentOf, frameHash, readHead } from '../persistence/journal/journal-frame.ts';
import { JournalReader } from '../persistence/journal/journal-reader.ts';
import { lastFactBefore } from '../persistence/journal/time-search.ts';

/** One answer takes about this long; readers of the feed have their turn between two. */
const SLICE_MS = 20;
/** … or ends with so many sums, which the main thread takes in at once. */
const MAX_ROWS = 1_000;

export interface SumsQuestion {
  readonly of: SumsOf;
  readonly fromMs: number;
  /** Not in it. */
  readonly toMs: number;
  /** Durable, and the end of a group. */
  readonly through: number;
  /** The facts that the answer before left; undefined to begin. */
  readonly rest?: FactRange | undefined;
}

/** The facts behind `after`, up to `end`. */
interface FactRange {
  readonly after: number;
  readonly end: number;
}

export interface SumsAnswer {
  readonly total: MoneySums;
  readonly rows: ReadonlyMap<number, MoneySums>;
  /** The facts that are left; undefined when there are none. */
  readonly rest: FactRange | undefined;
}

/** Hexadecimal SHA-256 of the frame that has the fact. Never another, for frames are not written again. */
export function hashOf(log: LogReader, sequence: number): string {
  for (const frame of log.read(sequence - 1)) {
    readHead(frame);
    const { first, last } = extentOf(frame);
    if (first <= sequence && sequence <= last) return frameHash(frame).toString('hex');
    break;
  }
  throw new DamagedDataError(`the journal's fact ${sequence} is missing`);
}

/** Sums of the facts in the period, or of as many as a slice takes. */
export function sumsOf(log: LogReader, question: SumsQuestion): SumsAnswer {
  const { after, end } = question.rest ?? rangeOf(log, question);
  const total = noSums();
  const rows = new Map<number, MoneySums>();
  if (after >= end) return { total, rows, rest: undefined };
  const journal = JournalReader.at(log, after);
  const take = (fact: Fact, sequence: number) => {
    const change = sequence > after && sequence <= end ? moneyChangeOf(fact) : undefined;
    if (change === undefined) return;
    addChange(total, change);
    const id = idIn(question.of, change);
    if (id !== undefined) addChange(rowOf(rows, id), change);
  };
  const startedMs = performance.now();
  for (const position of journal.visit(end, { fact: take })) {
    if (position >= end) break;
    if (performance.now() - startedMs >= SLICE_MS || rows.size >= MAX_ROWS)
      return { total, rows, rest: { after: position, end } };
  }
  return { total, rows, rest: undefined };
}

function rangeOf(log: LogReader, { fromMs, toMs, through }: SumsQuestion): FactRange {
  return { after: lastFactBefore(log, through, fromMs), end: lastFactBefore(log, through, toMs) };
}

/** The sums under this id, which are there then. */
export function rowOf(rows: Map<number, MoneySums>, id: number): MoneySums {
  let sums = rows.get(id);
  if (sums === undefined) {
    sums = noSums();
    rows.set(id, sums);
  }
  return sums;
}
