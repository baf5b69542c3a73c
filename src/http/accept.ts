/**
 * The representation that a request prefers (RFC 9110 §12.5.1), by its header `Accept` with weights. A range that can't
 * be read says nothing; `text/csv;q=0` refuses CSV.
 */

const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

interface Range {
  readonly type: string;
  readonly weight: number;
}

/** Whether `accept` prefers `type` to `other`, the default. Among equals, the first that is named. */
export function isPreferred(type: string, other: string, accept: string | undefined): boolean {
  const ranges = (accept ?? '').split(',').flatMap(readRange);
  const weight = weightOf(type, ranges);
  const otherWeight = weightOf(other, ranges);
  if (weight !== otherWeight) return weight > otherWeight;
  const first = ranges.find((range) => range.type === type || range.type === other);
  return weight > 0 && first?.type === type;
}

/** The weight that the most exact range gives a media type; 0 when none fits. */
function weightOf(type: string, ranges: readonly Range[]): number {
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const name of [type, family, '*/*']) {
    const range = ranges.find((candidate) => candidate.type === name);
    if (range !== undefined) return range.weight;
  }
  return 0;
}

function readRange(text: string): Range[] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length) ?? '1';
  return WEIGHT.test(weight) ? [{ type, weight: Number(weight) }] : [];
}
