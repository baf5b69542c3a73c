/** What a node of a cluster answers that does not lead, or whose lease has ended. */
import { API_ERRORS } from '../engine/api-errors.ts';
import { type ApiError, apiError } from './errors.ts';
import { errorJson, jsonHeaders } from './reply.ts';

/** Who leads, as far as this node knows. */
export interface Leader {
  readonly node: string;
  /** The buyers' origin. */
  readonly url: string;
}

const ERROR = apiError('NOT_LEADING');
/** Long enough for a hand-over, short enough for a buyer. */
const RETRY_AFTER = [['retry-after', '1']] as const;

export function notLeading(leader: Leader | null): ApiError {
  const named = leader === null ? null : { node: leader.node, url: leader.url };
  return { ...ERROR, fields: { leader: named }, headers: RETRY_AFTER };
}

/** The same as a whole reply. */
export function notLeadingReply(requestId: string, leader: Leader | null) {
  const error = notLeading(leader);
  return {
    status: API_ERRORS[error.code].status,
    headers: jsonHeaders(requestId, error.headers),
    body: errorJson(requestId, error),
  };
}
