/**
 * Metrics in Prometheus's text format. By hand, because prom-client's own metrics count what they are told one by one,
 * and ours are counted elsewhere, some of them in another thread.
 */

/** What stands behind the metric's name, such as labels, and the value. */
export type Sample = readonly [suffix: string, value: number];

export interface DurationCounts {
  /** Ascending. */
  readonly boundsMs: readonly number[];
  /** One for each bound: how many values are at most that. */
  readonly counts: readonly number[];
  readonly count: number;
  readonly sumMs: number;
}

/** `help` has no line ends, and labels' values neither quotes nor line ends. A name in `_total` is a counter's. */
export function metricText(
  name: string,
  help: string,
  samples: readonly Sample[],
  type = typeOf(name),
): string {
  const lines = samples.map(([suffix, value]) => `${name}${suffix} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

/** In seconds. */
export function histogramText(name: string, help: string, durations: DurationCounts): string {
  const { boundsMs, counts, count, sumMs } = durations;
  const buckets = boundsMs.map(
    (boundMs, at): Sample => [`_bucket{le="${boundMs / 1_000}"}`, counts[at] ?? 0],
  );
  const totals: Sample[] = [
    ['_bucket{le="+Inf"}', count],
    ['_sum', sumMs / 1_000],
    ['_count', count],
  ];
  return metricText(name, help, [...buckets, ...totals], 'histogram');
}

function typeOf(name: string): string {
  return name.endsWith('_total') ? 'counter' : 'gauge';
}
