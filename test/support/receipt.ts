/** Receipts as a buyer reads them, by the function that docs/receipts.md shows, as it stands there. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ReceiptClaims } from '../../src/receipts/receipt-claims.ts';
import type { PublicJwk } from '../../src/receipts/signing-key.ts';
import { repositoryRoot } from './repository-root.ts';

type ReadReceipt = (receipt: string, keys: readonly PublicJwk[]) => ReceiptClaims;

const DOCS = join(repositoryRoot(), 'docs');

/** Proves the signature, and that the claims are as `receipt-claims.schema.json` says. */
export const readReceipt: ReadReceipt = await documented();

async function documented(): Promise<ReadReceipt> {
  const [, code] = /```js\n(.*?)```/s.exec(readFileSync(join(DOCS, 'receipts.md'), 'utf8')) ?? [];
  assert.ok(code);
  const module = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const schema = JSON.parse(readFileSync(join(DOCS, 'receipt-claims.schema.json'), 'utf8'));
  const ajv = new Ajv2020({ allErrors: true });
  const validate = ajv.compile({ ...schema, additionalProperties: false });
  return (receipt, keys) => {
    const claims: ReceiptClaims = module.readReceipt(receipt, keys);
    assert.ok(validate(claims), ajv.errorsText(validate.errors));
    return claims;
  };
}
