/** Steps of the model of purchases: whatever may come to the engine, with few accounts, products and keys. */
import fc from 'fast-check';
import type { Command } from '../../../src/engine/decide/command.ts';

export const WORLD = { accounts: 2, products: 2, balanceMicros: 10_000_000, stock: 3 };
export const TYPES = ['standard', 'standard', 'file', 'manual', 'supplied'] as const;
export const SUPPLIED = TYPES.indexOf('supplied') + 1;
const CODES = ['OUT_OF_STOCK', 'PURCHASE_FAILED', 'PROVIDER_TIMEOUT', 'IDEMPOTENCY_UNRESOLVED'] as const;

export const accountId = fc.integer({ min: 1, max: 2 });
/** One more than there are. */
export const productId = fc.integer({ min: 1, max: TYPES.length + 1 });
/** Products that are sold from own stock alone. */
const stocked = fc.integer({ min: 1, max: 2 });
const quantity = fc.integer({ min: 1, max: 3 });
export const orderId = fc.integer({ min: 1, max: 8 });
export const supplierPurchaseId = fc.integer({ min: 1, max: 6 });
/** Keys of refunds and replacements. */
const key = fc.constantFrom('i', 'j', 'k', 'l');
/** One more than an order has. */
export const items = fc.constantFrom([0], [1], [2], [3], [0, 1], [1, 2], [0, 1, 2]);
export const count = fc.integer({ min: 0, max: 3 });
const no = fc.constant(null);

/** A command whose fields are known beforehand. */
export const of = <Kind extends Command['kind'], Fields>(
  kind: Kind,
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) => fc.record({ ...fields, kind: fc.constant(kind) }) as fc.Arbitrary<Fields & { kind: Kind }>;
/** The account only says whose turn it is. */
export const supplied = { accountId: fc.constant(1), productId: fc.constant(SUPPLIED), supplierPurchaseId };
const file = fc
  .constantFrom('x', 'y')
  .map((fileId) => ({ fileId, sizeBytes: 1, contentType: 'text/plain', sha256: '' }));
const micros = (usdt: fc.Arbitrary<number>) => usdt.map((amount) => amount * 1e6);

export const command = fc.oneof(
  {
    weight: 8,
    arbitrary: of('PlaceOrder', {
      ...{ accountId, productId, quantity, recipientUsername: no, requestNumber: fc.constant(0) },
      idempotencyKey: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      expectedPriceUsdt: fc.constantFrom(2, 4, 6, 3),
    }),
  },
  {
    weight: 2,
    arbitrary: of('OpenOrder', {
      ...{ accountId, productId, quantity, recipientUsername: no, requestNumber: fc.constant(0) },
    }),
  },
  { weight: 3, arbitrary: of('PayOrder', { orderId, expectedPriceUsdt: no }) },
  {
    weight: 3,
    arbitrary: of('CompleteOrder', { orderId, textCount: fc.nat(2), areTextsWritten: fc.constant(true) }),
  },
  { weight: 1, arbitrary: of('FailOrder', { orderId }) },
  { weight: 1, arbitrary: of('RefundOrder', { orderId, key }) },
  {
    weight: 2,
    arbitrary: of('RefundOrder', { orderId, key, amountMicros: micros(fc.integer({ min: 1, max: 4 })) }),
  },
  { weight: 2, arbitrary: of('RefundOrder', { orderId, key, items }) },
  { weight: 3, arbitrary: of('ReplaceItems', { orderId, key, items }) },
  {
    weight: 1,
    arbitrary: of('CreditWallet', {
      accountId,
      reference: fc.constantFrom('p', 'q', 'r', 's'),
      amountMicros: micros(fc.constantFrom(-4, -1, 2, 4)),
    }),
  },
  { weight: 1, arbitrary: of('WithdrawStock', { productId: stocked, count: quantity }) },
  {
    weight: 1,
    arbitrary: of('UpdateProduct', {
      productId: stocked,
      changes: fc.record({ priceMicros: micros(quantity) }),
    }),
  },
  { weight: 1, arbitrary: of('SetProductFile', { productId: fc.constant(TYPES.indexOf('file') + 1), file }) },
  { weight: 2, arbitrary: of('RecallLot', { lotId: orderId }) },
  { weight: 3, arbitrary: of('CaptureHold', supplied) },
  {
    weight: 3,
    arbitrary: of('ReleaseHold', {
      ...supplied,
      code: fc.constantFrom(...CODES),
      isUnresolved: fc.boolean(),
    }),
  },
);
export const step = fc.oneof(
  { weight: 36, arbitrary: command },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('add' as const), productId: stocked, count: quantity }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom('reconcile' as const, 'keep' as const, 'break' as const),
      supplierPurchaseId,
      count,
    }),
  },
  { weight: 2, arbitrary: fc.record({ folds: fc.constantFrom('cut' as const, 'forget' as const) }) },
);
export const steps = fc.array(step, { maxLength: 100, size: 'max' });

export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
