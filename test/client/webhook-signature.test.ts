/** SPEC.md §6 on the receiver's side, by recorded deliveries whose signatures another program has computed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyWebhook, WebhookVerificationError } from 'purser/client';
import { repositoryRoot } from '../support/repository-root.ts';

interface Vector {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly nowMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly expect: string;
}

const file = readFileSync(join(repositoryRoot(), 'docs', 'webhook-vectors.json'), 'utf8');
const { vectors } = JSON.parse(file) as { vectors: readonly Vector[] };
const [genuine] = vectors;
assert.ok(genuine);

for (const { name, secrets, nowMs, headers, body, expect } of vectors) {
  test(`${name}: ${expect}`, async () => {
    const result = await verifyWebhook({ headers, body, secret: secrets, now: nowMs }).catch(reasonOf);
    assert.deepEqual(result, expect === 'valid' ? JSON.parse(body) : expect);
  });
}

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

for (const [name, givenHeaders, givenBody] of shapes) {
  test(`a delivery may be given as ${name}`, async () => {
    const event = await verifyWebhook({
      headers: givenHeaders,
      body: givenBody,
      secret: secrets,
      now: nowMs,
    });
    assert.deepEqual(event, JSON.parse(body));
  });
}

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
