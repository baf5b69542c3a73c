/**
 * Names and skus are single lines of text: they go into signatures, headers of lists and logs, where a line break
 * would begin something else.
 */
import { type ApiError, badRequest } from '../errors.ts';

/** Control characters, and the two of Unicode that break lines without being one. */
const UNFIT = /[\p{Cc}\u2028\u2029]/u;

/** The error of a field's text that isn't one line; undefined when it is, or there is none. */
export function notOneLine(field: string, text: string | null | undefined): ApiError | undefined {
  if (text == null || !UNFIT.test(text)) return undefined;
  return badRequest(`${field} must be one line, without line breaks, tabs or other control characters.`);
}
