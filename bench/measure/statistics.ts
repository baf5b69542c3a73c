/** The few figures the report makes of several rounds. */

/** NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** How much `y` grows when `x` grows by one, by least squares; undefined without two different `x`. */
export function slope(points: readonly { readonly x: number; readonly y: number }[]): number | undefined {
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / points.length;
  const spreadX = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  if (!(spreadX > 0)) return undefined;
  return points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spreadX;
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Leaves out what wasn't measured; undefined when nothing was. */
export function spread(values: readonly (number | undefined)[]): Spread | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return undefined;
  return { median: median(known), min: Math.min(...known), max: Math.max(...known) };
}
