/** Where webhook events of very many accounts wait, their queues take several chunks of a backup, and all are read back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { BackupContents } from '../../backup/backup-contents.ts';
import { withShipment } from '../../backup/backup-helpers.ts';
import { WrittenFolder } from '../../backup/written-folder.ts';
import { MemoryTarget } from '../../support/servers/memory-target.ts';

test('the queues of very many accounts take several chunks', async () => {
  const folder = await WrittenFolder.create('many-queues');
  const target = new MemoryTarget();
  const pending = Array.from({ length: 1_000 }, (_, index) => 1e12 + index);
  const queues = Array.from({ length: 1_500 }, (_, index) => ({
    accountId: index + 1,
    firstOpen: 2e12,
    pending: index < 1_000 ? pending : [],
  }));
  await folder.sell(1);
  await withShipment(folder, target, {}, async (shipment) => {
    await shipment.shipBase(undefined, queues);
    await shipment.writeManifest(0);
  });
  const { queues: read, manifest } = await BackupContents.read(target, folder.ring.keys);
  assert.ok(isDeepStrictEqual([...read.values()], queues));
  assert.ok(Number(manifest?.chunks.length) > 1);
  for (const { bytes } of manifest?.chunks ?? []) assert.ok(bytes < 12 * 1024 * 1024, String(bytes));
  await folder.close();
  await folder.remove();
});
