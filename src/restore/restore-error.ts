/** It can't be restored. The message is one line that says why and what to do. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
}
