/** A small line of figures over time, drawn as SVG. The figures are in its name, for those who don't see it. */

const WIDTH = 240;
const HEIGHT = 48;

export interface SparkChartProps {
  /** The chart's content, with the newest figure: `Purchases a second: 12`. */
  readonly label: string;
  /** Oldest first; undefined where nothing was known. At least two to draw a line. */
  readonly figures: readonly (number | undefined)[];
  /** The least figure at the upper edge, so that noise about zero looks flat. */
  readonly least?: number;
  /** Whether the last figure is of a time that is not over: the line to it is dashed. */
  readonly isLastOpen?: boolean;
}

export function SparkChart({ label, figures, least = 1, isLastOpen = false }: SparkChartProps) {
  const most = Math.max(least, ...figures.map((figure) => figure ?? 0));
  const step = WIDTH / Math.max(1, figures.length - 1);
  const points = figures.map((figure, index) =>
    figure === undefined ? undefined : ([index * step, HEIGHT - 2 - (figure / most) * (HEIGHT - 4)] as const),
  );
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path class="area" d={areaOf(points)} />
      <path
        class="line"
        d={lineOf(isLastOpen ? points.slice(0, -1) : points)}
        vector-effect="non-scaling-stroke"
      />
      {isLastOpen && (
        <path class="line is-open" d={lineOf(points.slice(-2))} vector-effect="non-scaling-stroke" />
      )}
    </svg>
  );
}

type Points = readonly (readonly [number, number] | undefined)[];

function lineOf(points: Points): string {
  return points
    .map((point, index) => {
      if (point === undefined) return '';
      const isFirst = points[index - 1] === undefined;
      // A point that stands alone is a dot.
      return `${isFirst ? 'M' : 'L'}${point[0].toFixed(1)} ${point[1].toFixed(1)}${isFirst ? 'h0' : ''}`;
    })
    .join('');
}

/** The area under the line of the longest run at the end. */
function areaOf(points: Points): string {
  const begin = points.lastIndexOf(undefined) + 1;
  const run = points.slice(begin);
  const [first] = run;
  const last = run.at(-1);
  if (first === undefined || last === undefined || run.length < 2) return '';
  return `${lineOf(run)}L${last[0].toFixed(1)} ${HEIGHT}L${first[0].toFixed(1)} ${HEIGHT}Z`;
}
