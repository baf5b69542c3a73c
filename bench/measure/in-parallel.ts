/** Calls `work` for every element, `atMost` at a time, and rejects with the first failure. */
export async function inParallel<T>(
  elements: readonly T[],
  atMost: number,
  work: (element: T, index: number) => Promise<void>,
): Promise<void> {
  const entries = elements.entries();
  const takeTurns = async (): Promise<void> => {
    for (const [index, element] of entries) await work(element, index);
  };
  await Promise.all(Array.from({ length: Math.min(atMost, elements.length) }, takeTurns));
}
