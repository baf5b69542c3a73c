/**
 * A receiver of webhooks over TLS, to watch what a node sends or to begin one of your own: it verifies, drops repeats,
 * prints each event, and answers 204. How to run it says docs/webhooks.md, "Try it".
 *
 * A real one differs: it stores the event, in the transaction that also remembers its id, before it answers; and it
 * does the work after that, not within the 10 seconds.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { parseArgs } from 'node:util';
import { verifyWebhook, WebhookVerificationError } from 'purser/client';

const USAGE =
  'usage: WEBHOOK_SECRET=whsec_live_… node receiver.mjs --cert cert.pem --key key.pem [--host 127.0.0.1] [--port 8443]';
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_REMEMBERED = 10_000;

const { values } = parseArgs({
  options: {
    cert: { type: 'string' },
    key: { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '8443' },
  },
});
/** Several, separated by commas, while one is being replaced by another. */
const secrets = (process.env.WEBHOOK_SECRET ?? '').split(',').filter((secret) => secret !== '');
if (values.cert === undefined || values.key === undefined || secrets.length === 0) {
  console.error(USAGE);
  process.exit(2);
}

/** Oldest first. */
const seen = new Set();

const server = createServer(
  { cert: readFileSync(values.cert), key: readFileSync(values.key) },
  async (request, response) => {
    try {
      const body = await bodyOf(request);
      const event = await verifyWebhook({ headers: request.headers, body, secret: secrets });
      console.log(isNew(event.eventId) ? JSON.stringify(event) : `repeated: ${event.eventId}`);
      response.writeHead(204).end();
    } catch (error) {
      console.log(`refused: ${error.message}`);
      response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
    }
  },
);
server.listen(Number(values.port), values.host, () => {
  console.log(`waiting for webhooks on https://${values.host}:${server.address().port}/`);
});

async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('the body is larger than any event');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isNew(eventId) {
  if (seen.has(eventId)) return false;
  seen.add(eventId);
  if (seen.size > MAX_REMEMBERED) seen.delete(seen.values().next().value);
  return true;
}
