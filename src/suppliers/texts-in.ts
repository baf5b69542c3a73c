/** What a supplier names as items, in an answer or in a report: the list, when it is one of texts. */
export function textsIn(items: unknown): readonly string[] | undefined {
  return Array.isArray(items) && items.every((item) => typeof item === 'string') ? items : undefined;
}
