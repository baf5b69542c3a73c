/** Prometheus' text format, as far as a test needs it: metrics with their types, and their samples. */

export interface MetricSample {
  /** A histogram's has an ending, such as `_bucket`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ShownMetric {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

const SAMPLE = /^(\w+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** By name. Throws at a sample that stands under no metric, or under another one. */
export function parseMetrics(text: string): Map<string, ShownMetric> {
  const metrics = new Map<string, ShownMetric & { samples: MetricSample[] }>();
  let help = '';
  let current = '';
  for (const line of text.split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\w+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') help = rest;
    if (kind === 'TYPE') {
      if (metrics.has(name)) throw new Error(`${name} comes twice`);
      current = name;
      metrics.set(name, { type: rest, help, samples: [] });
    }
    const [, sample, labels = '', value] = SAMPLE.exec(line) ?? [];
    if (sample === undefined) continue;
    if (!sample.startsWith(current)) throw new Error(`${sample} stands under ${current}`);
    const named = Array.from(labels.matchAll(LABEL), ([, label = '', text = '']) => [label, text] as const);
    metrics
      .get(current)
      ?.samples.push({ name: sample, labels: Object.fromEntries(named), value: Number(value) });
  }
  return metrics;
}

/** The sum of a metric's samples that have these labels; a histogram's by the whole name. */
export function sumOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const all = Array.from(parseMetrics(text).values()).flatMap(({ samples }) => samples);
  return all
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
