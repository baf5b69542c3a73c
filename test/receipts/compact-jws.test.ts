/** Compact JWS and the shop's key, against the examples of RFC 8037, and against texts that somebody altered. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signJws, verifyJws } from '../../src/receipts/compact-jws.ts';
import { PublicKeys, SigningKey } from '../../src/receipts/signing-key.ts';

const TYPE = 'test+jws';
/** RFC 8037, appendix A. */
const RFC = {
  seed: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  thumbprint: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  signed: 'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc',
  signature: 'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
};

const key = SigningKey.fromSeed(Buffer.from(RFC.seed, 'base64url'));
const keys = new PublicKeys([key.jwk]);
const stranger = SigningKey.fromSeed(Buffer.alloc(32, 7));
const text = signJws(key, TYPE, '{"orderId":17}');
const [header = '', payload = '', signature = ''] = text.split('.');

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Signed by the shop's key, whatever the header says. */
function signedUnder(head: object): string {
  const signed = `${encoded(head)}.${payload}`;
  return `${signed}.${key.sign(Buffer.from(signed)).toString('base64url')}`;
}

describe('compact JWS', () => {
  test('the key, its id and its signatures are those of RFC 8037', () => {
    assert.deepEqual([key.jwk.x, key.kid], [RFC.x, RFC.thumbprint]);
    assert.equal(key.sign(Buffer.from(RFC.signed)).toString('base64url'), RFC.signature);
  });

  test('what was signed comes back', () => {
    const verified = verifyJws(text, TYPE, keys);
    assert.equal('payload' in verified && verified.payload.toString(), '{"orderId":17}');
    assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), {
      alg: 'EdDSA',
      kid: key.kid,
      typ: TYPE,
    });
  });

  const head = { alg: 'EdDSA', kid: key.kid, typ: TYPE };
  const refused: readonly (readonly [name: string, text: string, reason: RegExp])[] = [
    ['a text', 'hello', /not a compact JWS/],
    ['a part more', `${text}.AA`, /not a compact JWS/],
    ['plain base64', `${header}.${payload}.${signature.replace(/.$/, '+')}`, /not a compact JWS/],
    ['a line feed inside', `${header}.\n${payload}.${signature}`, /not a compact JWS/],
    ['another payload', `${header}.${encoded({ orderId: 18 })}.${signature}`, /signature is wrong/],
    ['another’s key under this id', signJws(stranger, TYPE, '{}').replace(/^[^.]*/, header), /signature/],
    ['another’s key', signJws(stranger, TYPE, '{"orderId":17}'), /key that is not this shop’s/],
    ['another type', signJws(key, 'other+jws', '{"orderId":17}'), /type is not test\+jws/],
    ['no algorithm', signedUnder({ ...head, alg: 'none' }), /algorithm is not EdDSA/],
    ['a secret as the key', signedUnder({ ...head, alg: 'HS256' }), /algorithm is not EdDSA/],
    ['what must be understood', signedUnder({ ...head, crit: ['b64'], b64: false }), /algorithm/],
    ['a header that is no JSON', `AAAA.${payload}.${signature}`, /type is not/],
  ];
  test('what is altered is refused', () => {
    for (const [name, altered, reason] of refused) {
      const verified = verifyJws(altered, TYPE, keys);
      assert.match('reason' in verified ? verified.reason : 'it was taken', reason, name);
    }
  });
});
