/** Signed heads: what is vouched for comes back, and a receipt is no head. What is altered: `compact-jws.test.ts`. */
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
  const receipt = verifyHead(signJws(key, RECEIPT_TYPE, JSON.stringify(HEAD)), keys);
  assert.match('reason' in receipt ? receipt.reason : 'it was taken', /type is not purser-head\+jws/);
});

test('another head counts as this one when it is signed and speaks of the same position', () => {
  const { position } = HEAD;
  const otherHash = { ...position, hash: 'ff'.repeat(32) };
  assert.ok(isHeadOf(signHead(key, { ...HEAD, at: HEAD.at + 1 }), HEAD, keys));
  assert.ok(!isHeadOf(signHead(key, { ...HEAD, position: otherHash }), HEAD, keys));
  assert.ok(!isHeadOf(signHead(key, { ...HEAD, epoch: HEAD.epoch + 1 }), HEAD, keys));
  assert.ok(!isHeadOf(signHead(key, HEAD).slice(0, -10), HEAD, keys));
});
