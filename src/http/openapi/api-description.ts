/**
 * A document's description of its API as a whole, and the words that errors have in it. The buyers' and the operators'
 * are in `buyer-description.ts` and `operator-description.ts`.
 */
import { API_ERRORS, type ErrorCode } from '../../engine/api-errors.ts';
import type { Tags } from '../operation.ts';
import type { RecordedCalls } from './recorded-call.ts';

/** The words on an error: one sentence each, in Markdown. */
export interface ErrorWords {
  readonly when: string;
  readonly action: string;
  /** The message to people when nobody says it more precisely: plain text. */
  readonly message: string;
}

export interface ApiDescription {
  readonly title: string;
  /** The version of the API, not of the program. */
  readonly version: string;
  /** One line. */
  readonly summary: string;
  /** Markdown. Its last section is `ERRORS_HEADING`, which the page shows at its end. */
  readonly description: string;
  readonly securitySchemes: Readonly<Record<string, object>>;
  readonly tags: Tags;
  readonly recorded: RecordedCalls;
  readonly wordsOf: (code: ErrorCode) => ErrorWords;
}

/** The page splits the description here. */
export const ERRORS_HEADING = '## Errors';

/** Whether a purchase that is answered this error was charged by that request. */
export function charged(code: ErrorCode): 'no' | 'unknown' {
  return API_ERRORS[code].charge === 'unknown' ? 'unknown' : 'no';
}
