/**
 * Durations as people write them in flags, the environment and the configuration file: a whole number and
 * one unit, `100ms`, `10s`, `5m`, `6h`, `7d`. A number without a unit is not a duration: nobody should have to
 * guess whether 10 means seconds.
 */

const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

/** Eight digits of days are still an exact integer of milliseconds. */
const DURATION = /^(\d{1,8})(ms|s|m|h|d)$/;

/** Milliseconds, or undefined when `text` is not a duration. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  return Number(match[1]) * UNITS_MS[match[2] as keyof typeof UNITS_MS];
}

/** The shortest way to write `durationMs` (a whole number, at least 0) that `parseDuration` reads back. */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return '0s';
  for (const [unit, unitMs] of Object.entries(UNITS_MS)) {
    if (durationMs % unitMs === 0) return `${durationMs / unitMs}${unit}`;
  }
  throw new RangeError(`a duration is a whole number of milliseconds, not ${durationMs}`);
}
