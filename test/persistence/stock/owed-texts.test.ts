/**
 * Texts that a product's orders lack are compared with new items up to a limit; beyond it the refusal comes before
 * anything is read.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rejection } from '../../../src/engine/decide/rejection.ts';
import { itemHash } from '../../../src/persistence/stock/item-hash.ts';
import { outstandingAmong } from '../../../src/persistence/stock/outstanding-texts.ts';

type Services = Parameters<typeof outstandingAmong>[0];

/** So many orders that lack one item each: text 3, text 4 … */
function services(orders: number): Services {
  const salt = Buffer.from('salt');
  const outstanding = Array.from({ length: orders }, (_, index) => {
    const itemHashes = [itemHash(salt, `text ${index + 3}`)];
    return { orderId: index, salt: salt.toString('base64url'), itemHashes, missing: [0], former: [] };
  });
  const state = { stock: { lost: () => ({ outstanding, outstandingChange: 7 }) } };
  const readItems = (_: number, item: number) => [`text ${item}`];
  return { engine: { state }, stock: { readItems } } as unknown as Services;
}

const cases: [orders: number, count: number, expected: object | RegExp][] = [
  [0, 1_000_000_000, { aside: [], outstandingChange: 7 }],
  [2, 10, { aside: [{ firstItem: 3, count: 2 }], outstandingChange: 7 }],
  [10_000, 10_001, /10000 orders of a gap lack items of product 1, .*: send at most 10000 items at once/],
];
test('new items are set aside for orders that lack them, or refused when they are too many', async () => {
  for (const [orders, count, expected] of cases) {
    const result = await outstandingAmong(services(orders), 1, [{ firstItem: 0, count }], count);
    if (expected instanceof RegExp) assert.match(result instanceof Rejection ? result.message : '', expected);
    else assert.deepEqual(result, expected);
  }
});
