/**
 * The refusal of a change to a product that isn't as it was when the change was made. `product` is the product in its
 * turn.
 */

import type { ProductSnapshot } from '../loop/snapshot.ts';
import { Rejection } from './rejection.ts';

export class ChangedMeanwhile extends Rejection {
  readonly product: ProductSnapshot;

  constructor(product: ProductSnapshot) {
    super('CHANGED_MEANWHILE');
    this.product = product;
  }
}
