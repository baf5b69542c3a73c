/** What a delivery carries (SPEC.md §6), held against the recorded vectors and the receiver's side. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyWebhook } from 'purser/client';
import { signatureOf } from '../../src/outgoing/signature.ts';
import { deliveryHeaders } from '../../src/webhooks/delivery/delivery-headers.ts';
import { newWebhookSecret } from '../../src/webhooks/webhook-secret.ts';
import { repositoryRoot } from '../support/repository-root.ts';

interface Vector {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly expect: string;
}

const PLAIN = /^t=(\d+),v1=[\da-f]{64}$/;

const file = readFileSync(join(repositoryRoot(), 'docs', 'webhook-vectors.json'), 'utf8');
const { vectors } = JSON.parse(file) as { vectors: readonly Vector[] };
const plain = vectors.filter(
  ({ expect, secrets, headers }) =>
    expect === 'valid' && secrets.length === 1 && PLAIN.test(headers['X-Service-Signature'] ?? ''),
);

test('signatures are the recorded ones, of every event', () => {
  assert.ok(plain.length >= 5);
  for (const { name, secrets, headers, body } of plain) {
    const recorded = headers['X-Service-Signature'] ?? '';
    const signedAtMs = Number(PLAIN.exec(recorded)?.[1]);
    const deliveryId = headers['X-Service-Delivery'] ?? '';
    const signature = signatureOf(secrets[0] ?? '', signedAtMs, deliveryId, Buffer.from(body));
    assert.equal(signature, recorded, name);
  }
});

test('a delivery has the headers of SPEC.md §6, and a receiver believes it', async () => {
  const secret = newWebhookSecret();
  const body = Buffer.from('{"orderId":41,"eventId":"evt_17","type":"order.completed"}');
  const task = { eventType: 'order.completed', eventId: 'evt_17', requestId: 'req_9' } as const;
  const headers = deliveryHeaders(task, secret, body, 1_767_225_600_000);
  const { 'X-Service-Signature': signature, ...others } = headers;
  assert.deepEqual(others, {
    'Content-Type': 'application/json',
    'User-Agent': 'Purser-BuyerAPI/1.0',
    'X-Request-Id': 'req_9',
    'X-Service-Event': 'order.completed',
    'X-Service-Delivery': 'evt_17',
  });
  assert.match(signature ?? '', /^t=1767225600000,v1=[\da-f]{64}$/);
  const event = await verifyWebhook({ headers, body, secret, now: 1_767_225_600_000 });
  assert.deepEqual(event, { orderId: 41, eventId: 'evt_17', type: 'order.completed' });
});
