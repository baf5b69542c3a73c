/**
 * An archive that was broken off, or whose files are damaged: the folder is whole, nothing is removed that is not proved
 * elsewhere, and the next archive goes on. `test/suites/crash/archive.test.ts` kills a node amid all of it.
 */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ArchivingOptions, archive } from '../../../../src/archive/archiving.ts';
import { logExtents } from '../../../../src/persistence/journal/open-log.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { flipByte } from '../../crash/damage.ts';
import {
  archiveNow,
  baselinesIn,
  expectSound,
  journalFiles,
  sellCodes,
  strayLocks,
  verified,
} from './archived-shop.ts';

const PURCHASE = { productId: 1, quantity: 1, expectedPriceUsdt: 1 };

describe('an archive that is broken off', () => {
  let folder: TemporaryFolder;
  let node: QuietNode;
  let apiKey = '';
  const path = (name: string) => join(folder.path, name);
  const data = () => node.folder.path;
  const buy = async (key: string) => (await node.buyers.purchase(apiKey, key, PURCHASE)).body.orderId;

  before(async () => {
    folder = await createTemporaryFolder('interrupted');
    node = await QuietNode.start('interrupted-node');
    apiKey = await sellCodes(node);
    // Each ends a file of the journal: a target that is not there moves nothing.
    for (const [index, key] of ['one', 'two', 'three'].entries()) {
      assert.equal(await buy(key), index + 1);
      const { state, error = '' } = await archiveNow(node, path('missing/below'));
      assert.equal(state, 'failed');
      assert.match(error, /there is no such folder/);
    }
    await node.stop();
    cpSync(data(), path('saved'), { recursive: true, filter: (name) => !name.includes('lock.') });
    await node.start();
  });
  after(async () => {
    await node.close();
    await folder.remove();
  });

  test('amid the removal: whichever files are left, the journal continues the baseline', async () => {
    const { state, position, error } = await archiveNow(node, folder.path);
    assert.equal(state, 'complete', error);
    await node.stop();
    const first = (position?.seq ?? 0) + 1;
    assert.deepEqual(journalFiles(data()), [first]);
    for (const { file, firstSequence: left } of logExtents(path('saved')).toReversed()) {
      if (left >= first) continue;
      cpSync(file, join(data(), basename(file)));
      writeFileSync(join(data(), `journal-${String(left - 1).padStart(16, '0')}.mdb-lock`), 'left by a kill');
      await expectSound(data());
      await expectSound(data(), left === 1 ? undefined : folder.path);
    }
    assert.equal(journalFiles(data())[0], 1);
    await node.start();
    const again = await archiveNow(node, folder.path);
    assert.equal(again.state, 'complete', again.error);
    assert.ok(journalFiles(data()).length === 1 && (journalFiles(data())[0] ?? 0) >= first);
    assert.deepEqual(strayLocks(data()), []);
    assert.equal(await buy('one'), 1);
  });

  /** Of the folder as it was before, by no node. */
  const archiveSaved = (target: string, steps: Pick<ArchivingOptions, 'record' | 'expectRead'>) =>
    archive({
      folder: path('saved'),
      target,
      masterKey: undefined,
      beforeMs: Date.now(),
      through: (journalFiles(path('saved')).at(-1) ?? 0) - 1,
      baseline: null,
      epoch: 1,
      signal: new AbortController().signal,
      ...steps,
    });

  test('before the fact: all files are there; a byte that is flipped in the archive then is refused, and nothing is removed', async () => {
    const files = journalFiles(path('saved'));
    const target = path('flipped');
    const steps = { record: () => Promise.reject(new Error('killed')), expectRead: async () => {} };
    await assert.rejects(archiveSaved(target, steps), /killed/);
    assert.deepEqual([journalFiles(path('saved')), baselinesIn(path('saved')).length], [files, 1]);
    const chunks = join(target, 'archive', '000001');
    const chunk = join(chunks, readdirSync(chunks)[0] ?? '');
    flipByte(chunk, readFileSync(chunk).length - 40, 1);
    const flipped = readFileSync(chunk);
    await assert.rejects(
      archiveSaved(target, steps),
      /\.chunk at .* is not what was sent .*: nothing was removed; move it away/,
    );
    assert.deepEqual(journalFiles(path('saved')), files);
    assert.ok(readFileSync(chunk).equals(flipped), 'nothing is written over');
  });

  test('when a backup begins amid the removal, the files that are left stay', async () => {
    const files = journalFiles(path('saved'));
    let asked = 0;
    const expectRead = async () => {
      asked += 1;
      if (asked > 2) throw new Error('a backup is being made');
    };
    const broken = archiveSaved(folder.path, { record: async () => {}, expectRead });
    await assert.rejects(broken, /a backup is being made/);
    assert.deepEqual(journalFiles(path('saved')), files.slice(2));
  });

  test('webhooks that were read just to the place where the archive ends go on behind it', async () => {
    await node.restart();
    await node.stop();
    const outbox = path('webhooks.mdb');
    cpSync(join(data(), 'webhooks.mdb'), outbox);
    await node.start();
    const { state, position, error } = await archiveNow(node, folder.path);
    assert.equal(state, 'complete', error);
    await node.stop();
    // As when a kill comes before what was read of the archive's own fact is on disk.
    cpSync(outbox, join(data(), 'webhooks.mdb'));
    assert.match(await expectSound(data()), new RegExp(`webhooks: .* read up to fact ${position?.seq}\\b`));
    await node.restart();
    assert.equal(await buy('one'), 1);
    await node.stop();
    await expectSound(data());
  });

  test('a baseline that is missing, or has a flipped byte, is found; the archive is enough', async () => {
    const file = join(data(), baselinesIn(data())[0] ?? '');
    const bytes = readFileSync(file);
    const at = bytes.indexOf('a buyer');
    assert.ok(at > 0);
    flipByte(file, at, 1);
    const damaged = await verified(data());
    assert.ok(!damaged.isSound);
    assert.match(damaged.text, /ERROR: .*baseline-\d+\.mdb is damaged/);
    writeFileSync(file, bytes);
    renameSync(file, path('baseline'));
    const missing = await verified(data());
    assert.ok(!missing.isSound);
    assert.match(missing.text, /ERROR: baseline-\d+\.mdb is missing/);
    await expectSound(data(), folder.path);
    renameSync(path('baseline'), file);
  });
});
