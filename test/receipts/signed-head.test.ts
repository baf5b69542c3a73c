/** Signed heads: what is vouched for comes back, and a receipt or an altered text is no head. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signJws } from '../../src/receipts/compact-jws.ts';
import { RECEIPT_TYPE } from '../../src/receipts/receipt-claims.ts';
import { type HeadClaims, isHeadOf, signHead, verifyHead } from '../../src/receipts/signed-head.ts';
import { PublicKeys, SigningKey } from '../../src/receipts/signing-key.ts';

const key = SigningKey.fromSeed(Buffer.alloc(32, 1));
const keys = new PublicKeys([key.jwk]);
const HEAD: HeadClaims = {
  shop: 'ab'.repeat(16),
  epoch: 2,
  position: { seq: 17, hash: 'cd'.repeat(32) },
  at: 1_790_000_000_000,
};

test('a signed head says what was signed', () => {
  assert.deepEqual(verifyHead(signHead(key, HEAD), keys), { head: HEAD });
});

const [header, , signature] = signHead(key, HEAD).split('.');
const later = Buffer.from(JSON.stringify({ ...HEAD, at: 0 })).toString('base64url');
const refused: readonly (readonly [name: string, text: string, reason: RegExp])[] = [
  ['a receipt', signJws(key, RECEIPT_TYPE, JSON.stringify(HEAD)), /type is not purser-head\+jws/],
  ['an altered head', [header, later, signature].join('.'), /signature is wrong/],
  ['a stranger’s head', signHead(SigningKey.fromSeed(Buffer.alloc(32, 2)), HEAD), /not this shop’s/],
];
for (const [name, text, reason] of refused) {
  test(`no head: ${name}`, () => {
    const verified = verifyHead(text, keys);
    assert.match('reason' in verified ? verified.reason : 'it was taken', reason);
  });
}

test('another head counts as this one when it is signed and speaks of the same position', () => {
  const { position } = HEAD;
  const otherHash = { ...position, hash: 'ff'.repeat(32) };
  assert.ok(isHeadOf(signHead(key, { ...HEAD, at: HEAD.at + 1 }), HEAD, keys));
  assert.ok(!isHeadOf(signHead(key, { ...HEAD, position: otherHash }), HEAD, keys));
  assert.ok(!isHeadOf(signHead(key, { ...HEAD, epoch: HEAD.epoch + 1 }), HEAD, keys));
  assert.ok(!isHeadOf(signHead(key, HEAD).slice(0, -10), HEAD, keys));
});
