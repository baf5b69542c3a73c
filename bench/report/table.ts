/** The rows of a run as text for a terminal: medians, and the least and most of what counts. */
import type { Spread } from '../measure/statistics.ts';
import { textTable } from '../measure/text-table.ts';
import { lateText } from '../scenarios/awaited.ts';
import type { SceneScenario } from '../scenarios/scenarios.ts';
import { isReference } from '../systems/system.ts';
import { type MeasureName, measureTitles } from './measures.ts';
import type { ResultRow } from './results.ts';

/** From here on the client itself may be what limits a row. */
const CLIENT_BOUND_SHARE = 0.9;

/** The figures for which a scene is run. */
const SCENES: Readonly<Record<SceneScenario, readonly MeasureName[]>> = {
  'flash-sale': ['winners', 'losers', 'lastLoserMs'],
  restock: ['firstWinnerMs', 'soldOutMs'],
  crash: ['firstPurchaseMs', 'lostOrders'],
};

export function printRows(rows: readonly ResultRow[]): string {
  const header = [
    'system',
    'scenario',
    'conn',
    'rate',
    'purchases/s (min–max)',
    'answers/s',
    'p50 ms',
    'p99 ms (min–max)',
    'p99.9 ms',
    'group',
    'of floor',
    'server cpu',
    'client cpu',
    'other cpu',
    'stolen',
    '',
  ];
  const table = textTable(header, rows.map(printRow));
  const notes = [
    rows.some((row) => row.disturbed) && 'd: other programs or the host disturbed every window of the row',
    rows.some(isClientBound) && '*: the load generator was busy itself; what it measured is a lower bound',
  ];
  return [table, ...notes.filter((note) => note !== false), ...scenesOf(rows)].join('\n');
}

/** A table for each scene that was run. */
function scenesOf(rows: readonly ResultRow[]): string[] {
  return Object.entries(SCENES).flatMap(([scenario, names]) => {
    const own = rows.filter((row) => row.scenario === scenario);
    if (own.length === 0) return [];
    const header = [scenario, 'conn', ...names.map((name) => measureTitles[name])];
    const cells = own.map((row) => [
      row.system,
      String(row.connections),
      ...names.map((name) => (row[name] && range(row[name], 0)) ?? lateText(scenario, name) ?? '–'),
    ]);
    return ['', textTable(header, cells)];
  });
}

function printRow(row: ResultRow): string[] {
  return [
    row.system,
    row.scenario,
    String(row.connections),
    row.perSecond === undefined ? '' : String(row.perSecond),
    isReference(row.system) ? '–' : range(row.purchasesPerSecond, 0),
    fixed(row.answersPerSecond, 0),
    fixed(row.p50Ms, 2),
    range(row.p99Ms, 2),
    fixed(row.p999Ms, 2),
    fixed(row.groupSize, 1),
    fixed(row.ofFloor, 2),
    percent(row.serverCpuShare),
    `${percent(row.clientCpuShare)}${isClientBound(row) ? '*' : ''}`,
    percent(row.otherCpuShare),
    percent(row.stolenShare),
    row.disturbed ? 'd' : '',
  ];
}

function isClientBound({ clientCpuShare }: ResultRow): boolean {
  return (clientCpuShare?.median ?? 0) > CLIENT_BOUND_SHARE;
}

function number(value: number, digits: number): string {
  return digits === 0 ? Math.round(value).toLocaleString('en') : value.toFixed(digits);
}

function fixed(value: Spread | undefined, digits: number): string {
  return value === undefined ? '–' : number(value.median, digits);
}

function range(value: Spread | undefined, digits: number): string {
  if (value === undefined) return '–';
  const { median, min, max } = value;
  return `${number(median, digits)} (${number(min, digits)}–${number(max, digits)})`;
}

function percent(value: Spread | undefined): string {
  return value === undefined ? '–' : `${Math.round(value.median * 100)}%`;
}
