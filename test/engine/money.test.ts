/** Amounts are integers of micro-USDT: what becomes one, how totals are rounded, and what is printed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_DEPOSITS_MICROS } from '../../src/engine/limits.ts';
import {
  isSameAmount,
  isSameUsdt,
  microsFromUsdt,
  totalInCents,
  usdtFromMicros,
  usdtText,
} from '../../src/engine/money.ts';
import { roundsToNothing, totalPriceMicros } from '../../src/engine/pricing/price.ts';
import { PRODUCT } from './commands.ts';

test('an amount of USDT is a whole number of micro-USDT, or none', () => {
  const cases: [usdt: number, micros: number | undefined][] = [
    [3.5, 3_500_000],
    [0.1 + 0.2, 300_000],
    [0.000001, 1],
    [0.0000001, undefined],
    [-0, 0],
    [-12.34, -12_340_000],
    [8_499_999_999.13, 8_499_999_999_130_000],
    [8_499_999_999.999999, 8_499_999_999_999_999],
    [-7_123_456_789.000001, -7_123_456_789_000_001],
    [2 ** 33, undefined],
    [8_600_000_000.13, undefined],
    [1e308, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [Number.NaN, undefined],
  ];
  for (const [usdt, micros] of cases) {
    assert.ok(Object.is(microsFromUsdt(usdt), micros), `${usdt} is ${microsFromUsdt(usdt)}`);
  }
});

test('each amount that a ledger can have is one JSON number, and that one is the amount', () => {
  const amounts = fc.oneof(
    fc.integer({ min: -MAX_DEPOSITS_MICROS, max: MAX_DEPOSITS_MICROS }),
    fc.integer({ min: 0, max: 1_000_000 }).map((less) => MAX_DEPOSITS_MICROS - less),
    fc.integer({ min: -1_000_000, max: 1_000_000 }),
  );
  fc.assert(
    fc.property(amounts, (amount) => {
      const micros = amount === 0 ? 0 : amount;
      const digits = String(Math.abs(micros)).padStart(7, '0');
      const text = `${micros < 0 ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
      const exact = text.replace(/\.?0+$/, '');
      assert.equal(JSON.stringify(usdtFromMicros(micros)), exact);
      assert.equal(usdtText(micros), exact);
      for (const written of [text, exact]) {
        assert.ok(Object.is(microsFromUsdt(JSON.parse(written)), micros), written);
        assert.ok(isSameAmount(JSON.parse(written), micros));
      }
      assert.ok(!isSameAmount(usdtFromMicros(micros + 1), micros));
    }),
    { numRuns: 2_000 },
  );
});

test('an amount as text is what JSON makes of it', () => {
  const anyMicros = fc.maxSafeInteger();
  const wholeCents = fc.maxSafeInteger().map((micros) => micros - (micros % 10_000));
  const small = fc.integer({ min: 0, max: 20_000 }).map((cents) => cents * 10_000);
  const largest = Number.MAX_SAFE_INTEGER - (Number.MAX_SAFE_INTEGER % 10_000);
  const large = fc.integer({ min: 0, max: 1_000_000 }).map((cents) => largest - cents * 10_000);
  fc.assert(
    fc.property(fc.oneof(anyMicros, wholeCents, small, large), (micros) => {
      assert.equal(usdtText(micros), JSON.stringify(usdtFromMicros(micros)));
    }),
    { numRuns: 1_000 },
  );
  assert.equal(usdtText(-0), '0');
});

test('expectedPriceUsdt equals the total within 1e-9 USDT', () => {
  const cases: [usdt: number, micros: number, same: boolean][] = [
    [3.5, 3_500_000, true],
    [0.30000000000000004, 300_000, true],
    [3.5000001, 3_500_000, false],
    [3.50000000099, 3_500_000, true],
    [-0, 0, true],
    [1e308, 3_500_000, false],
    [8_999_999_999.99, 8_999_999_999_990_000, true],
    [8_999_999_999.98, 8_999_999_999_990_000, false],
  ];
  for (const [usdt, micros, same] of cases) assert.equal(isSameAmount(usdt, micros), same, `${usdt}`);
});

test('two amounts of a client are the same within 1e-9 USDT, so that a retry may write one otherwise', () => {
  assert.deepEqual(
    [isSameUsdt(0.1 + 0.2, 0.3), isSameUsdt(3.5, 3.5000001), isSameUsdt(1e308, 1e307)],
    [true, false, false],
  );
});

test('what has a price costs a cent at least, and what could round to nothing is told', () => {
  const cases: [priceMicros: number, minQuantity: number, totalMicros: number, isNothing: boolean][] = [
    [0, 2, 0, false],
    [1, 4_999, 10_000, true],
    [1, 5_000, 10_000, false],
    [2_000, 2, 10_000, true],
    [2_500, 2, 10_000, false],
    [8_000, 2, 20_000, false],
  ];
  for (const [priceMicros, minQuantity, totalMicros, isNothing] of cases) {
    const tier = { minQuantity, priceMicros };
    const profile = { ...PRODUCT, priceTiers: [tier] };
    assert.equal(totalPriceMicros(profile, minQuantity), totalMicros, `${minQuantity} at ${priceMicros}`);
    assert.equal(roundsToNothing(tier), isNothing, `${minQuantity} at ${priceMicros}`);
  }
  assert.equal(totalPriceMicros({ ...PRODUCT, priceMicros: 2_000, priceTiers: [] }, 1), 10_000);
});

test('a total is rounded half up to cents, from integers', () => {
  const cases: [unitMicros: number, quantity: number, total: number | bigint][] = [
    [3_500_000, 3, 10_500_000],
    [3_333_333, 3, 10_000_000],
    [4_999, 1, 0],
    [5_000, 1, 10_000],
    [5_000, 3, 20_000],
    [1_005_000, 1, 1_010_000],
    [1_000_000_000_000, 1_000_000_000, 1_000_000_000_000_000_000_000n],
  ];
  for (const [unitMicros, quantity, total] of cases) {
    assert.equal(totalInCents(unitMicros, quantity), total, `${quantity} at ${unitMicros}`);
  }
});
