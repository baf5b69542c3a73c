/**
 * Refusals of a query before its call is handled: a text that isn't UTF-8, and a field that would be lost without a
 * word.
 */
import { MAX_REASON_LENGTH } from '../../engine/limits.ts';
import { type ApiError, badRequest } from '../errors.ts';

/** The error of a query, as it was sent, that isn't UTF-8, since it would be read, and kept, as another text. */
export function encodingError(query: string): ApiError | undefined {
  const bad = query.split('&').find((field) => !isUtf8(field));
  if (bad === undefined) return undefined;
  const name = JSON.stringify(bad.replace(/=.*/s, '').slice(0, 80));
  return badRequest(`The field ${name} of the query is not valid UTF-8 with percent-encoding.`);
}

/** A `%` that begins no byte stands for itself, as URLSearchParams has it. */
function isUtf8(encoded: string): boolean {
  try {
    decodeURIComponent(encoded.replace(/%(?![0-9a-f]{2})/gi, '%25'));
    return !/[\u0080-\uffff]/.test(encoded);
  } catch {
    return false;
  }
}

/** The error of a query: a field that the route doesn't know, one that comes twice, or too long a reason. */
export function queryError(query: URLSearchParams, known: readonly string[]): ApiError | undefined {
  const seen = new Set<string>();
  for (const [field, value] of query) {
    if (!known.includes(field)) {
      const list = known.length === 0 ? 'This call knows none' : `This call knows: ${known.join(', ')}`;
      return badRequest(
        `The query has a field that is not known here, ${JSON.stringify(field.slice(0, 80))}. ${list}.`,
      );
    }
    if (seen.has(field)) return badRequest(`The query has the field ${field} twice: send it once.`);
    seen.add(field);
    if (field === 'reason' && (value === '' || Array.from(value).length > MAX_REASON_LENGTH)) {
      return badRequest(`reason must have 1 to ${MAX_REASON_LENGTH} characters.`);
    }
  }
  return undefined;
}
