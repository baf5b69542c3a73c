/** The figures of each age, as text. */
import type { Spread } from '../measure/statistics.ts';
import type { AgeFigures, HistoryResult } from './history.ts';
import type { Sides } from './side-by-side.ts';

export function printHistory({ ages }: HistoryResult): string {
  return ages.map((age) => printAge(age)).join('\n\n');
}

function printAge(age: AgeFigures): string {
  const { perSecond, processorUs, halfLoadP99Ms, stopped, killed, oldest } = age;
  return [
    `${count(age.orders)} orders, ${count(age.codes)} codes (figures: median, least–most)`,
    `  purchases/s: ${sides(perSecond, 0)} (young: ${count(age.youngOrders)} orders at the end)`,
    `  processor µs a purchase: ${sides(processorUs, 1)}`,
    `  p99 ms at ${count(age.halfLoadPerSecond)}/s: ${sides(halfLoadP99Ms, 1)}`,
    `  start to ready, ms: empty ${age.emptyReadyMs.toFixed(0)}, after a stop ${range(stopped.ms, 0)}, after kill -9 ${range(killed.ms, 0)}`,
    `  processor ms until ready: after a stop ${range(stopped.processorMs, 0)}, after kill -9 ${range(killed.processorMs, 0)}`,
    ...printGrowth(age),
    `  oldest order, ms: ${range(oldest.orderMs, 1)}; oldest key, ms: ${range(oldest.keyMs, 1)}`,
    `  anonymous memory: ${memoryOf(age)}; ${age.bytesPerOrder?.toFixed(1) ?? '–'} bytes an order over the second half of the filling`,
    ...printDisk(age),
    '  first pages, ms (first time, median):',
    ...age.firstPages.map(
      ({ path, firstMs, medianMs }) => `    ${path}: ${firstMs.toFixed(1)}, ${medianMs.toFixed(1)}`,
    ),
  ].join('\n');
}

/** Allocated blocks. The stock's file has codes, all others orders. */
function printDisk({ disk, orders, codes }: AgeFigures): string[] {
  const isOfCodes = (file: string) => file.startsWith('stock');
  const ofOrders = disk.filter(({ file }) => !isOfCodes(file));
  const bytesPerOrder = ofOrders.reduce((sum, { bytes }) => sum + bytes, 0) / orders;
  const ofCodes = disk.filter(({ file }) => isOfCodes(file));
  const bytesPerCode = ofCodes.reduce((sum, { bytes }) => sum + bytes, 0) / codes;
  const each = disk
    .filter(({ bytes }) => bytes >= 1024 ** 2)
    .map(({ file, bytes }) => {
      const [by, per] = isOfCodes(file) ? [codes, 'a code'] : [orders, 'an order'];
      return `    ${file}: ${(bytes / 1024 ** 2).toFixed(0)} MiB, ${(bytes / by).toFixed(1)} bytes ${per}`;
    });
  return [`  disk: ${bytesPerOrder.toFixed(1)} bytes an order, ${bytesPerCode.toFixed(1)} a code`, ...each];
}

/** At the first age there is nothing to compare with. */
function printGrowth({ stopped, killed }: AgeFigures): string[] {
  if (stopped.growth === undefined && killed.growth === undefined) return [];
  return [
    `  start to ready by that of the first age, in turn: after a stop ${range(stopped.growth, 2)}, processor time ${range(stopped.processorGrowth, 2)}; after kill -9 ${range(killed.growth, 2)}, processor time ${range(killed.processorGrowth, 2)}`,
  ];
}

/** At the first and the last reading. */
function memoryOf({ memory }: AgeFigures): string {
  return [memory.at(0), memory.at(-1)]
    .map((point) => {
      const bytes = point?.anonymousBytes;
      return `${count(point?.orders ?? 0)}: ${bytes === undefined ? '–' : Math.round(bytes / 1024 ** 2)} MiB`;
    })
    .join(', ');
}

function sides({ young, old, ratio }: Sides, digits: number): string {
  return `young ${range(young, digits)}, old ${range(old, digits)}, old by young ${range(ratio, 2)}`;
}

function range(value: Spread | undefined, digits: number): string {
  if (value === undefined) return '–';
  const [median = '', min = '', max = ''] = [value.median, value.min, value.max].map((one) =>
    digits === 0 ? count(Math.round(one)) : one.toFixed(digits),
  );
  return `${median} (${min}–${max})`;
}

function count(value: number): string {
  return value.toLocaleString('en');
}
