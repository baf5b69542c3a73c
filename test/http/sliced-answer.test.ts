/** How answers of any size are cut, and whose turn it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import fc from 'fast-check';
import { jsonParts } from '../../src/http/json-parts.ts';
import { nextSlice } from '../../src/http/sliced-answer.ts';
import { ownTick } from '../../src/shared/event-loop.ts';

test('parts are what JSON.stringify gives, also of a list that is made one by one', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.anything({ maxDepth: 3, withNullPrototype: true })),
      (fields) => {
        assert.equal(Array.from(jsonParts(fields)).join(''), JSON.stringify(fields));
      },
    ),
  );
  const listed = { items: new Set(['"', undefined, 1]), none: [] };
  assert.equal(Array.from(jsonParts(listed)).join(''), '{"items":["\\"",null,1],"none":[]}');
});

test('a slice has about 64 KiB, and at least one part', () => {
  const parts = [...'ab', 'c'.repeat(70_000), 'd'.repeat(70_000), ''].values();
  const slices = [nextSlice(parts), nextSlice(parts), nextSlice(parts)];
  assert.equal(slices.map(({ text }) => text).join('').length, 140_002);
  assert.ok(slices.every(({ text }) => text.length <= 70_002));
  assert.equal(slices.at(-1)?.isLast, true);
});

test('there is one slice in a tick of the event loop', async () => {
  let taken = 0;
  for (let count = 0; count < 5; count += 1) void ownTick().then(() => (taken += 1));
  for (let turn = 1; turn <= 5; turn += 1) {
    await tick();
    assert.ok(taken <= turn, `${taken} in turn ${turn}`);
  }
  await ownTick();
  assert.equal(taken, 5);
});
