/** Signatures (SPEC.md §6), held against the recorded vectors, and those of Standard Webhooks against its libraries. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { signatureOf } from '../../src/outgoing/signature.ts';
import { deliveryHeaders } from '../../src/webhooks/delivery/delivery-headers.ts';
import { newWebhookSecret, standardSecret } from '../../src/webhooks/webhook-secret.ts';
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

/** By each library, of the body and headers of a delivery; throws when it refuses them. */
const LIBRARIES = { standardwebhooks: StandardWebhook, svix: SvixWebhook } as const;

for (const [name, Webhook] of Object.entries(LIBRARIES))
  test(`${name} verifies deliveries with the secret in its form, and refuses others`, () => {
    const secret = newWebhookSecret();
    const task = { eventType: 'order.completed', eventId: 'evt_17', requestId: 'x' } as const;
    const body = '{"orderId":41,"note":"☃ é","eventId":"evt_17","type":"order.completed"}';
    const headersAt = (signedAtMs: number) => deliveryHeaders(task, secret, Buffer.from(body), signedAtMs);
    const nowMs = Date.now();
    const webhook = new Webhook(standardSecret(secret));
    assert.deepEqual(webhook.verify(body, headersAt(nowMs)), JSON.parse(body));
    const refused: [what: string, verify: () => unknown][] = [
      ['another body', () => webhook.verify(body.replace('41', '42'), headersAt(nowMs))],
      ['another id', () => webhook.verify(body, { ...headersAt(nowMs), 'webhook-id': 'evt_18' })],
      ['ten minutes ago', () => webhook.verify(body, headersAt(nowMs - 600_000))],
      [
        'another secret',
        () => new Webhook(standardSecret(newWebhookSecret())).verify(body, headersAt(nowMs)),
      ],
    ];
    for (const [what, verify] of refused) assert.throws(verify, what);
  });
