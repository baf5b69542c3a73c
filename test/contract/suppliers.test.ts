/** What suppliers deliver, that no text of theirs is sold twice, and what operators see of it. */
import { onEachTransport } from './scene.ts';
import { suppliedDuplicates } from './supplied-duplicates.cases.ts';
import { suppliedProduct } from './supplied-product.cases.ts';
import { supplierPurchases } from './supplier-purchases.cases.ts';

onEachTransport([suppliedProduct, supplierPurchases], {
  flags: ['--supplier-poll', '50ms', '--supplier-stock-refresh', '50ms', '--log-level', 'warn'],
  onOneTransport: [suppliedDuplicates],
});
