/**
 * Figures as metrics that prom-client writes: made anew at each scrape, because its own count what they are told one by
 * one, and ours are counted elsewhere, some of them in another thread.
 */
import type { Metric, MetricValue } from 'prom-client';
import type { HistogramFigures } from '../webhooks/outbox/thread/delivery-figures.ts';

/** A value and its labels, and the series' own name where it isn't the metric's. */
export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

export type MetricRow = readonly [name: string, help: string, value: number | readonly Sample[]];

/** A name that ends in `_total` is a counter's, any other a gauge's. */
export function metricOf([name, help, value]: MetricRow): Metric {
  const samples = typeof value === 'number' ? [{ value }] : value;
  return metric(name, help, name.endsWith('_total') ? 'counter' : 'gauge', samples);
}

/** In seconds. */
export function histogramOf(name: string, help: string, durations: HistogramFigures): Metric {
  const { boundsMs, counts, count, sumMs } = durations;
  const bucket = (le: string | number, value: number): Sample => ({
    metricName: `${name}_bucket`,
    labels: { le },
    value,
  });
  return metric(name, help, 'histogram', [
    ...boundsMs.map((boundMs, at) => bucket(boundMs / 1_000, counts[at] ?? 0)),
    bucket('+Inf', count),
    { metricName: `${name}_sum`, value: sumMs / 1_000 },
    { metricName: `${name}_count`, value: count },
  ]);
}

function metric(name: string, help: string, type: string, values: readonly Sample[]): Metric {
  const get = async () => ({ name, help, type, values: values as MetricValue<string>[], aggregator: 'sum' });
  // A registry asks a metric for its name and for `get`, and the types name the library's own classes only.
  return { name, get } as unknown as Metric;
}
