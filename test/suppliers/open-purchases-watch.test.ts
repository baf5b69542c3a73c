/** A supplier that leaves much open is told of once for each time that it gets so far. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MANY_OPEN,
  OpenPurchasesWatch,
  type OpenPurchasesWatchOptions,
} from '../../src/suppliers/open-purchases-watch.ts';

test('many are told of once, and again only after half of them have ended', () => {
  const open = new Map([
    [1, 0],
    [2, 0],
  ]);
  let held = 0;
  const told: string[] = [];
  const supplierPurchases = {
    openCountOf: (supplierId: number) => (open.get(supplierId) ?? 0) + held,
    heldCountOf: () => held,
  };
  const suppliers = { values: () => [{ supplierId: 1 }, { supplierId: 2 }] };
  const watch = new OpenPurchasesWatch({
    engine: { state: { suppliers, supplierPurchases } },
    onMany: (supplierId: number, count: number) => told.push(`${supplierId}: ${count}`),
  } as unknown as OpenPurchasesWatchOptions);
  const steps: [supplierId: number, open: number, told: string[]][] = [
    [1, MANY_OPEN - 1, []],
    [1, MANY_OPEN, [`1: ${MANY_OPEN}`]],
    [1, MANY_OPEN * 2, []],
    [1, MANY_OPEN / 2, []],
    [1, MANY_OPEN + 1, []],
    [2, MANY_OPEN + 5, [`2: ${MANY_OPEN + 5}`]],
    [1, MANY_OPEN / 2 - 1, []],
    [1, MANY_OPEN + 2, [`1: ${MANY_OPEN + 2}`]],
  ];
  for (const [supplierId, count, expected] of steps) {
    open.set(supplierId, count);
    watch.look();
    assert.deepEqual(told.splice(0), expected, `${supplierId} has ${count}`);
  }
  open.set(1, 0);
  watch.look();
  held = MANY_OPEN * 4;
  watch.look();
  assert.deepEqual(told, [], 'those that are being asked for at this moment do not count');
});
