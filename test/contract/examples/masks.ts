/** What differs from run to run, as the recorded examples have it instead: alike for the eye, and valid by the schemas. */

/** The beginning of 2026. */
const AT = 1_767_225_600_000;
const HEX = '4f0c2b9d7e6a1835';
const MOST_ROWS = 3;

/** Figures of the machine and of time, by the name of the field. */
const FIGURES: Readonly<Record<string, number>> = {
  ...{ durationMs: 41, p50Ms: 1.4, p99Ms: 2.9, perSecond: 0.2, seconds: 60, lagSeconds: 0 },
  ...{ freeBytes: 53_687_091_200, totalBytes: 107_374_182_400, port: 8080, bytes: 48_211 },
  ...{ seq: 30, journalPosition: 63, checkpointPosition: 40 },
  ...{ drillAgeSeconds: 3_600, lastHour: 1 },
};

const POSITION = { seq: 51, hash: HEX.repeat(4) };

const TEXTS: Readonly<Record<string, string>> = {
  transport: 'uws',
  requestId: `req_${AT}_21`,
  keyPrefix: `pk_live_${HEX.slice(0, 12)}`,
  masterKeyId: HEX.slice(0, 8),
  previousMasterKeyId: HEX.slice(8),
  masterKey: `${'A'.repeat(43)}=`,
  standardWebhooksSecret: `whsec_${Buffer.from(`whsec_live_${HEX.repeat(4)}`).toString('base64')}`,
  secretMasked: `***${HEX.slice(0, 4)}`,
  day: '2026-01-01',
  nextCursor: '250',
  kid: HEX.slice(0, 8),
  x: 'A'.repeat(43),
};

const PATTERNS: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, () => 'eyJhbGciOiJFZERTQSJ9.eyJvcmRlcklkIjoxfQ.c2lnbmF0dXJl'],
  [/[0-9a-f]{16,}/g, (found) => HEX.repeat(4 + found.length / 16).slice(0, found.length)],
  [/\b1[6-9]\d{11}\b|(?<=_)1[6-9]\d{11}(?=_|$)/g, () => String(AT)],
  [/req_\d+_\d+/g, () => `req_${AT}_21`],
  [/http:\/\/127\.0\.0\.1:\d+/g, () => 'https://codes.example'],
  [/^\d{5}$/g, () => '8080'],
  [/\/tmp\/[^/"]+/g, () => '/var/lib/purser'],
];

export function masked<Value>(value: Value, field = ''): Value {
  return maskedValue(value, field) as Value;
}

function maskedValue(value: unknown, field: string): unknown {
  if (typeof value === 'number') return maskedNumber(value, field);
  if (typeof value === 'string') return TEXTS[field] ?? maskedText(value);
  if (Array.isArray(value)) {
    const isOfRows = typeof value[0] === 'object';
    return (isOfRows ? value.slice(0, MOST_ROWS) : value).map((row) => maskedValue(row, field));
  }
  if (typeof value !== 'object' || value === null) return value;
  if (field === 'position') return POSITION;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskedValue(inner, name)]));
}

function maskedNumber(value: number, field: string): number {
  // No figure of a shop that is a minute old is as large.
  if (value > AT / 2) return AT;
  return FIGURES[field] ?? value;
}

function maskedText(text: string): string {
  return PATTERNS.reduce((rest, [form, replaced]) => rest.replaceAll(form, replaced), text);
}
