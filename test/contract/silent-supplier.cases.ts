/**
 * SPEC.md §4: a product of a supplier that never answers. Servers leave suppliers one second in place of the 15 of
 * SPEC.md §8, and no other cases with suppliers share them: one that answers could take a second on a busy machine.
 */
import { casesOf } from './scene.ts';
import { supplierScene, testFailure, testUnpaid } from './supplier-scene.ts';

export const silentSupplier = casesOf('products of a silent supplier', (scene) => {
  const supplied = supplierScene(scene);
  testFailure(supplied, 'silent', 504, 'PROVIDER_TIMEOUT', 2);
  testUnpaid(supplied, 'silent', 504, 'PROVIDER_TIMEOUT');
});
