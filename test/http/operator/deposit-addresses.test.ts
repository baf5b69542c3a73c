/** GET /deposits/addresses: who asks is a watcher, unless he says that he isn't one. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { depositRoutes } from '../../../src/http/operator/deposits/deposits.ts';
import type { OperatorContext } from '../../../src/http/operator/operator-context.ts';
import type { OperatorServices } from '../../../src/http/operator/operator-route.ts';

it('hears of a watcher when one asks for the addresses, and not of anybody else', () => {
  let heard = 0;
  const deposits = { addresses: [], confirmations: 19, heard: () => (heard += 1) };
  const engine = { state: { epochs: { current: 1 } } };
  const routes = depositRoutes({ engine, deposits, clock: () => 0 } as unknown as OperatorServices);
  const route = routes.find(({ path }) => path === '/deposits/addresses');
  for (const [watching, times] of [
    [true, 1],
    [false, 1],
    [undefined, 1],
  ] as const) {
    const answers: unknown[] = [];
    const context = {
      flag: () => watching,
      succeedWhenDurable: (...said: unknown[]) => answers.push(said),
    };
    route?.handle(context as unknown as OperatorContext);
    assert.equal(heard, times);
    assert.equal(answers.length, watching === undefined ? 0 : 1);
  }
});
