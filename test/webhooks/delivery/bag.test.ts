/** A bag holds exactly what was put in and not taken out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bag, type Placed } from '../../../src/webhooks/delivery/bag.ts';
import { Random } from '../../support/random.ts';

test('a bag holds what a set would', () => {
  // The same choices each time.
  const random = new Random(1);
  const bag = new Bag<Placed>();
  const set = new Set<Placed>();
  for (let step = 0; step < 5_000; step += 1) {
    // It grows to some dozens, and shrinks to nothing, again and again.
    const isGrowing = step % 400 < 200;
    if (set.size === 0 || random.chance(isGrowing ? 0.7 : 0.2)) {
      const item = { place: 0 };
      bag.add(item);
      set.add(item);
    } else {
      const item = random.pick([...set]);
      bag.delete(item);
      set.delete(item);
    }
    assert.equal(bag.size, set.size);
    const found = new Set(bag);
    assert.equal(found.size, set.size);
    for (const item of found) assert.ok(set.has(item));
  }
});
