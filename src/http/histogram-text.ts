/**
 * A histogram that another thread has counted, in Prometheus's text format: prom-client's own counts what it is told
 * one by one, and can't be given counts.
 */

export interface DurationCounts {
  /** Ascending. */
  readonly boundsMs: readonly number[];
  /** One for each bound: how many values are at most that. */
  readonly counts: readonly number[];
  readonly count: number;
  readonly sumMs: number;
}

/** In seconds. `help` has no line ends. */
export function histogramText(
  name: string,
  help: string,
  { boundsMs, counts, count, sumMs }: DurationCounts,
): string {
  const buckets = boundsMs.map((boundMs, at) => `${name}_bucket{le="${boundMs / 1_000}"} ${counts[at] ?? 0}`);
  const lines = [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} histogram`,
    ...buckets,
    `${name}_bucket{le="+Inf"} ${count}`,
    `${name}_sum ${sumMs / 1_000}`,
    `${name}_count ${count}`,
  ];
  return `\n${lines.join('\n')}\n`;
}
