/** Somebody else ships to the target, or has shipped facts that this folder doesn't have. Nothing is shipped any more. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}
