/** The table of supplies against plain lists: its order and its counts, whatever happens to its rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_KEY } from '../../src/engine/orders.ts';
import { NO_ORDER, SUPPLY_PHASES, Supplies, type Supply } from '../../src/engine/supplies.ts';
import { openSupply } from '../support/open-supply.ts';
import { randomFromEnvironment } from '../support/random.ts';

const SUPPLIERS = [1, 2, 3];
const STEPS = 3_000;

test('rows are in the order of their numbers, and the counts are those of the rows', (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const supplies = new Supplies();
  let naive: Supply[] = [];
  let last = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const old = naive.length > 0 && random.chance(0.6) ? random.pick(naive) : undefined;
    if (old !== undefined && random.chance(0.5)) {
      supplies.delete(old.supplyId);
      naive = naive.filter((supply) => supply !== old);
    } else {
      if (old === undefined) last += 1;
      const supply = old ?? newSupply(last, random.pick(SUPPLIERS));
      const phase = random.pick(SUPPLY_PHASES);
      const orderId = phase === 'pending' ? supply.supplyId : NO_ORDER;
      const moved: Supply = { ...supply, phase, orderId };
      supplies.set(moved);
      naive = old === undefined ? [...naive, moved] : naive.map((one) => (one === old ? moved : one));
    }
    const counts = SUPPLIERS.map((supplierId) => [
      supplies.openCountOf(supplierId),
      supplies.heldCountOf(supplierId),
    ]);
    const expected = SUPPLIERS.map((supplierId) => {
      const its = naive.filter((supply) => supply.supplierId === supplierId);
      return [its.length, its.filter(({ phase }) => phase === 'held').length];
    });
    assert.deepEqual(counts, expected);
    assert.deepEqual([...supplies.values()], naive);
  }
});

/** Half of them are of orders from the bot, and have no key. */
function newSupply(supplyId: number, supplierId: number): Supply {
  const supply = openSupply({ supplyId, supplierId });
  return supplyId % 2 === 0 ? { ...supply, idempotencyKey: NO_KEY } : supply;
}
