/** What uploads of any kind have in common. */
import { badRequest } from '../errors.ts';

/** An upload that sends nothing for this long is given up. */
export const UPLOAD_IDLE_TIMEOUT_MS = 30_000;

export const UPLOAD_INCOMPLETE = badRequest(
  'The upload was not complete, and nothing of it is kept: send it again.',
);
