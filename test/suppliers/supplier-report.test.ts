/** Long reports of suppliers, which are read in slices. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signatureOf } from '../../src/outgoing/signature.ts';
import { SupplierReports, type SupplierReportsOptions } from '../../src/suppliers/supplier-report.ts';

const SUPPLIER = 7;
const REFERENCE = 'pur_1_1';
const NOW_MS = 1_700_000_000_000;
const LONG = Buffer.from(
  JSON.stringify({ reference: REFERENCE, status: 'delivered', items: Array(20_000).fill('a code') }),
);

/** `onOpen` is told each time a secret is read. */
function reportsOf(secret: () => string, onOpen: () => void): SupplierReports {
  const supplierPurchase = { supplierId: SUPPLIER };
  return new SupplierReports({
    engine: {
      state: {
        suppliers: { get: () => ({ profile: { sealedSecret: secret() } }) },
        supplierPurchases: { ofReference: () => supplierPurchase },
      },
    },
    secrets: {
      open: (sealed: string) => {
        onOpen();
        return sealed;
      },
    },
    endings: { hear: async () => 'heard' },
    clock: () => NOW_MS,
  } as unknown as SupplierReportsOptions);
}

test('a long report counts for nothing when its secret was changed while it was parsed', async () => {
  const signature = signatureOf('old', NOW_MS, REFERENCE, LONG);
  const kept = reportsOf(
    () => 'old',
    () => {},
  );
  assert.equal(await kept.hear(SUPPLIER, signature, LONG), 'heard');
  let secret = 'old';
  const changed = reportsOf(
    () => secret,
    () => {
      secret = 'new';
    },
  );
  assert.equal(await changed.hear(SUPPLIER, signature, LONG), 'forged');
});
