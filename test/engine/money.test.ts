/** Amounts are integers of micro-USDT: what becomes one, how totals are rounded, and what is printed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isSameAmount,
  isSameUsdt,
  microsFromUsdt,
  totalInCents,
  usdtFromMicros,
  usdtText,
} from '../../src/engine/money.ts';

test('an amount of USDT is a whole number of micro-USDT, or none', () => {
  const cases: [usdt: number, micros: number | undefined][] = [
    [3.5, 3_500_000],
    [0.1 + 0.2, 300_000],
    [0.000001, 1],
    [0.0000001, undefined],
    [-0, 0],
    [-12.34, -12_340_000],
    [9_000_000_000.5, 9_000_000_000_500_000],
    [1e308, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [Number.NaN, undefined],
  ];
  for (const [usdt, micros] of cases) {
    assert.ok(Object.is(microsFromUsdt(usdt), micros), `${usdt} is ${microsFromUsdt(usdt)}`);
  }
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
