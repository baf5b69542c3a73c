/** The opening words of the buyers' document, in Markdown. Its table is made from the errors'. */
import { API_ERRORS, ERROR_MESSAGES, type ErrorCode, isBuyers } from '../../engine/api-errors.ts';
import { type ApiDescription, charged, ERRORS_HEADING } from './api-description.ts';
import { BUYER_CALLS } from './recorded-examples.ts';

const OVERVIEW = `
Every request but those marked as open carries the API key, as \`X-API-Key: …\` or \`Authorization: Bearer …\`.
There is no test environment: every purchase spends real balance.

Answers are JSON with \`success\` and \`requestId\` (also in the header \`X-Request-Id\`). An error has a stable code in
\`error\`: programs must look at it, not at the message. Amounts are JSON numbers in USDT. Ignore fields that you do not know: new ones
may appear, and within v1 none is removed or changed. HEAD is answered like GET, without the body.

Allow 30 seconds for a purchase and 15 for any other call. After a time-out, a broken connection, 429 or 500, send the
same purchase with the same \`Idempotency-Key\`: it happens exactly once.
`;

const OF_ERRORS = `
The column "same key" is for purchases. Yes: the same \`Idempotency-Key\` may be sent again, and the purchase is tried
once more. No: the key repeats this answer, and the next attempt needs a new key.
`;

const BUYERS_ERRORS = (Object.keys(API_ERRORS) as ErrorCode[]).filter(isBuyers);

/** The table of errors, which is in the buyer guide as well. */
export const ERROR_TABLE = [
  '| error | HTTP | when | same key | charged | what to do |',
  '|---|---|---|---|---|---|',
  ...BUYERS_ERRORS.map((code) => {
    const { status, when, action, mayRetrySameKey } = API_ERRORS[code];
    const sameKey = mayRetrySameKey ? 'yes' : 'no';
    return `| \`${code}\` | ${status} | ${when} | ${sameKey} | ${charged(code)} | ${action} |`;
  }),
].join('\n');

export const BUYER_API: ApiDescription = {
  title: 'Purser buyer API',
  // SPEC.md §1, §9.
  version: '1.0.0',
  summary: 'Buy digital goods from a prepaid USDT wallet.',
  description: [OVERVIEW.trim(), ERRORS_HEADING, OF_ERRORS.trim(), ERROR_TABLE].join('\n\n'),
  securitySchemes: {
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'The API key. It spends the wallet: keep it on your servers.',
    },
    bearer: { type: 'http', scheme: 'bearer', description: 'The same key, as a bearer token.' },
  },
  tags: {
    Catalog: 'What can be bought.',
    Wallet: 'What can be spent.',
    Orders: 'Buy, and read what was bought.',
    Webhooks: 'Where events are sent.',
    Service: 'The service itself; no API key is needed.',
  },
  recorded: BUYER_CALLS,
  wordsOf: (code) => ({ ...API_ERRORS[code], message: ERROR_MESSAGES[code] }),
};
