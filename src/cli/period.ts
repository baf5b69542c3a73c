/**
 * `--from` and `--until` of a listing, or `--month`: a period that has its beginning, and lasts until its end, which is
 * not in it.
 */
import { type Command, InvalidArgumentError } from 'commander';
import { moment } from './argument.ts';
import { usageError } from './terminal/failure.ts';

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

/** The fields `from` and `to` of a query. Throws `CommandFailure` when the period ends before it begins. */
export function periodQuery({ from, until }: PeriodFlags): Readonly<Record<string, string>> {
  if (from !== undefined && until !== undefined && from > until) {
    throw usageError('--from must not be later than --until');
  }
  return {
    ...(from === undefined ? {} : { from: String(from) }),
    ...(until === undefined ? {} : { to: String(until) }),
  };
}

/** Instead of both: a month of UTC. */
export interface MonthFlags extends PeriodFlags {
  readonly month?: PeriodFlags;
}

export function addMonth(command: Command): Command {
  return command.option('--month <MONTH>', 'only in this month, such as 2026-10 (UTC)', month);
}

/** A period as `periodQuery` gives it, or a month. Throws `CommandFailure` when there are both. */
export function monthQuery({ month: whole, from, until }: MonthFlags): Readonly<Record<string, string>> {
  const period = { ...(from === undefined ? {} : { from }), ...(until === undefined ? {} : { until }) };
  if (whole === undefined) return periodQuery(period);
  if (Object.keys(period).length > 0) throw usageError('give either --month, or --from and --until');
  return periodQuery(whole);
}

function month(text: string): PeriodFlags {
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined) throw new InvalidArgumentError('expected a month, such as 2026-10');
  return { from: Date.UTC(Number(year), Number(number) - 1), until: Date.UTC(Number(year), Number(number)) };
}
