import type { StoredRefusal } from '../../src/engine/orders.ts';

/** A refusal that a key repeats; its key is for whoever needs one to say. */
export const REFUSAL: StoredRefusal = {
  accountId: 1,
  idempotencyKey: '',
  productId: 1,
  quantity: 1,
  expectedPriceUsdt: 1,
  recipientUsername: null,
  requestNumber: 0,
  code: 'NOT_FOUND',
  currentPriceMicros: null,
};
