/**
 * The windows of a `report.json`, checked: only these are read, so that files of other builds and other programs can be
 * compared as long as their windows are sound. Fields that aren't known are passed over.
 */
import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import type { ResultWindow } from '../report/results.ts';

/** A system of another build may have a name that this one doesn't know. */
export type ReportWindow = Omit<ResultWindow, 'system'> & { readonly system: string };

/** The error of a report that can't be read. The message is a sentence for the user. */
export class UnreadableReportError extends Error {
  override name = 'UnreadableReportError';
}

/** The schema of a measure. One that wasn't measured is `null` in JSON. */
const measure = { type: ['number', 'null'], minimum: 0 } as const;
const count = { type: 'number', minimum: 0 } as const;

const isReport = new Ajv({ allowUnionTypes: true }).compile({
  type: 'object',
  required: ['windows'],
  properties: {
    windows: {
      type: 'array',
      items: {
        type: 'object',
        required: [
          'system',
          'scenario',
          'connections',
          'round',
          'purchasesPerSecond',
          'answersPerSecond',
          'p50Ms',
          'p99Ms',
          'p999Ms',
          'disturbed',
        ],
        properties: {
          system: { type: 'string', minLength: 1 },
          scenario: { type: 'string', minLength: 1 },
          connections: count,
          round: count,
          perSecond: measure,
          fromMs: measure,
          start: measure,
          purchasesPerSecond: measure,
          answersPerSecond: measure,
          p50Ms: measure,
          p99Ms: measure,
          p999Ms: measure,
          lastLoserMs: measure,
          soldOutMs: measure,
          firstPurchaseMs: measure,
          disturbed: { type: 'boolean' },
        },
      },
    },
  },
});

/** Throws `UnreadableReportError`. */
export async function readReportWindows(file: string): Promise<readonly ReportWindow[]> {
  let report: unknown;
  try {
    report = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message;
    throw new UnreadableReportError(`${file} can't be read: ${reason}`);
  }
  if (!isReport(report)) {
    const [wrong] = isReport.errors ?? [];
    const place = (wrong?.instancePath ?? '')
      .replaceAll(/\/(\d+)/g, '[$1]')
      .replaceAll('/', '.')
      .slice(1);
    throw new UnreadableReportError(
      `${file} is no report of a run: ${place === '' ? 'it' : place} ${wrong?.message ?? 'is wrong'}`,
    );
  }
  return (report as { windows: ReportWindow[] }).windows;
}
