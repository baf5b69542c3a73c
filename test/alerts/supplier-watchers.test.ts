/** Watchers of suppliers: circuits that open, and purchases that stay open. */
import { test } from 'node:test';
import { CircuitWatch } from '../../src/alerts/circuit-watch.ts';
import {
  MANY_OPEN,
  OpenPurchasesWatch,
  type OpenPurchasesWatchOptions,
} from '../../src/alerts/open-purchases-watch.ts';
import { type Step, told, Watched } from './watched.ts';

test("a supplier's circuit is told when it opens, and over when it was closed for a minute", async () => {
  const watched = new Watched();
  const open = new Map<number, boolean>();
  const watch = new CircuitWatch({ standing: watched.standing, openCircuits: () => open });
  const line = (state: 'firing' | 'resolved', supplierId: number) =>
    told('SUPPLIER_CIRCUIT_OPEN')(state, { supplierId });
  const steps: [passedMs: number, open: number[], told: string[]][] = [
    [0, [], []],
    [10_000, [3, 4], [...line('firing', 3), ...line('firing', 4)]],
    [10_000, [3], []],
    [50_000, [3], line('resolved', 4)],
    [10_000, [], []],
    [40_000, [3], []],
    [60_000, [], line('resolved', 3)],
  ];
  await watched.follow(
    () => watch.look(),
    steps.map(([passedMs, suppliers, lines]): Step => {
      const happens = () => {
        watched.nowMs += passedMs;
        for (const supplierId of [3, 4]) open.set(supplierId, suppliers.includes(supplierId));
      };
      return [`${suppliers} after ${passedMs} ms`, happens, lines];
    }),
  );
});

test('many open purchases of a supplier are told once, and again only after half of them have ended', async () => {
  const watched = new Watched();
  const open = new Map([
    [1, 0],
    [2, 0],
  ]);
  let held = 0;
  const supplierPurchases = {
    openCountOf: (supplierId: number) => (open.get(supplierId) ?? 0) + held,
    heldCountOf: () => held,
  };
  const suppliers = { values: () => [{ supplierId: 1 }, { supplierId: 2 }] };
  const watch = new OpenPurchasesWatch({
    standing: watched.standing,
    engine: { state: { suppliers, supplierPurchases } },
  } as unknown as OpenPurchasesWatchOptions);
  const steps: [supplierId: number, open: number, state?: 'firing' | 'resolved'][] = [
    [1, MANY_OPEN - 1],
    [1, MANY_OPEN, 'firing'],
    [1, MANY_OPEN * 2],
    [1, MANY_OPEN / 2],
    [2, MANY_OPEN + 5, 'firing'],
    [1, MANY_OPEN / 2 - 1, 'resolved'],
  ];
  const look = () => watch.look();
  await watched.follow(
    look,
    steps.map(([supplierId, count, state]): Step => {
      const lines =
        state === undefined ? [] : told('SUPPLIER_PURCHASES_OPEN')(state, { supplierId, open: count });
      return [`${supplierId} has ${count}`, () => open.set(supplierId, count), lines];
    }),
  );
  await watched.follow(look, [['those that are asked for just now', () => (held = MANY_OPEN * 4), []]]);
});
