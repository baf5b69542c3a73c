/** The document's opening words, in Markdown. Its table is made from the errors'. */
import { type BuyerErrorCode, ERROR_GUIDE } from '../error-guide.ts';
import { ERROR_STATUS } from '../errors.ts';

const OPENING = `
Every request but those marked as open carries the API key, as \`X-API-Key: …\` or \`Authorization: Bearer …\`.
There is no test environment: every purchase spends real balance.

Answers are JSON with \`success\` and \`requestId\` (also in the header \`X-Request-Id\`). An error has a stable code in
\`error\`; programs branch on it alone. Amounts are JSON numbers in USDT. Ignore fields that you do not know: new ones
may appear, and within v1 none is removed or changed. GET is answered to HEAD too, without the body.

Allow 30 seconds for a purchase and 15 for any other call. After a time-out, a broken connection, 429 or 500, send the
same purchase with the same \`Idempotency-Key\`: it happens exactly once.

## Errors

"Same key" tells of a purchase whether its \`Idempotency-Key\` may be sent again, to be tried once more; where it says
no, the key repeats this answer, and the next attempt needs a new one.
`;

/** The same stands in the buyer guide. */
export const ERROR_TABLE = errorTable();

export const API_DESCRIPTION = `${OPENING.trim()}\n\n${ERROR_TABLE}`;

function errorTable(): string {
  const rows = Object.entries(ERROR_GUIDE).map(([code, guide]) => {
    const sameKey = guide.mayRetrySameKey ? 'yes' : 'no';
    const status = ERROR_STATUS[code as BuyerErrorCode];
    return `| \`${code}\` | ${status} | ${guide.when} | ${sameKey} | ${guide.charged} | ${guide.action} |`;
  });
  return [
    '| error | HTTP | when | same key | charged | what to do |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
