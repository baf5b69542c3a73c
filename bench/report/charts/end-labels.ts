/**
 * Places labels one below the other beside the ends of lines: none covers another, and all together are moved as
 * little as possible (least squares, by pooling neighbours).
 */
interface EndLabel {
  /** Where its middle should be, in pixels from above. */
  readonly wanted: number;
  readonly height: number;
}

interface Pool {
  readonly members: number;
  /** Mean of where its members want the pool to begin. */
  readonly start: number;
}

/** The middles, in the order of `labels`. Between `top` and `bottom`, as far as there is room for all. */
export function placeLabels(labels: readonly EndLabel[], top: number, bottom: number): number[] {
  const order = labels.map((label, index) => ({ ...label, index })).sort((a, b) => a.wanted - b.wanted);
  // From the first label's upper edge down to each one's middle, when they lie close together.
  let total = 0;
  const depths = order.map(({ height }) => {
    total += height;
    return total - height / 2;
  });
  const pools: Pool[] = [];
  order.forEach(({ wanted }, place) => {
    let pool: Pool = { members: 1, start: wanted - (depths[place] ?? 0) };
    for (let above = pools.at(-1); above !== undefined && above.start > pool.start; above = pools.at(-1)) {
      pools.pop();
      const members = above.members + pool.members;
      pool = { members, start: (above.start * above.members + pool.start * pool.members) / members };
    }
    pools.push(pool);
  });
  const starts = pools.flatMap(({ members, start }) => Array.from({ length: members }, () => start));
  const placed: number[] = [];
  order.forEach(({ index }, place) => {
    const start = Math.max(top, Math.min(starts[place] ?? top, bottom - total));
    placed[index] = start + (depths[place] ?? 0);
  });
  return placed;
}
