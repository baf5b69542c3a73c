/**
 * Where `log` goes on behind `base`. Chunks end when they are full, so the one of `log` that has the last fact of `base`
 * may also have, behind that, what the next fact names.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chunkName, readChunkHead } from '../../../src/backup/chunk.ts';
import { FolderTarget } from '../../../src/backup/target/folder-target.ts';
import type { FactOf } from '../../../src/engine/fact.ts';
import { BackupSource } from '../../../src/restore/backup-source.ts';
import { restore } from '../../../src/restore/restore.ts';
import { planRestore } from '../../../src/restore/restore-plan.ts';
import { type GivenMasterKey, givenMasterKey } from '../../../src/restore/restored-keys.ts';
import { ok } from '../../support/operator-client.ts';
import { QuietNode } from '../../support/quiet-node.ts';
import { Random } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { backUpByHand, masterKeyIn, put } from './hand-made-backup.ts';
import { NaiveShop } from './naive-shop.ts';

/** Each of these facts names what takes three entries, so with most sizes a chunk ends amid them. */
const NAMING = ['StockAdded', 'ProductFileSet'] as const;
const ENTRIES_PER_CHUNK = [2, 3, 4, 5];

describe('where log goes on behind base', () => {
  let folder: TemporaryFolder;
  let node: QuietNode;
  let shop: NaiveShop;
  let key: GivenMasterKey;

  before(async () => {
    folder = await createTemporaryFolder('meeting-series');
    node = await QuietNode.start('meeting-series-node');
    const { operator } = node;
    const { productId = 0 } = await ok(operator.createProduct({ name: 'codes', priceUsdt: 1 }));
    const file = await ok(operator.createProduct({ name: 'a file', type: 'file', priceUsdt: 1 }));
    const codes = Array.from({ length: 301 }, (_, index) => `code ${index}`);
    await ok(operator.addStock(productId, codes.slice(0, 1)));
    await ok(operator.addStock(productId, codes.slice(1)));
    await ok(operator.setFile(file.productId ?? 0, new Uint8Array(2_500_000), 'application/pdf'));
    await node.stop();
    shop = await NaiveShop.read(node.folder.path);
    key = givenMasterKey(masterKeyIn(node.folder.path), { file: 'a file' });
  });
  after(async () => {
    await shop.close();
    await node.folder.remove();
    await folder.remove();
  });

  /** `base` ends before the last fact of this kind, `log` has all from somewhere before that on. */
  async function backUp(kind: FactOf<(typeof NAMING)[number]>['kind'], entriesPerChunk: number) {
    const target = new FolderTarget(join(folder.path, `${kind}-${entriesPerChunk}`), { makesFolder: true });
    const end = shop.facts.findLastIndex((fact) => fact.kind === kind);
    const base = (end + 0.5) / shop.state.position;
    const shape = { random: new Random(1), base, hasLog: true, hasManifest: true, entriesPerChunk };
    const { objects } = await backUpByHand(node.folder.path, { target, ...shape });
    return { target, end, chunksOfBase: objects.length };
  }

  for (const kind of NAMING) {
    test(`all that a ${kind} names is restored, wherever a chunk ends`, async () => {
      const had = shop.had();
      for (const entriesPerChunk of ENTRIES_PER_CHUNK) {
        const { target } = await backUp(kind, entriesPerChunk);
        const data = join(folder.path, `data-${kind}-${entriesPerChunk}`);
        const plan = await planRestore(new BackupSource(target), key);
        const options = { key, beginsEpoch: false, nowMs: Date.now() };
        assert.equal((await restore(plan, data, options)).head.position, shop.state.position);
        const restored = await NaiveShop.read(data);
        assert.deepEqual(restored.had(), had);
        await Promise.all([restored.close(), target.close()]);
      }
    });
  }

  test('a chunk of base that is lost is noticed, also when log ends with the same fact as what is there', async () => {
    const { target, end, chunksOfBase } = await backUp('ProductFileSet', 1);
    for await (const { name } of target.list('log/')) {
      const head = readChunkHead((await target.read(name)) ?? Buffer.alloc(0));
      if (head.to.position > end) await target.remove(name);
    }
    const source = new BackupSource(target);
    assert.equal((await planRestore(source, key)).position.position, end);
    // Its name alone tells that there was another one before.
    await put(target, chunkName({ series: 'base', epoch: 1, number: chunksOfBase + 2 }, 1), Buffer.from('x'));
    await assert.rejects(planRestore(source, key), /^RestoreError: base\/.* is missing at /);
    await target.close();
  });
});
