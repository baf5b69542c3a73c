/** What suppliers deliver, that no text of theirs is sold twice, and what operators see of it. */
import { onEachTransport } from './scene.ts';
import { suppliedDuplicates } from './supplied-duplicates.cases.ts';
import { suppliedProduct } from './supplied-product.cases.ts';
import { supplies } from './supplies.cases.ts';

onEachTransport([suppliedProduct, supplies], {
  flags: ['--supplier-poll', '50ms', '--supplier-stock-refresh', '50ms', '--log-level', 'warn'],
  onOneTransport: [suppliedDuplicates],
});
