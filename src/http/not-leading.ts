/**
 * The error that leaves in the place of a leader's reply once its lease has ended. No leader is named, as none is known
 * then.
 */
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
