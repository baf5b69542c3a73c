/**
 * Prometheus' text of metrics, read into families: the figures that a person looks for, under their names, with their
 * meaning.
 *
 * Buckets of histograms are left out: the count, the mean and an estimate of p99 say more to a reader.
 */
import { sizeText } from '../../parts/size.ts';
import { localTime } from '../../parts/time.tsx';

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly series: readonly Series[];
}

export interface Series {
  /** `route="orders"`; empty without labels. */
  readonly labels: string;
  readonly value: string;
}

interface Gathered {
  readonly name: string;
  readonly help: string;
  readonly isHistogram: boolean;
  readonly samples: Sample[];
}

interface Sample {
  readonly suffix: string;
  readonly labels: string;
  readonly value: number;
}

const HEAD = /^# (HELP|TYPE) (\S+) ?(.*)$/;
const SAMPLE = /^([\w:]+)(?:\{(.*)\})? (\S+)/;
const BUCKET_BOUND = /(?:^|,)le="([^"]*)"/;

/** The families of the shop first, then those that every Node process has. */
export function familiesIn(text: string): readonly Family[] {
  const families: Gathered[] = [];
  let help = '';
  for (const line of text.split('\n')) {
    const [, kind, name = '', rest = ''] = HEAD.exec(line) ?? [];
    if (kind === 'HELP') help = rest;
    else if (kind === 'TYPE') {
      families.push({ name, help, isHistogram: rest === 'histogram', samples: [] });
      help = '';
    } else addSample(families.at(-1), line);
  }
  return inOrder(families).map(({ name, help: words, isHistogram, samples }) => ({
    name,
    help: words,
    series: isHistogram
      ? histogramSeries(name, samples)
      : samples.map(({ labels, value }) => ({ labels, value: valueText(name, value) })),
  }));
}

function inOrder(families: readonly Gathered[]): readonly Gathered[] {
  const isOwn = ({ name }: Gathered) => name.startsWith('purser_');
  return [...families.filter(isOwn), ...families.filter((family) => !isOwn(family))];
}

function addSample(family: Gathered | undefined, line: string): void {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
  if (family === undefined || name === undefined || !name.startsWith(family.name)) return;
  family.samples.push({ suffix: name.slice(family.name.length), labels, value: Number(value) });
}

interface Histogram {
  count: number;
  sum: number;
  /** Cumulative, as they come. */
  readonly buckets: { readonly bound: number; readonly count: number }[];
}

function histogramSeries(name: string, samples: readonly Sample[]): readonly Series[] {
  const byLabels = new Map<string, Histogram>();
  for (const { suffix, labels, value } of samples) {
    const own = labels.replace(BUCKET_BOUND, '').replace(/^,/, '');
    const histogram = byLabels.get(own) ?? { count: 0, sum: 0, buckets: [] };
    byLabels.set(own, histogram);
    if (suffix === '_count') histogram.count = value;
    else if (suffix === '_sum') histogram.sum = value;
    else histogram.buckets.push({ bound: boundIn(labels), count: value });
  }
  return Array.from(byLabels, ([labels, histogram]) => ({ labels, value: histogramText(name, histogram) }));
}

function boundIn(labels: string): number {
  const bound = BUCKET_BOUND.exec(labels)?.[1];
  return bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
}

function histogramText(name: string, { count, sum, buckets }: Histogram): string {
  if (count === 0) return 'none';
  const beyond = buckets.filter(({ bound }) => Number.isFinite(bound)).at(-1)?.bound ?? 0;
  const bound = buckets.find((bucket) => bucket.count >= count * 0.99)?.bound ?? beyond;
  const p99 = Number.isFinite(bound) ? `≤ ${valueText(name, bound)}` : `> ${valueText(name, beyond)}`;
  return `${plain(count)} times, mean ${valueText(name, sum / count)}, p99 ${p99}`;
}

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

function plain(value: number): string {
  return Number.isFinite(value) ? NUMBER.format(value) : String(value);
}

/** The unit is at the end of the name, before `_total`. */
function valueText(name: string, value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const unit = name
    .replace(/_total$/, '')
    .split('_')
    .at(-1);
  if (unit === 'seconds') return secondsText(name, value);
  if (unit === 'bytes') return sizeText(value);
  return plain(value);
}

function secondsText(name: string, value: number): string {
  if (name.endsWith('_time_seconds')) return localTime(value * 1_000);
  return value !== 0 && Math.abs(value) < 1 ? `${plain(value * 1_000)} ms` : `${plain(value)} s`;
}
