/**
 * `purser verify` compares the checkpoint with the journal in both directions: what a fact left there must be
 * there, and what is there, some fact must have left. Rows are sound in themselves here; damaged ones are found
 * by their checksums, in `damaged-folder.test.ts`. It changes no file, reads a folder that it may not write to, and says
 * of one that a node has that it is in use.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  creditKey,
  encodeRefusal,
  OrderBlock,
  orderBlockOf,
} from '../../../src/persistence/checkpoint/checkpoint-rows.ts';
import {
  type CheckpointTables,
  openCheckpoint,
} from '../../../src/persistence/checkpoint/checkpoint-tables.ts';
import { ByteWriter } from '../../../src/persistence/codec/byte-writer.ts';
import { numberKey } from '../../../src/persistence/codec/number-key.ts';
import { encodeJson, seal, unseal } from '../../../src/persistence/codec/sealed-row.ts';
import { lockFolder } from '../../../src/persistence/folder/folder-lock.ts';
import { openEnvironment } from '../../../src/persistence/lmdb/lmdb-environment.ts';
import { lockFileOf } from '../../../src/persistence/lmdb/lock-file.ts';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { runCommand } from '../../support/purser-command.ts';
import { randomFromEnvironment } from '../../support/random.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { copyFolder, filesBelow } from './damage.ts';
import { Ledger } from './ledger.ts';
import { startServer } from './server-under-test.ts';
import { setStage } from './stage.ts';
import { Traffic } from './traffic.ts';

const FAR = 1_000_000;

/** A copy of the first account, under this number. */
function addAccount({ accounts }: CheckpointTables, accountId: number): void {
  const row = accounts.get(numberKey(1));
  assert.ok(row !== undefined);
  const fields = JSON.parse(unseal('accounts', numberKey(1), row).toString()) as object;
  const key = numberKey(accountId);
  accounts.putSync(key, seal(key, Buffer.from(JSON.stringify({ ...fields, accountId }))));
}

function addOrder(tables: CheckpointTables, orderId: number, block: number): void {
  const key = numberKey(block);
  const first = tables.orders.get(numberKey(0));
  const order = first && OrderBlock.decode(unseal('orders', numberKey(0), first)).get(1);
  assert.ok(order !== undefined);
  const row = tables.orders.get(key);
  const orders = row === undefined ? new OrderBlock() : OrderBlock.decode(unseal('orders', key, row));
  orders.set({ ...order, orderId });
  tables.orders.putSync(key, seal(key, orders.encode(new ByteWriter())));
}

const REFUSAL = {
  code: 'NOT_FOUND',
  accountId: 1,
  idempotencyKey: 'never sent',
  productId: 1,
  quantity: 1,
  expectedPriceUsdt: 1,
  recipientUsername: null,
  requestNumber: 0,
  currentPriceMicros: null,
} as const;

const inventions: readonly (readonly [what: string, add: (tables: CheckpointTables) => void])[] = [
  ['an account', (tables) => addAccount(tables, [...tables.accounts.getKeys()].length + 1)],
  ['an order in the last row', (tables) => addOrder(tables, ORDERS + 1, orderBlockOf(ORDERS + 1))],
  ['an order where nobody looks', (tables) => addOrder(tables, FAR, 0)],
  [
    'a refusal',
    ({ refusals }) => {
      const key = numberKey(FAR);
      refusals.putSync(key, seal(key, encodeRefusal(new ByteWriter(), REFUSAL)));
    },
  ],
  [
    'a credit',
    ({ credits }) => {
      const key = creditKey(1, 'a gift');
      const credit = { accountId: 1, reference: 'a gift', amountMicros: 1, balanceAfterMicros: 1 };
      credits.putSync(key, seal(key, encodeJson(credit)));
    },
  ],
];

const ORDERS = 70;

/** Every file with when it was changed, how long it is, and what is in it. */
function listing(path: string): unknown[] {
  return filesBelow(path).map((name) => {
    const { mtimeMs, size } = statSync(join(path, name));
    const hash = createHash('sha256')
      .update(readFileSync(join(path, name)))
      .digest('hex');
    return [name, mtimeMs, size, hash];
  });
}

describe('purser verify', { timeout: 240_000 }, () => {
  let folder: TemporaryFolder;
  let dataDir: string;

  before(async () => {
    folder = await createTemporaryFolder('verify');
    dataDir = join(folder.path, 'data');
    const server = await startServer({ dataDir });
    const ledger = new Ledger();
    const random = randomFromEnvironment();
    await setStage(server, ledger, 2 * ORDERS);
    const traffic = new Traffic(server, ledger, random, { workers: 4, maxPurchases: 40, restocks: false });
    await traffic.run();
    const [buyer] = ledger.buyers;
    const [product] = ledger.products;
    assert.ok(buyer !== undefined && product !== undefined);
    for (let count = ledger.orders().length; count < ORDERS; count += 1) {
      const body = { productId: product.productId, expectedPriceUsdt: product.priceCents / 100 };
      const { status, text } = await server.buyers.purchase(buyer.apiKey, `order ${count}`, body);
      assert.equal(status, 201, text);
    }
    await server.stop();
  });
  after(() => folder.remove());

  async function verified(path: string): Promise<{ isSound: boolean; printed: string }> {
    const lines: string[] = [];
    const isSound = await verifyDataFolder(path, (line) => lines.push(line));
    return { isSound, printed: lines.join('\n') };
  }

  test('finds nothing amiss in what a server left, nor without its lock files; leaves every file as it was, damaged or not', async () => {
    const copy = join(folder.path, 'listed');
    copyFolder(dataDir, copy);
    for (const name of filesBelow(copy)) if (name.endsWith('.mdb-lock')) rmSync(join(copy, name));
    for (const path of [dataDir, copy]) {
      const before = listing(path);
      const { isSound, printed } = await verified(path);
      assert.ok(isSound, printed);
      assert.match(printed, new RegExp(`, ${ORDERS} orders,`));
      assert.deepEqual(listing(path), before);
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
    try {
      const { code, stdout, stderr } = await runCommand(['verify', '--data', dataDir]);
      assert.deepEqual([code, stdout], [3, '']);
      assert.match(
        stderr,
        /^error: nothing is known of .* in use by a running purser \(pid \d+\); stop that/,
      );
      assert.deepEqual(filesBelow(dataDir), before);
    } finally {
      await lock.release();
    }
  });

  test('reads a folder on a read-only disk, and one that a node has there', {
    skip: whyNoSmallDisk() ?? false,
  }, async () => {
    const disk = mountSmallDisk(folder.path, 8);
    const copy = join(disk.path, 'copy');
    try {
      copyFolder(dataDir, copy);
      rmSync(lockFileOf(join(copy, 'stock.mdb')));
      const lock = await lockFolder(copy);
      disk.makeReadOnly();
      // In processes of their own: what the database has opened for reading keeps the disk busy until the process ends.
      const verify = ['verify', '--data', copy];
      assert.equal((await runCommand(verify)).code, 3);
      await lock.release().catch(() => undefined);
      const before = filesBelow(copy);
      const { code, stdout, stderr } = await runCommand(verify);
      assert.equal(code, 0, stdout + stderr);
      assert.deepEqual(filesBelow(copy), before);
    } finally {
      disk.unmount();
    }
  });

  for (const [what, add] of inventions) {
    test(`finds ${what} that no fact explains`, async () => {
      const copy = join(folder.path, what.replaceAll(' ', '-'));
      copyFolder(dataDir, copy);
      const tables = openCheckpoint(copy);
      add(tables);
      await tables.environment.close();
      const { isSound, printed } = await verified(copy);
      assert.equal(isSound, false, printed);
      assert.match(printed, /^ERROR: .*checkpoint/m);
    });
  }
});
