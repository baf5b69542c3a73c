/**
 * A metric at one scrape, as the library prints it; the library's own counters would look labels up at every increment.
 */
import type { Metric, MetricValue } from 'prom-client';
import type { HistogramFigures } from '../../metrics/histogram.ts';

type Labels = Readonly<Record<string, string | number>>;

/** A value and its labels, and the series' own name where it isn't the metric's. */
export interface Sample {
  readonly value: number;
  readonly labels?: Labels;
  readonly metricName?: string;
}

export type MetricRow = readonly [name: string, help: string, value: number | readonly Sample[]];

/** A histogram of a metric, under its labels. */
export interface HistogramSample {
  readonly labels?: Labels;
  readonly figures: HistogramFigures;
}

/** `unit` is what one of the metric's units is in the figures: 1,000 for milliseconds that are shown as seconds. */
export type HistogramRow = readonly [
  name: string,
  help: string,
  unit: number,
  histograms: HistogramFigures | readonly HistogramSample[],
];

export const MS_IN_SECONDS = 1_000;

/** One sample for each count, by what `label` says of it. */
export function samplesBy(label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([value, count]) => ({ labels: { [label]: value }, value: count }));
}

/** A name that ends in `_total` is a counter's, any other a gauge's. */
export function metricOf([name, help, value]: MetricRow): Metric {
  const samples = typeof value === 'number' ? [{ value }] : value;
  return metric(name, help, name.endsWith('_total') ? 'counter' : 'gauge', samples);
}

export function histogramOf([name, help, unit, histograms]: HistogramRow): Metric {
  const all = 'bounds' in histograms ? [{ figures: histograms }] : histograms;
  return metric(
    name,
    help,
    'histogram',
    all.flatMap((each) => samplesOf(name, unit, each)),
  );
}

function samplesOf(name: string, unit: number, { labels = {}, figures }: HistogramSample): Sample[] {
  const { bounds, counts, count, sum } = figures;
  const bucket = (le: string | number, value: number): Sample => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le },
    value,
  });
  return [
    ...bounds.map((bound, at) => bucket(bound / unit, counts[at] ?? 0)),
    bucket('+Inf', count),
    { metricName: `${name}_sum`, labels, value: sum / unit },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

function metric(name: string, help: string, type: string, values: readonly Sample[]): Metric {
  const get = async () => ({ name, help, type, values: values as MetricValue<string>[], aggregator: 'sum' });
  // A registry asks a metric for its name and for `get`, and the types name the library's own classes only.
  return { name, get } as unknown as Metric;
}
