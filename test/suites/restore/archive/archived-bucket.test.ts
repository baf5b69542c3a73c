/** An archive in a bucket, made through a store that fails as stores do, or ignores the condition of a write. */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type FaultyS3, startFaultyS3 } from '../../../support/faulty-s3.ts';
import { ok } from '../../../support/operator-client.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import type { FaultName } from '../../../support/s3-faults.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { archiveNow, journalFiles } from './archived-shop.ts';

/** After which the same archive goes on by itself. */
const PASSING: readonly FaultName[] = ['internalError', 'lostReply', 'storedBut412'];
/** After which it fails, nothing is removed, and a later one succeeds when the object that is damaged was moved away. */
const SPOILING: readonly FaultName[] = ['halfStored', 'notStored', 'wronglyStored'];

describe('an archive in a bucket', () => {
  let folder: TemporaryFolder;
  let store: FaultyS3;
  let node: QuietNode;
  const data = () => node.folder.path;
  const envBefore: Record<string, string | undefined> = {};

  before(async () => {
    folder = await createTemporaryFolder('archived-bucket');
    store = await startFaultyS3({ prefix: 'old/shop', pageSize: 2 });
    // Those of the node's process, as of the archive's.
    for (const [name, value] of Object.entries(store.env)) {
      envBefore[name] = process.env[name];
      process.env[name] = value;
    }
    node = await QuietNode.start('archived-bucket-node');
    await ok(node.operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }));
  });
  after(async () => {
    await node.close();
    await store.close();
    for (const [name, value] of Object.entries(envBefore)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await folder.remove();
  });

  const sell = async (text: string) => ok(node.operator.addStock(1, [text]));

  for (const fault of PASSING) {
    test(`${fault}: it is tried again, and all is moved`, async () => {
      await sell(fault);
      const end = store.fail(fault, { on: 'PUT', times: 1 });
      const { state, position, error } = await archiveNow(node, store.url);
      end();
      assert.equal(state, 'complete', error);
      assert.deepEqual(journalFiles(data()), [(position?.seq ?? 0) + 1]);
    });
  }

  for (const fault of SPOILING) {
    test(`${fault}: it is found when it is read back, and nothing is removed`, async () => {
      await sell(fault);
      const files = journalFiles(data());
      const known = new Set(store.objects.keys());
      const end = store.fail(fault, { on: 'PUT' });
      const { state, error = '' } = await archiveNow(node, store.url);
      end();
      assert.equal(state, 'failed');
      assert.match(error, /doesn't have it$|is not what was sent .*: nothing was removed; move it away$/);
      assert.deepEqual(journalFiles(data()).slice(0, files.length), files);
      for (const name of store.objects.keys()) if (!known.has(name)) store.objects.delete(name);
      const again = await archiveNow(node, store.url);
      assert.equal(again.state, 'complete', again.error);
    });
  }

  test('a store that ignores conditions: what another copy of the shop wrote there is not written over', async () => {
    await node.stop();
    const copy = join(folder.path, 'other');
    cpSync(data(), copy, { recursive: true, filter: (name) => !basename(name).startsWith('lock.') });
    await node.start();
    const other = await QuietNode.start({ path: copy, remove: async () => {} });
    store.fail('ignoresConditions');
    // As many facts in each, so that their chunks have the same names.
    await ok(other.operator.addStock(1, ['of the copy']));
    await sell('of the node');
    const first = await archiveNow(other, store.url);
    assert.equal(first.state, 'complete', first.error);
    const objects = new Map(store.objects);
    const { state, error = '' } = await archiveNow(node, store.url);
    assert.equal(state, 'failed');
    assert.match(error, /holds other facts than this folder has: another node has archived there/);
    assert.deepEqual(new Map(store.objects), objects);
    await other.stop();
  });
});
