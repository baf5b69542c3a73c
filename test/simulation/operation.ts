/** Operations of the simulation: what may happen, with which numbers. */
import fc from 'fast-check';
import type { Command } from '../../src/engine/decide/command.ts';
import { REPORT_MANNERS } from './simulated-reports.ts';
import { FATES, SHAPES } from './simulated-supplier.ts';
import { ACCOUNTS, PRICE_LISTS, STOCKED, SUPPLIERS, TYPES } from './start.ts';

const ANSWERS = [
  'delivered',
  'delivered',
  'delivered',
  'pending',
  'out_of_stock',
  'out_of_stock',
  'unreached',
  'unreached',
  'failed',
  'timeout',
] as const;
const WAITS_MS = [300, 5_000, 16_000, 660_000] as const;

export const nth = fc.nat({ max: 20 });
const account = fc.constantFrom(...ACCOUNTS);
export const product = fc.integer({ min: 1, max: TYPES.length });
const stocked = fc.integer({ min: 1, max: STOCKED });
export const quantity = fc.integer({ min: 1, max: 3 });
const shape = fc.constantFrom(...SHAPES);
const fate = fc.constantFrom(...FATES);
/** Keys of refunds and replacements: few, so that some come again. */
export const key = fc.constantFrom('i', 'j', 'k');
/** One more than an order has. */
const places = fc.constantFrom([0], [1], [2], [3], [0, 1], [1, 2]);
const part = fc.oneof(
  fc.constant({}),
  fc.record({ amountMicros: fc.constantFrom(1e6, 2e6, 3e6) }),
  fc.record({ items: places }),
);
/** Whole USDT, so that halves of them are exact in the naive shop's numbers, too. */
const unitMicros = fc.constantFrom(1e6, 2e6, 3e6, 4e6);
const priceTiers = fc
  .constantFrom(...[2, 3])
  .chain((minQuantity) =>
    fc.array(fc.record({ minQuantity: fc.constant(minQuantity), priceMicros: unitMicros }), { maxLength: 1 }),
  );
const price = fc.option(fc.record({ priceMicros: unitMicros, priceTiers }), { freq: 3 });
const prices = fc.record({ productId: product, price }).map((one) => [one]);
const priceList = fc.constantFrom(...PRICE_LISTS);
const percent = fc.constantFrom(null, 0, -5_000, 10_000);
/** Nothing leaves a window of a month while a test lasts. */
const spendLimits = fc.constantFrom(
  [],
  ...[3e6, 8e6, 20e6].map((amountMicros) => [{ windowHours: 744, amountMicros }]),
);
const bounds = fc.constantFrom(
  { minQuantity: 1, maxQuantity: null },
  { minQuantity: 2, maxQuantity: null },
  { minQuantity: 1, maxQuantity: 2 },
);
/** Changes of the terms on which somebody buys. */
const terms = fc.oneof(
  bounds,
  fc.record({ priceTiers }),
  fc.record({ visibility: fc.constantFrom('all' as const, 'listed' as const) }),
);
export const change = fc.oneof(
  fc.record({ priceMicros: fc.constantFrom(1e6, 2e6, 3e6) }),
  fc.record({ active: fc.constantFrom(true, true, false) }),
  fc.record({
    suppliers: fc.oneof(
      fc.shuffledSubarray([...SUPPLIERS]),
      fc.shuffledSubarray([...SUPPLIERS], { minLength: 2 }),
    ),
  }),
);

export const of = <Kind extends string, Fields>(
  kind: Kind,
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) => fc.record({ ...fields, kind: fc.constant(kind) }) as fc.Arbitrary<Fields & { kind: Kind }>;

/** An operator's command whose fields are known beforehand. */
const asked = <Kind extends Command['kind'], Fields>(
  kind: Kind,
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) => of('operate', { command: of(kind, fields) });

export const operation = fc.oneof(
  {
    weight: 18,
    arbitrary: of('buy', { account, product, quantity, isExpected: fc.nat(9), hasOldKey: fc.nat(14) }),
  },
  { weight: 4, arbitrary: of('again', { nth, hasOtherBody: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: asked('CreditWallet', {
      accountId: account,
      amountMicros: fc.integer({ min: -24, max: 12 }).map((usdt) => usdt * 1e6),
      reference: fc.nat(30).map((number) => `credit ${number}`),
    }),
  },
  { weight: 2, arbitrary: of('stock', { product: stocked, count: quantity, isOld: fc.boolean() }) },
  { weight: 1, arbitrary: asked('WithdrawStock', { productId: stocked, count: quantity }) },
  { weight: 1, arbitrary: of('recall', { nth }) },
  { weight: 1, arbitrary: of('change', { product: fc.integer({ min: 1, max: STOCKED }), change }) },
  { weight: 2, arbitrary: asked('UpdateProduct', { productId: product, changes: terms }) },
  {
    weight: 3,
    arbitrary: fc.oneof(
      asked('SetPrices', { priceListId: priceList, prices }),
      asked('SetPrices', { accountId: account, prices }),
    ),
  },
  {
    weight: 1,
    arbitrary: asked('UpdatePriceList', {
      priceListId: priceList,
      changes: fc.record({ percent }),
    }),
  },
  {
    weight: 3,
    arbitrary: asked('UpdateAccount', {
      accountId: account,
      changes: fc.oneof(
        fc.record({ priceListId: fc.constantFrom(null, ...PRICE_LISTS) }),
        fc.record({ spendLimits }),
      ),
    }),
  },
  { weight: 1, arbitrary: of('key', { account }) },
  {
    weight: 5,
    arbitrary: asked('OpenOrder', {
      ...{ accountId: account, productId: product, quantity },
      ...{ recipientUsername: fc.constant(null), requestNumber: fc.constant(0) },
    }),
  },
  { weight: 9, arbitrary: of('pay', { nth }) },
  { weight: 2, arbitrary: of('complete', { nth, texts: fc.nat(2) }) },
  { weight: 4, arbitrary: of('fail', { nth }) },
  { weight: 3, arbitrary: of('refund', { nth, key, part }) },
  { weight: 3, arbitrary: of('replace', { nth, key, places }) },
  {
    weight: 1,
    arbitrary: asked('SetKeyActive', { accountId: account, isActive: fc.constantFrom(true, true, false) }),
  },
  { weight: 12, arbitrary: of('answer', { nth, answer: fc.constantFrom(...ANSWERS), shape }) },
  { weight: 2, arbitrary: of('unplug', { supplier: fc.constantFrom(...SUPPLIERS), isUp: fc.boolean() }) },
  { weight: 8, arbitrary: of('tell', { nth, fate, shape, isSilent: fc.nat(6) }) },
  {
    weight: 4,
    arbitrary: of('report', { nth, isKept: fc.boolean(), shape, manner: fc.constantFrom(...REPORT_MANNERS) }),
  },
  { weight: 1, arbitrary: of('reconcile', {}) },
  { weight: 1, arbitrary: of('give up', { nth }) },
  {
    weight: 3,
    arbitrary: of('say stock', {
      supplier: fc.constantFrom(...SUPPLIERS),
      available: fc.constantFrom(0, 3, 7, 'unlimited' as const),
      products: fc.uniqueArray(fc.integer({ min: 1, max: STOCKED }), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: asked('CloseEventGroup', { windowMs: fc.constantFrom(0, 1_000) }) },
  { weight: 3, arbitrary: of('wait', { ms: fc.constantFrom(...WAITS_MS) }) },
  { weight: 16, arbitrary: of('land', {}) },
  { weight: 6, arbitrary: of('write', {}) },
  { weight: 2, arbitrary: of('look', {}) },
  { weight: 1, arbitrary: of('cut', {}) },
  { weight: 2, arbitrary: of('fold', {}) },
  { weight: 1, arbitrary: of('fill', {}) },
  { weight: 6, arbitrary: of('room', {}) },
  {
    weight: 4,
    arbitrary: of('crash', {
      isGroupWritten: fc.boolean(),
      textsWritten: fc.nat(2),
      comesAgain: fc.boolean(),
    }),
  },
);

export type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;
