/**
 * SPEC.md §4 and §8: a product of a supplier that never answers. It has 15 s, as nothing else is set; then nothing is
 * charged. The only cases that wait so long.
 */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { casesOf } from './scene.ts';
import { supplierScene, testFailure, testUnpaid } from './supplier-scene.ts';

const SUPPLIER_TIMEOUT_MS = 15_000;

export const silentSupplier = casesOf('products of a silent supplier', (scene) => {
  const supplied = supplierScene(scene);
  after(() => assert.ok(scene.answers.seen.has('POST /orders 504 PROVIDER_TIMEOUT')));
  testFailure(supplied, 'silent', 504, 'PROVIDER_TIMEOUT', 2, SUPPLIER_TIMEOUT_MS);
  testUnpaid(supplied, 'silent', 504, 'PROVIDER_TIMEOUT');
});
