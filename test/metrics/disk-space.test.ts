/** What is known of the room where a folder lies. */
import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { test } from 'node:test';
import { DiskSpace } from '../../src/metrics/disk-space.ts';
import { eventually } from '../support/eventually.ts';

test('a moment after the start the figures are those of the file system', async (t) => {
  const space = new DiskSpace();
  space.start('/dev');
  t.after(() => space.stop());
  await eventually('it has looked', () => space.figures !== undefined);
  const { blocks, bsize } = statfsSync('/dev');
  const { figures } = space;
  assert.ok(figures);
  assert.equal(figures.sizeBytes, blocks * bsize);
  assert.ok(figures.freeBytes > 0 && figures.freeBytes <= figures.sizeBytes);
});

test('of a folder that is gone nothing is known, and nobody hears of it', async (t) => {
  const space = new DiskSpace();
  space.start('/nowhere/at/all');
  t.after(() => space.stop());
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(space.figures, undefined);
});
