/** An error that stops a restore. The message is one line that says why and what to do. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
}
