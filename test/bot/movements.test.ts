/** The last movements of an account, which the shop gives by pages from the first of a period on. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { OperatorCalls, ShopCall } from '../../src/bot/shop/operator-calls.ts';
import { Shop } from '../../src/bot/shop/shop.ts';

const HOUR_MS = 60 * 60_000;
const PAGE = 100;

/** A shop whose account had these movements, the oldest first. */
function shopWith(times: readonly number[]): Shop {
  const call = async ({ path }: ShopCall) => {
    const [, from] = /from=(\d+)$/.exec(path) ?? assert.fail(path);
    const movements = times.filter((at) => at >= Number(from)).map((at) => ({ at }));
    return { movements: movements.slice(0, PAGE), ...(movements.length > PAGE && { nextCursor: 'x' }) };
  };
  return new Shop({ call } as unknown as OperatorCalls);
}

const every = (ms: number, count: number, endMs: number) =>
  Array.from({ length: count }, (_, index) => endMs - (count - 1 - index) * ms);

const nowMs = Date.now();
const accounts: readonly [name: string, times: readonly number[]][] = [
  ['that does little', every(24 * HOUR_MS, 3, nowMs - HOUR_MS)],
  ['that rests for days', every(HOUR_MS, 150, nowMs - 72 * HOUR_MS)],
  ['that did one thing today', [...every(HOUR_MS, 150, nowMs - 72 * HOUR_MS), nowMs - HOUR_MS]],
  ['that is busy all the time', every(2_000, 20_000, nowMs - 2_000)],
];
for (const [name, times] of accounts)
  it(`are the last of an account ${name}`, async () => {
    const movements = await shopWith(times).movements(1, 8);
    assert.deepEqual(
      movements.map(({ at }) => at),
      times.slice(-8).reverse(),
    );
  });
