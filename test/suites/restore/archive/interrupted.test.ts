/** An archive that was broken off at each of its steps: the folder is whole, and the next archive goes on. */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeArchive } from '../../../../src/archive/archive-making.ts';
import { archive } from '../../../../src/archive/archiving.ts';
import { openArchive } from '../../../../src/archive/open-archive.ts';
import type { Baseline } from '../../../../src/engine/baseline.ts';
import { loadBaseline } from '../../../../src/persistence/baseline/baseline-file.ts';
import { loadState, openCheckpoint } from '../../../../src/persistence/checkpoint/checkpoint-tables.ts';
import { inView } from '../../../../src/persistence/folder/folder-view.ts';
import { logExtents } from '../../../../src/persistence/journal/open-log.ts';
import { ok } from '../../../support/operator-client.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { archiveNow, baselinesIn, journalFiles, strayLocks, verified } from './archived-shop.ts';

const PURCHASE = { productId: 1, quantity: 1, expectedPriceUsdt: 1 };

describe('an archive that is broken off', () => {
  let folder: TemporaryFolder;
  let node: QuietNode;
  let apiKey = '';
  const path = (name: string) => join(folder.path, name);
  const data = () => node.folder.path;

  /** A file of the journal with a purchase. A target that is not there ends the file, and moves nothing. */
  async function anotherFile(key: string): Promise<void> {
    assert.equal((await node.buyers.purchase(apiKey, key, PURCHASE)).status, 201);
    const { state, error = '' } = await archiveNow(node, path('missing/below'));
    assert.equal(state, 'failed');
    assert.match(error, /there is no such folder/);
  }

  before(async () => {
    folder = await createTemporaryFolder('interrupted');
    node = await QuietNode.start('interrupted-node');
    await ok(node.operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }));
    await ok(node.operator.addStock(1, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']));
    await ok(node.operator.createAccount({ name: 'a buyer', rateLimitPerMinute: null }));
    await ok(node.operator.credit(1, 100, 'deposit'));
    apiKey = (await ok(node.operator.issueKey(1))).apiKey ?? '';
    for (const key of ['one', 'two', 'three']) await anotherFile(key);
  });
  after(async () => {
    await node.close();
    await folder.remove();
  });

  async function expectSound(archive?: string): Promise<string> {
    const { isSound, text } = await verified(data(), archive);
    assert.ok(isSound, text);
    return text;
  }

  async function baselineOf(): Promise<Baseline> {
    const tables = openCheckpoint(data());
    const { baseline } = loadState(tables).state;
    await tables.environment.close();
    return baseline ?? assert.fail();
  }

  test('before the fact: the folder has all its files, and a baseline that nobody reads', async () => {
    await node.stop();
    const files = journalFiles(data());
    assert.ok(files.length >= 4);
    const made = openArchive({ folder: data(), target: path('.'), env: {}, onTrouble: assert.fail });
    await inView(data(), (view) =>
      makeArchive({
        folder: data(),
        view,
        store: made.store(),
        beforeMs: Date.now(),
        through: (files[2] ?? 0) - 1,
        baseline: null,
        epoch: 1,
      }),
    );
    await made.close();
    assert.equal(baselinesIn(data()).length, 1);
    assert.deepEqual(journalFiles(data()), files);
    assert.match(await expectSound(), /journal: \d+ facts in one chain/);
    await node.start();
  });

  test('a byte that is flipped in the archive meanwhile is refused, and nothing is removed', async () => {
    const files = journalFiles(data());
    const chunks = join(folder.path, 'archive', '000001');
    const name = join(chunks, readdirSync(chunks)[0] ?? '');
    const bytes = readFileSync(name);
    const flipped = Buffer.from(bytes);
    flipped[bytes.length - 40] = (bytes[bytes.length - 40] ?? 0) ^ 1;
    writeFileSync(name, flipped);
    const { state, error = '' } = await archiveNow(node, folder.path);
    assert.equal(state, 'failed');
    assert.match(error, /\.chunk at .* is not what was sent .*: nothing was removed; move it away/);
    assert.deepEqual(journalFiles(data()).slice(0, files.length), files);
    assert.ok(readFileSync(name).equals(flipped), 'nothing is written over');
    writeFileSync(name, bytes);
  });

  test('amid the removal: whichever files are left, the journal continues the baseline', async () => {
    await node.stop();
    const saved = path('saved');
    cpSync(data(), saved, { recursive: true, filter: (name) => !name.includes('lock.') });
    await node.start();
    const { state, position, error } = await archiveNow(node, folder.path);
    assert.equal(state, 'complete', error);
    await node.stop();
    const first = (position?.seq ?? 0) + 1;
    assert.deepEqual(journalFiles(data()), [first]);
    for (const { file, firstSequence: left } of logExtents(saved).toReversed()) {
      if (left >= first) continue;
      cpSync(file, join(data(), basename(file)));
      writeFileSync(join(data(), `journal-${String(left - 1).padStart(16, '0')}.mdb-lock`), 'left by a kill');
      await expectSound();
      await expectSound(left === 1 ? undefined : folder.path);
    }
    assert.deepEqual(journalFiles(data())[0], 1);
    await node.start();
    // There is nothing new that is so old: it only removes what was left.
    const begun = await node.operator.json('POST', '/archives', { before: 0, target: folder.path });
    assert.equal(begun.status, 202);
    await node.restart();
    const again = await archiveNow(node, folder.path);
    assert.equal(again.state, 'complete', again.error);
    assert.ok(journalFiles(data()).length === 1 && (journalFiles(data())[0] ?? 0) >= first);
    assert.deepEqual(strayLocks(data()), []);
    assert.equal((await node.buyers.purchase(apiKey, 'one', PURCHASE)).body.orderId, 1);
  });

  test('when a backup begins amid the removal, the files that are left stay', async () => {
    const saved = path('saved');
    const files = journalFiles(saved);
    let asked = 0;
    const broken = archive({
      folder: saved,
      target: folder.path,
      masterKey: undefined,
      beforeMs: Date.now(),
      through: (files.at(-1) ?? 0) - 1,
      baseline: null,
      epoch: 1,
      signal: new AbortController().signal,
      record: async () => {},
      expectRead: async () => {
        asked += 1;
        if (asked > 2) throw new Error('a backup is being made');
      },
    });
    await assert.rejects(broken, /a backup is being made/);
    assert.deepEqual(journalFiles(saved), files.slice(2));
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
    assert.match(await expectSound(), new RegExp(`webhooks: .* read up to fact ${position?.seq}\\b`));
    await node.start();
    assert.equal((await node.buyers.purchase(apiKey, 'one', PURCHASE)).body.orderId, 1);
    await node.stop();
    await expectSound();
    await node.start();
  });

  test('without the file of the baseline, verify says what is missing, and takes the archive', async () => {
    await node.stop();
    const [name = ''] = baselinesIn(data());
    renameSync(join(data(), name), path(name));
    const { isSound, text } = await verified(data());
    assert.ok(!isSound);
    assert.match(text, /ERROR: baseline-\d+\.mdb is missing/);
    await expectSound(folder.path);
    renameSync(path(name), join(data(), name));
  });

  test('a baseline of a format that is to come is refused, and named', async () => {
    const baseline = await baselineOf();
    assert.equal((await loadBaseline(data(), baseline)).head.position, baseline.position);
    await assert.rejects(
      loadBaseline(data(), { ...baseline, format: 2 }),
      /baseline-\d+\.mdb has format 2, and this version of Purser reads 1: .*purser archive fetch/,
    );
  });

  test('a byte that is flipped in the baseline is found', async () => {
    const [name = ''] = baselinesIn(data());
    const file = join(data(), name);
    const bytes = readFileSync(file);
    const flipped = Buffer.from(bytes);
    const at = bytes.indexOf('a buyer');
    assert.ok(at > 0);
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    writeFileSync(file, flipped);
    const { isSound, text } = await verified(data());
    assert.ok(!isSound, text);
    assert.match(text, /ERROR: .*baseline-\d+\.mdb is damaged/);
    writeFileSync(file, bytes);
    rmSync(path('saved'), { recursive: true });
  });
});
