/**
 * SPEC.md §6 on the receiver's side, by recorded deliveries whose signatures another program has computed: what the
 * client's function takes beside what the table of cases gives it, and the receivers that docs/webhooks.md shows.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { verifyWebhook, WebhookVerificationError } from 'purser/client';
import { deliveryHeaders } from '../../src/webhooks/delivery/delivery-headers.ts';
import { newWebhookSecret, standardSecret } from '../../src/webhooks/webhook-secret.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

interface Vector {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly nowMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly expect: string;
}

const DOCS = join(repositoryRoot(), 'docs');
const { vectors } = JSON.parse(readFileSync(join(DOCS, 'webhook-vectors.json'), 'utf8')) as {
  vectors: readonly Vector[];
};
const [genuine] = vectors;
assert.ok(genuine);

const { headers, body, secrets, nowMs } = genuine;
const bytes = new TextEncoder().encode(body);
const lowerCase = Object.fromEntries(
  Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
);
const asMultiple = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));

const shapes: [
  name: string,
  headers: Parameters<typeof verifyWebhook>[0]['headers'],
  body: typeof bytes | ArrayBuffer | string,
][] = [
  ['a plain object and text', headers, body],
  ['Node’s lower-case headers and a Buffer', lowerCase, Buffer.from(body)],
  ['headers as lists', asMultiple, body],
  ['Headers and bytes', new Headers(headers), bytes],
  ['an ArrayBuffer', headers, bytes.buffer],
  ['a part of a larger buffer', headers, Buffer.from(`xx${body}yy`).subarray(2, -2)],
];

test('a delivery may be given in every shape that servers have', async () => {
  for (const [name, given, givenBody] of shapes) {
    const event = await verifyWebhook({ headers: given, body: givenBody, secret: secrets, now: nowMs });
    assert.deepEqual(event, JSON.parse(body), name);
  }
});

test('a header that came twice is refused, in every shape', async () => {
  for (const name of ['X-Service-Signature', 'X-Service-Delivery']) {
    const value = headers[name] ?? '';
    const twice = new Headers(headers);
    twice.append(name, value);
    for (const repeated of [twice, { ...headers, [name]: [value, value] }, { ...lowerCase, [name]: value }]) {
      const result = await verifyWebhook({ headers: repeated, body, secret: secrets, now: nowMs }).catch(
        reasonOf,
      );
      assert.match(String(result), /^(missing-header|malformed-signature|wrong-signature)$/);
    }
  }
});

test('the tolerance can be narrowed, and by default the real clock is asked', async () => {
  const late = { headers, body, secret: secrets, now: nowMs + 1_001 };
  assert.equal(await verifyWebhook({ ...late, toleranceMs: 1_000 }).catch(reasonOf), 'outside-tolerance');
  assert.ok(await verifyWebhook({ ...late, toleranceMs: 1_001 }));
  assert.equal(await verifyWebhook({ headers, body, secret: secrets }).catch(reasonOf), 'outside-tolerance');
});

test('the mistakes of a receiver are no refusals', async () => {
  const none = undefined as unknown as string;
  for (const secret of [none, '', [], [''], ['a', none]]) {
    await assert.rejects(verifyWebhook({ headers, body, secret, now: nowMs }), TypeError);
  }
  for (const parsed of [JSON.parse(body), none, 5]) {
    await assert.rejects(verifyWebhook({ headers, body: parsed, secret: secrets, now: nowMs }), TypeError);
  }
});

function reasonOf(error: unknown): string {
  if (error instanceof WebhookVerificationError) return error.reason;
  throw error;
}

/** Reads the vectors, and prints for each the event or null. */
const PYTHON_DRIVER = `
import json, sys
from receiver import verify
for vector in json.load(open(sys.argv[1], encoding='utf-8'))['vectors']:
    headers = {name.lower(): value for name, value in vector['headers'].items()}
    print(json.dumps(verify(headers, vector['body'].encode(), vector['secrets'], vector['nowMs'])))
`;

/** The code in a language that calls or is `what`. */
function receiverIn(language: string, what = 'verify(headers, body, secrets'): string {
  const page = readFileSync(join(DOCS, 'webhooks.md'), 'utf8');
  const blocks = Array.from(page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs')));
  const [receiver, ...more] = blocks.filter(([, code]) => code?.includes(what));
  assert.ok(receiver?.[1] !== undefined && more.length === 0, `one receiver in ${language}`);
  return receiver[1];
}

function assertVerdict({ name, body, expect }: Vector, event: unknown): void {
  if (expect === 'valid') assert.deepEqual(event, JSON.parse(body), name);
  else assert.equal(event ?? undefined, undefined, `${name} is ${expect}`);
}

describe('the receivers of docs/webhooks.md', () => {
  let folder: TemporaryFolder;

  before(async () => {
    folder = await createTemporaryFolder('receivers');
  });
  after(() => folder.remove());

  test('in Node', async () => {
    const file = join(folder.path, 'receiver.mjs');
    writeFileSync(file, receiverIn('js'));
    const { verify } = await import(pathToFileURL(file).href);
    for (const vector of vectors) {
      const { headers, body, secrets, nowMs } = vector;
      const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
      const lowerCase = Object.fromEntries(entries);
      assertVerdict(vector, verify(lowerCase, Buffer.from(body), secrets, nowMs));
    }
  });

  test('in Node, by a library of Standard Webhooks', async () => {
    const file = join(folder.path, 'standard.mjs');
    const library = import.meta.resolve('standardwebhooks');
    writeFileSync(
      file,
      receiverIn('js', 'webhook.verify(body, headers').replace('standardwebhooks', library),
    );
    const secret = newWebhookSecret();
    process.env.STANDARD_WEBHOOKS_SECRET = standardSecret(secret);
    const { verifyStandard } = await import(pathToFileURL(file).href);
    const body = Buffer.from('{"orderId":41,"eventId":"evt_17","type":"order.completed"}');
    const task = { eventType: 'order.completed', eventId: 'evt_17', requestId: 'x' } as const;
    const headers = deliveryHeaders(task, secret, body, Date.now());
    assert.deepEqual(verifyStandard(headers, body), JSON.parse(body.toString()));
    assert.throws(() => verifyStandard({ ...headers, 'webhook-id': 'evt_18' }, body));
  });

  test('in Python', (context) => {
    writeFileSync(join(folder.path, 'receiver.py'), receiverIn('python'));
    writeFileSync(join(folder.path, 'driver.py'), PYTHON_DRIVER);
    const args = ['-B', join(folder.path, 'driver.py'), join(DOCS, 'webhook-vectors.json')];
    const run = spawnSync('python3', args, { encoding: 'utf8', timeout: 30_000 });
    if (run.error !== undefined && 'code' in run.error && run.error.code === 'ENOENT') {
      context.skip('NOT TESTED: python3 is not installed, so the receiver in Python was not run');
      return;
    }
    assert.equal(run.status, 0, run.stderr);
    const events = run.stdout.trim().split('\n');
    assert.equal(events.length, vectors.length);
    for (const [index, vector] of vectors.entries()) assertVerdict(vector, JSON.parse(events[index] ?? ''));
  });
});
