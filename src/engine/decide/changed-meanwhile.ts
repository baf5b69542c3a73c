/**
 * The refusal of a change to a product that isn't as it was when the change was made. `product` is the product in its
 * turn.
 */

import type { ProductCopy } from '../loop/row-copy.ts';
import { Rejection } from './rejection.ts';

export class ChangedMeanwhile extends Rejection {
  readonly product: ProductCopy;

  constructor(product: ProductCopy) {
    super('CHANGED_MEANWHILE');
    this.product = product;
  }
}
