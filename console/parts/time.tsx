/** Moments: shown in the reader's zone, with UTC as a title. Always the same length, so that columns stand still. */
import { beat } from '../shell/pulse.ts';

/** No change of clocks is larger. */
const CHANGE_MS = 3 * 3_600_000;

export function localTime(atMs: number): string {
  const at = new Date(atMs);
  const [year, month, day] = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits);
  const [hour, minute, second] = [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits);
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`;
}

/** The reader's, as `Europe/Berlin`. */
export function zoneName(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The id of the element that says the zone, once on each screen. */
export const ZONE_ID = 'zone-of-times';

export function ZoneOfTimes() {
  return (
    <p class="hint" id={ZONE_ID}>
      Times are of {zoneName()}
    </p>
  );
}

/** As the API and the command line take it; empty while what is typed, a date or a date and a time, is no moment. */
export function utcOf(typed: string): string {
  // A date without a time would be one of UTC.
  const atMs = Date.parse(typed.length === 10 ? `${typed}T00:00` : typed);
  return Number.isNaN(atMs) ? '' : new Date(atMs).toISOString().replace('.000Z', 'Z');
}

/** `at` is in Unix milliseconds. */
export function Time({ at }: { readonly at: number }) {
  const utc = new Date(at).toISOString();
  return (
    <time dateTime={utc} title={`${utc.replace('T', ' ').slice(0, 19)} UTC`}>
      {localTime(at)}
      {isTwice(at) && <small>{` ${offsetOf(at)}`}</small>}
    </time>
  );
}

/** Whether clocks are set back and show this time once more, or have shown it before: then it needs its offset. */
function isTwice(atMs: number): boolean {
  return [-CHANGE_MS, CHANGE_MS].some((away) => {
    const shiftMs = (minutesBehind(atMs + away) - minutesBehind(atMs)) * 60_000;
    return shiftMs !== 0 && localTime(atMs + shiftMs) === localTime(atMs);
  });
}

/** As `+02:00`. */
function offsetOf(atMs: number): string {
  const minutes = -minutesBehind(atMs);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map(twoDigits);
  return `${minutes < 0 ? '−' : '+'}${hours}:${rest}`;
}

/** UTC is ahead of the reader's zone by this. */
function minutesBehind(atMs: number): number {
  return new Date(atMs).getTimezoneOffset();
}

/** How long ago, kept up by the pulse. */
export function Ago({ at }: { readonly at: number }) {
  void beat.value;
  return (
    <time dateTime={new Date(at).toISOString()} title={localTime(at)}>
      {`${spanOf(Date.now() - at)} ago`}
    </time>
  );
}

/** `4 s`, `12 min`, `3 h`, `5 d`. */
export function spanOf(lengthMs: number): string {
  const seconds = Math.max(0, Math.round(lengthMs / 1_000));
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0');
}
