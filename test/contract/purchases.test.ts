/** What POST /orders sells, at which numbers, and what it takes. */
import { purchase } from './purchase.cases.ts';
import { purchaseNumbers } from './purchase-numbers.cases.ts';
import { purchaseValidation } from './purchase-validation.cases.ts';
import { onEachTransport } from './scene.ts';

onEachTransport([purchase, purchaseNumbers, purchaseValidation]);
