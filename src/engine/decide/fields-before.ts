/** Previous values of changed fields: facts carry them, for nobody can ask for them later. */

/** The fields of `before` that are others in `after`, but for those in `without`; nothing when there are none. */
export function fieldsBefore<Row extends object>(
  before: Row,
  after: Row,
  without: readonly (keyof Row)[] = [],
): { readonly before?: Partial<Row> } {
  const names = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof Row)[]);
  const changed = [...names].filter(
    (name) =>
      !without.includes(name) &&
      before[name] !== after[name] &&
      JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (changed.length === 0) return {};
  // What wasn't there has to be said, too: JSON has no undefined.
  const fields = changed.map((name) => [name, before[name] ?? null]);
  return { before: Object.fromEntries(fields) as Partial<Row> };
}
