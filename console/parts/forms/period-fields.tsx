/**
 * From and Before of a list: days of the reader's zone, as the times beside them are, which each screen names. Days of UTC
 * were rejected: what somebody bought this morning would not be of today.
 *
 * The address has the moment at which a day begins, in UTC: so it lists the same for whoever opens it. A moment that is no
 * beginning of a day here, as of an address from another zone, is shown with its time.
 */
import { useId } from 'preact/hooks';
import { queryField, setQuery } from '../../shell/router.ts';
import { localTime, utcOf, ZONE_ID } from '../time.tsx';

export function PeriodFields() {
  return (
    <>
      <MomentFilter label="From" name="from" />
      <MomentFilter label="Before" name="to" />
    </>
  );
}

interface MomentFilterProps {
  readonly label: string;
  /** The name of the query's field, which the API takes as it is. */
  readonly name: string;
}

function MomentFilter({ label, name }: MomentFilterProps) {
  const id = useId();
  const atMs = momentOf(queryField(name));
  const change = (typed: string) => {
    const chosen = utcOf(typed);
    // Of a year that is being typed, digit by digit.
    if (Date.parse(chosen) < 0) return;
    setQuery({ [name]: chosen });
  };
  const isDay = atMs === undefined || isBeginningOfDay(atMs);
  const shown = atMs === undefined ? '' : localTime(atMs);
  return (
    <div>
      <label for={id}>{label}</label>
      <input
        id={id}
        aria-describedby={ZONE_ID}
        type={isDay ? 'date' : 'datetime-local'}
        step={isDay ? undefined : 1}
        max={isDay ? '9999-12-31' : '9999-12-31T23:59:59'}
        value={isDay ? shown.slice(0, 10) : shown.replace(' ', 'T')}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
    </div>
  );
}

/** For the name of a file: `2026-10-31`, with its time when it is no beginning of a day. */
export function momentInName(field: string): string {
  const atMs = momentOf(field);
  if (atMs === undefined) return '';
  const words = localTime(atMs);
  return isBeginningOfDay(atMs) ? words.slice(0, 10) : words.replace(' ', '-').replaceAll(':', '');
}

/** As the API understands it: Unix milliseconds, RFC 3339, or a date of UTC. Undefined when it is none. */
function momentOf(field: string): number | undefined {
  const atMs = /^[0-9]{11,}$/.test(field) ? Number(field) : Date.parse(field);
  return Number.isNaN(new Date(atMs).getTime()) ? undefined : atMs;
}

/** In some zones and years a day begins at one o’clock. */
function isBeginningOfDay(atMs: number): boolean {
  return new Date(atMs).setHours(0, 0, 0, 0) === atMs;
}
