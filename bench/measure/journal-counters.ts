/** The server's own count of group commits and of the facts in them, from its Prometheus metrics. */
import type { OperatorClient } from '../../test/support/operator-client.ts';

export interface JournalCounters {
  readonly groups: number;
  readonly facts: number;
}

/** Undefined when the server doesn't serve the counters. */
export async function readJournalCounters(operator: OperatorClient): Promise<JournalCounters | undefined> {
  const { status, text } = await operator.request('GET', '/metrics', {});
  if (status !== 200) return undefined;
  const groups = sumOf(text, 'purser_journal_groups_total');
  const facts = sumOf(text, 'purser_journal_facts_total');
  return groups === undefined || facts === undefined ? undefined : { groups, facts };
}

/** Facts per group commit between two readings. */
export function meanGroupSize(
  from: JournalCounters | undefined,
  to: JournalCounters | undefined,
): number | undefined {
  if (from === undefined || to === undefined || to.groups === from.groups) return undefined;
  return (to.facts - from.facts) / (to.groups - from.groups);
}

/** Adds up the lines of one counter, whatever labels they have. */
export function sumOf(text: string, counter: string): number | undefined {
  let sum: number | undefined;
  for (const line of text.split('\n')) {
    if (!line.startsWith(counter)) continue;
    const [, value] = /^(?:\{[^}]*\})? ([0-9.e+]+)/.exec(line.slice(counter.length)) ?? [];
    if (value !== undefined) sum = (sum ?? 0) + Number(value);
  }
  return sum;
}
