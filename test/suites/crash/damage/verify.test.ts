/**
 * `purser verify` compares the checkpoint with the journal in both directions: some fact must have left every row. Rows
 * are sound in themselves here; damaged ones are found by their checksums (`damaged-folder.test.ts`), and other faults
 * in `test/persistence/verify.test.ts`. The command changes no file, and says of a folder that a node has that it is in
 * use.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { keyHash } from '../../../../src/engine/recent/key-hash.ts';
import { encodeJson } from '../../../../src/persistence/codec/sealed-row.ts';
import { lockFolder } from '../../../../src/persistence/folder/folder-lock.ts';
import { openEnvironment } from '../../../../src/persistence/lmdb/lmdb-environment.ts';
import { verifyDataFolder } from '../../../../src/persistence/verify.ts';
import { runCommand } from '../../../support/nodes/purser-command.ts';
import { QuietNode } from '../../../support/nodes/quiet-node.ts';
import {
  type CheckpointRow,
  rewriteCheckpoint,
  rowsOfCheckpoint,
} from '../../../support/rewritten-checkpoint.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { sellCodes } from '../../restore/random-shop.ts';
import { copyFolder, filesBelow } from './damage.ts';

const INVENTIONS: Readonly<Record<string, (rows: readonly CheckpointRow[]) => CheckpointRow>> = {
  'an order': (rows) => ({ ...(rows.find(({ table }) => table === 'orders') ?? assert.fail()), a: 2 }),
  'a credit': () => ({
    table: 'credits',
    a: keyHash(1, 'a gift'),
    b: 1,
    value: encodeJson({ accountId: 1, reference: 'a gift', amountMicros: 1, balanceAfterMicros: 1 }),
  }),
};

/** Every file with when it was changed, how long it is, and what is in it. */
function listing(path: string): unknown[] {
  return filesBelow(path).map((name) => {
    const { mtimeMs, size } = statSync(join(path, name));
    const hash = createHash('sha256').update(readFileSync(join(path, name)));
    return [name, mtimeMs, size, hash.digest('hex')];
  });
}

describe('purser verify', { timeout: 240_000 }, () => {
  let place: TemporaryFolder;
  let dataDir: string;

  before(async () => {
    place = await createTemporaryFolder('verify');
    dataDir = join(place.path, 'data');
    const node = await QuietNode.start({ path: dataDir, remove: async () => {} });
    const apiKey = await sellCodes(node);
    const body = { productId: 1, expectedPriceUsdt: 1 };
    assert.equal((await node.buyers.purchase(apiKey, 'a key', body)).status, 201);
    await node.stop();
  });
  after(() => place.remove());

  async function verified(folder: string): Promise<{ isSound: boolean; printed: string }> {
    const lines: string[] = [];
    const isSound = await verifyDataFolder(folder, (line) => lines.push(line));
    return { isSound, printed: lines.join('\n') };
  }

  test('leaves every file as it was, damaged or not, also without the lock files', async () => {
    const copy = join(place.path, 'listed');
    copyFolder(dataDir, copy);
    for (const name of filesBelow(copy)) if (name.endsWith('.mdb-lock')) rmSync(join(copy, name));
    for (const folder of [dataDir, copy]) {
      const before = listing(folder);
      const { isSound, printed } = await verified(folder);
      assert.ok(isSound, printed);
      assert.match(printed, /, 1 orders?,/);
      assert.deepEqual(listing(folder), before);
    }
    const environment = openEnvironment(join(copy, 'stock.mdb'));
    environment.table('meta').putSync(Buffer.from('format'), Buffer.from([99]));
    await environment.close();
    const damaged = listing(copy);
    const { isSound, printed } = await verified(copy);
    assert.equal(isSound, false);
    assert.match(printed, new RegExp(`^ERROR: ${join(copy, 'stock.mdb')} has format 63`, 'm'));
    assert.deepEqual(listing(copy), damaged);
  });

  test('says of a running node’s folder that it is in use, with an exit code of its own', async () => {
    const lock = await lockFolder(dataDir);
    const before = filesBelow(dataDir);
    const { code, stdout, stderr } = await runCommand(['verify', '--data', dataDir]);
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /^error: nothing is known of .* in use by a running purser \(pid \d+\); stop that/);
    assert.deepEqual(filesBelow(dataDir), before);
    await lock.release();
  });

  for (const [what, invent] of Object.entries(INVENTIONS)) {
    test(`finds ${what} that no fact explains`, async () => {
      const copy = join(place.path, what);
      copyFolder(dataDir, copy);
      const rows = rowsOfCheckpoint(copy);
      const invented = invent(rows);
      rewriteCheckpoint(copy, [...rows, invented]);
      const { isSound, printed } = await verified(copy);
      assert.equal(isSound, false, printed);
      const row = `of ${invented.table} is in the checkpoint, and no fact explains it`;
      assert.match(printed, new RegExp(`^ERROR: row .* ${row}$`, 'm'));
    });
  }
});
