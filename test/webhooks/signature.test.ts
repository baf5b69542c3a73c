/** Signatures (SPEC.md §6), held against the recorded vectors. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { signatureOf } from '../../src/outgoing/signature.ts';
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
