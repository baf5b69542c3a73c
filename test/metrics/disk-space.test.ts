/** What is known of the room where a folder lies. */
import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { test } from 'node:test';
import { DiskSpace } from '../../src/metrics/disk-space.ts';

test('the figures are those of df', async () => {
  const space = new DiskSpace('/dev');
  assert.equal(space.figures, undefined, 'nobody has looked yet');
  const figures = await space.look();
  assert.deepEqual(space.figures, figures);
  const { bavail, bfree, blocks, bsize } = statfsSync('/dev');
  assert.equal(figures.totalBytes, (blocks - bfree + bavail) * bsize);
  assert.ok(figures.freeBytes > 0 && figures.freeBytes <= figures.totalBytes);
});

test('of a folder that is gone nothing is known', async () => {
  const space = new DiskSpace('/nowhere/at/all');
  await assert.rejects(space.look(), { code: 'ENOENT' });
  assert.equal(space.figures, undefined);
});
