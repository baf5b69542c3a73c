/** Lines of single facts, for an answer that tells how something came about. */

import type { Fact } from '../engine/fact.ts';
import { type Epoch, epochAt } from '../engine/recovery/epochs.ts';
import type { LogReader } from '../persistence/journal/frame-log.ts';
import { JournalReader } from '../persistence/journal/journal-reader.ts';
import { feedLine } from './feed-line.ts';

/** Lines of the facts at `positions`, which ascend; `epochs` are the journal's. Facts of one group are read once. */
export function linesAt(log: LogReader, positions: readonly number[], epochs: readonly Epoch[]): string[] {
  const lines: string[] = [];
  let first = 0;
  let facts: readonly Fact[] = [];
  for (const position of positions) {
    if (position >= first + facts.length) {
      [first, facts] = groupWith(log, position);
    }
    const fact = facts[position - first];
    if (fact !== undefined) lines.push(feedLine(position, fact, epochAt(epochs, position)));
  }
  return lines;
}

/** The group that has the fact. */
function groupWith(log: LogReader, position: number): [first: number, facts: readonly Fact[]] {
  const journal = JournalReader.at(log, position - 1);
  for (const { firstSequence, facts } of journal.read()) return [firstSequence, facts];
  return [position, []];
}
