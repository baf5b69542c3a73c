/** The opening words of the operators' document, in Markdown, and what errors mean to operators. */
import { API_ERRORS, type ErrorCode } from '../../engine/api-errors.ts';
import { type ApiDescription, ERRORS_HEADING, type ErrorWords } from './api-description.ts';
import { OPERATOR_CALLS } from './recorded-examples.ts';

const OVERVIEW = `
Whoever runs a node manages it here: accounts and their money, products and stock, orders, suppliers, webhooks, and the
node itself. This listener is for operators alone: keep it private. It answers who calls it by an IP address, as
\`localhost\`, or by a name of \`--operator-name\`, and no page of another origin.

**Who may call.** Every request but those marked as open carries an operator's token, or that of a session which was made
of one, as \`Authorization: Bearer …\`. Each call says which roles may make it; \`owner\` may make all of them.

| role | for |
|---|---|
| \`metrics\` | scrapers |
| \`viewer\` | whoever only looks, without texts of items |
| \`support\` | orders and webhooks, with texts of items |
| \`stock\` | catalog and stock |
| \`finance\` | money |
| \`owner\` | accounts, keys, suppliers, operators, and all of the above |

**Requests.** A field that a call does not know is refused with 400, in bodies and in queries. What changes something takes a
\`reason\`, which is kept with the change. \`from\` is in a period, \`to\` is not; both are a date (\`2026-10-31\`, its
beginning in UTC), RFC 3339, or Unix milliseconds.

A session does not last longer by a request with \`X-Unattended: true\`: for pages that ask by themselves, while nobody may
be there.

**Answers** are JSON with \`success\` and \`requestId\` (also in the header \`X-Request-Id\`). An error has a stable code in
\`error\`: programs must look at it, not at the message. Amounts are JSON numbers in USDT, times are Unix milliseconds.
Ignore fields that you do not know: new ones may appear. HEAD is answered like GET, without the body. Every answer tells
browsers to take it for nothing but its type, to run nothing of it, and to store it nowhere.

**Pages.** A listing has \`nextCursor\` as long as there may be more: send it as \`cursor\`, with the same filters.
`;

/** Where an error means something else to operators than to buyers. */
const WORDS: Partial<Record<ErrorCode, Partial<Omit<ErrorWords, 'message'>>>> = {
  UNAUTHORIZED: {
    when: 'The token, or the code, is missing, wrong, used, replaced, revoked or expired.',
    action: 'Send a token that counts as `Authorization: Bearer …`.',
  },
  FORBIDDEN: {
    when: 'The role of the operator may not make this call, nobody but `root` may while sales are closed after a restore, or the listener is not called by this name, or from this page; the message says which.',
    action:
      'Use the token of an operator with a role that the message names, or call the listener as it says.',
  },
  NOT_FOUND: { when: 'There is no such thing, or no such route; the message says which.' },
  INSUFFICIENT_BALANCE: {
    when: 'The wallet has less than the call takes.',
    action: 'Credit the account, then try again.',
  },
  PRICE_CHANGED: { action: 'Look whether `currentPriceUsdt` is right, and send it.' },
  OUT_OF_STOCK: {
    when: 'There are fewer items than it takes.',
    action: 'Add stock, then try again, with the same key if there is one.',
  },
  IDEMPOTENCY_CONFLICT: {
    when: 'The key or reference was used before, for something else.',
    action: 'Use a new one for something new.',
  },
  RATE_LIMITED: {
    when: 'Too many wrong tokens came from this address, or the node has too much to do.',
    action: 'Wait as many seconds as the header Retry-After says, then send it again.',
  },
  INTERNAL_ERROR: {
    when: 'The server failed to answer, for example because its disk is full.',
    action: 'Look at the log of the node, which has the `requestId`; try again when it is mended.',
  },
  PURCHASE_FAILED: {
    when: 'The supplier did not deliver; nothing was charged.',
    action: 'The order is still `processing`: pay it again, or fail it.',
  },
  PROVIDER_TIMEOUT: {
    when: 'The supplier did not answer in time; nothing was charged.',
    action: 'The order is still `processing`: pay it again later, or fail it.',
  },
  SALES_CLOSED: {
    when: 'The folder was restored from a backup, and sales are closed.',
    action: 'Close the gap, decide on what was restored, and open sales.',
  },
  NOT_LEADING: { action: 'Send it to the leader, or again after a second.' },
};

/** Errors of calls that buyers alone make. */
const BUYERS_ALONE: readonly ErrorCode[] = [
  'IDEMPOTENCY_UNRESOLVED',
  'DELIVERY_NOT_READY',
  'WEBHOOK_SECRET_UNREADABLE',
  'EVENTS_GONE',
];

function wordsOf(code: ErrorCode): ErrorWords {
  const { when, action } = { ...API_ERRORS[code], ...WORDS[code] };
  return { when, action, message: `${when} ${action}`.replaceAll('`', '') };
}

const ERROR_TABLE = [
  '| error | HTTP | when | what to do |',
  '|---|---|---|---|',
  ...(Object.keys(API_ERRORS) as ErrorCode[])
    .filter((code) => !BUYERS_ALONE.includes(code))
    .map((code) => {
      const { when, action } = wordsOf(code);
      return `| \`${code}\` | ${API_ERRORS[code].status} | ${when} | ${action} |`;
    }),
].join('\n');

export const OPERATOR_API: ApiDescription = {
  title: 'Purser operator API',
  version: '1.0.0',
  summary: 'Run a node that sells digital goods.',
  description: [OVERVIEW.trim(), ERRORS_HEADING, ERROR_TABLE].join('\n\n'),
  securitySchemes: {
    operatorToken: {
      type: 'http',
      scheme: 'bearer',
      description: "An operator's token, or a session's; that of the owner `root` is in the data folder.",
    },
  },
  tags: {
    Accounts: 'Buyers and their keys.',
    Money: 'Wallets, statements and the money report.',
    Products: 'What is sold.',
    Prices: 'Price lists, own prices of accounts, and what a product costs whom.',
    Deposits: 'Transfers that customers pay with: what they are to pay, and what came.',
    Stock: 'Items, lots, and where a text went.',
    Orders: 'What was bought, and what becomes of it.',
    Restore: 'What a restore has left open, and how it is closed.',
    Suppliers: 'Who delivers what own stock does not have.',
    Webhooks: 'How events reached the buyers.',
    Operators: 'Who may call this API, and what they did.',
    Node: 'The node itself.',
  },
  recorded: OPERATOR_CALLS,
  wordsOf,
};
