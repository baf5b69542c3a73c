/** A fact that doesn't fit the state: the process must stop rather than go on from a state that is wrong. */
export class BrokenInvariantError extends Error {
  override readonly name = 'BrokenInvariantError';
}

export function assertThat(condition: boolean, otherwise: string): void {
  if (!condition) throw new BrokenInvariantError(otherwise);
}
