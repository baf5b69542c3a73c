/**
 * `--from` and `--until` of a listing, or `--month`: a period that has its beginning, and lasts until its end, which is
 * not in it. With `--time-zone`, dates are sent as they are: the node knows the zone's days.
 */
import { type Command, InvalidArgumentError } from 'commander';
import { moment } from './argument.ts';
import { usageError } from './terminal/failure.ts';

/** A moment as it was given. */
interface Given {
  /** Unix milliseconds; of a date, its beginning in UTC. */
  readonly ms: number;
  /** The date, when it has no time. */
  readonly date?: string;
}

export interface PeriodFlags {
  readonly from?: Given;
  readonly until?: Given;
  /** Given to commands that take it (`addTimeZone`). */
  readonly timeZone?: string;
}

export function addPeriod(command: Command): Command {
  return command
    .option('--from <TIME>', 'only since 2026-10-31, 2026-10-31T12:00:00Z, or Unix milliseconds', given)
    .option('--until <TIME>', 'only before this time', given);
}

export function addTimeZone(command: Command): Command {
  return command.option(
    '--time-zone <ZONE>',
    'the zone of dates, days and months, such as Europe/Berlin (default: UTC)',
  );
}

/** The fields of a query. Throws `CommandFailure` when the period ends before it begins. */
export function periodQuery({ from, until, timeZone }: PeriodFlags): Readonly<Record<string, string>> {
  // The node says so, of a date of a zone and another moment.
  if (timeZone === undefined && from !== undefined && until !== undefined && from.ms > until.ms) {
    throw usageError('--from must not be later than --until');
  }
  const said = ({ ms, date }: Given) => (timeZone === undefined ? undefined : date) ?? String(ms);
  return {
    ...(from === undefined ? {} : { from: said(from) }),
    ...(until === undefined ? {} : { to: said(until) }),
    ...(timeZone === undefined ? {} : { timeZone }),
  };
}

/** Instead of both: a month. */
export interface MonthFlags extends PeriodFlags {
  readonly month?: Pick<PeriodFlags, 'from' | 'until'>;
}

export function addMonth(command: Command): Command {
  return command.option(
    '--month <MONTH>',
    'only in this month, such as 2026-10 (of UTC, where there is no --time-zone)',
    month,
  );
}

/** A period as `periodQuery` gives it, or a month. Throws `CommandFailure` when there are both. */
export function monthQuery({
  month: whole,
  from,
  until,
  timeZone,
}: MonthFlags): Readonly<Record<string, string>> {
  const zone = timeZone === undefined ? {} : { timeZone };
  const period = { ...(from === undefined ? {} : { from }), ...(until === undefined ? {} : { until }) };
  if (whole === undefined) return periodQuery({ ...period, ...zone });
  if (Object.keys(period).length > 0) throw usageError('give either --month, or --from and --until');
  return periodQuery({ ...whole, ...zone });
}

function month(text: string): Pick<PeriodFlags, 'from' | 'until'> {
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined) throw new InvalidArgumentError('expected a month, such as 2026-10');
  return {
    from: beginningOf(Number(year), Number(number) - 1),
    until: beginningOf(Number(year), Number(number)),
  };
}

function beginningOf(year: number, monthIndex: number): Given {
  const ms = Date.UTC(year, monthIndex);
  return { ms, date: new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length) };
}

function given(text: string): Given {
  const ms = moment(text);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? { ms, date: text } : { ms };
}
