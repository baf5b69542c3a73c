/** A change was refused because what it was made from is not so any more. It has the product as it is in its turn. */
import { Rejection } from './rejection.ts';
import type { ProductSnapshot } from './snapshot.ts';

export class ChangedMeanwhile extends Rejection {
  readonly product: ProductSnapshot;

  constructor(product: ProductSnapshot) {
    super('CHANGED_MEANWHILE');
    this.product = product;
  }
}
