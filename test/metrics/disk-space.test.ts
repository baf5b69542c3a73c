/** What is known of the room where a folder lies. */
import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { test } from 'node:test';
import { DiskSpace } from '../../src/metrics/disk-space.ts';
import { eventually } from '../support/eventually.ts';

test('a moment after the start the figures are those of the file system', async (t) => {
  const space = new DiskSpace();
  assert.equal(space.figures, undefined);
  space.start('/dev');
  t.after(() => space.stop());
  await eventually('it has looked', () => space.figures !== undefined);
  const { blocks, bsize } = statfsSync('/dev');
  assert.equal(space.figures?.sizeBytes, blocks * bsize);
  assert.ok(space.figures.freeBytes <= blocks * bsize);
});

test('of a folder that is gone nothing is known, and nobody hears of it', async (t) => {
  const space = new DiskSpace();
  space.start('/nowhere/at/all');
  t.after(() => space.stop());
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(space.figures, undefined);
});
