/** A node whose disk fills up tells that it is low, then that it is full, and that there is room again. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { WatchedNode } from '../../alerts/watched-node.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const MIB = 1024 * 1024;
const DISK_MIB = 96;

test('a disk fills up, and is freed', { skip: whyNoSmallDisk() ?? false }, async (t) => {
  const folder = await createTemporaryFolder('watched-disk');
  const disk = mountSmallDisk(folder.path, DISK_MIB);
  const node = await WatchedNode.start(join(disk.path, 'data'));
  t.after(async () => {
    await node.close();
    disk.unmount();
    await folder.remove();
  });

  disk.fill(5 * MIB);
  const low = await node.alert('DISK_LOW', 'firing');
  assert.equal(low.totalBytes, DISK_MIB * MIB);
  assert.ok((low.freeBytes ?? 0) <= 5 * MIB);
  disk.fill();
  await node.alert('DISK_FULL', 'firing');
  disk.free();
  await node.alert('DISK_LOW', 'resolved');
  const metrics = await node.metrics();
  assert.match(metrics, /purser_alerts_firing\{error="DISK_LOW"\} 0\n/);
  assert.match(metrics, /purser_alerts_firing\{error="DISK_FULL"\} 1\n/, 'until there was room for a minute');
});
