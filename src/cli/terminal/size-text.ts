const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Decimal units, as disks and networks are measured. */
export function sizeText(sizeBytes: number): string {
  let value = sizeBytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}
