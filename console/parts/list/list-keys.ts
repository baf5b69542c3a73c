/** Which row a key leads to, or undefined when the key is not for the list. */
export function indexAfterKey(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  active: number,
  count: number,
  pageRows: number,
): number | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  const leads: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + pageRows - 1,
    PageUp: active - pageRows + 1,
    Home: 0,
    End: count - 1,
  };
  const to = leads[key];
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}
