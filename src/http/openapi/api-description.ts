/** The document's opening words, in Markdown. Its table is made from the errors'. */
import { API_ERRORS, type BuyerErrorCode, type ErrorCode, isBuyers } from '../../engine/api-errors.ts';

const OPENING = `
Every request but those marked as open carries the API key, as \`X-API-Key: …\` or \`Authorization: Bearer …\`.
There is no test environment: every purchase spends real balance.

Answers are JSON with \`success\` and \`requestId\` (also in the header \`X-Request-Id\`). An error has a stable code in
\`error\`: programs must look at it, not at the message. Amounts are JSON numbers in USDT. Ignore fields that you do not know: new ones
may appear, and within v1 none is removed or changed. HEAD is answered like GET, without the body.

Allow 30 seconds for a purchase and 15 for any other call. After a time-out, a broken connection, 429 or 500, send the
same purchase with the same \`Idempotency-Key\`: it happens exactly once.

## Errors

The column "same key" is for purchases. Yes: the same \`Idempotency-Key\` may be sent again, and the purchase is tried
once more. No: the key repeats this answer, and the next attempt needs a new key.
`;

/** Whether a purchase that is answered this error was charged by that request. */
export function charged(code: BuyerErrorCode): 'no' | 'unknown' {
  return API_ERRORS[code].charge === 'unknown' ? 'unknown' : 'no';
}

const BUYERS_ERRORS = (Object.keys(API_ERRORS) as ErrorCode[]).filter(isBuyers);

/** The same stands in the buyer guide. */
export const ERROR_TABLE = [
  '| error | HTTP | when | same key | charged | what to do |',
  '|---|---|---|---|---|---|',
  ...BUYERS_ERRORS.map((code) => {
    const { status, when, action, mayRetrySameKey } = API_ERRORS[code];
    const sameKey = mayRetrySameKey ? 'yes' : 'no';
    return `| \`${code}\` | ${status} | ${when} | ${sameKey} | ${charged(code)} | ${action} |`;
  }),
].join('\n');

export const API_DESCRIPTION = `${OPENING.trim()}\n\n${ERROR_TABLE}`;
