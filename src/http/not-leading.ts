/** What leaves in the place of a leader's reply once its lease has ended: who leads isn't known then. */
import { API_ERRORS } from '../engine/api-errors.ts';
import { notLeading } from './errors.ts';
import { errorJson, jsonHeaders } from './reply.ts';

export function notLeadingReply(requestId: string) {
  const error = notLeading(null);
  return {
    status: API_ERRORS[error.code].status,
    headers: jsonHeaders(requestId, error.headers),
    body: errorJson(requestId, error),
  };
}
