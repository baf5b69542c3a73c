/** `--from` and `--until` of a listing: a period that has its beginning, and lasts until its end, which is not in it. */
import type { Command } from 'commander';
import { moment } from './argument.ts';
import { UsageError } from './failure.ts';

/** Unix milliseconds. */
export interface PeriodFlags {
  readonly from?: number;
  readonly until?: number;
}

export function addPeriod(command: Command): Command {
  return command
    .option('--from <TIME>', 'only since 2026-10-31, 2026-10-31T12:00:00Z, or Unix milliseconds', moment)
    .option('--until <TIME>', 'only before this time', moment);
}

/** The fields `from` and `to` of a query. Throws `UsageError` when the period ends before it begins. */
export function periodQuery({ from, until }: PeriodFlags): Readonly<Record<string, string>> {
  if (from !== undefined && until !== undefined && from > until) {
    throw new UsageError('--from must not be later than --until');
  }
  return {
    ...(from === undefined ? {} : { from: String(from) }),
    ...(until === undefined ? {} : { to: String(until) }),
  };
}
