/**
 * `verify` on a folder in which orders of every kind have gone every way, with the checkpoint anywhere between;
 * recovery from the same folders; and what it says when an order is not what the journal made of it.
 */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Command } from '../../src/engine/decide/command.ts';
import { orderOf } from '../../src/engine/decide/history.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import type { Order } from '../../src/engine/orders.ts';
import { checkpointIn, openCheckpoint } from '../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold, type FoldLimits } from '../../src/persistence/checkpoint/checkpoint-fold.ts';
import { CheckpointHistory } from '../../src/persistence/checkpoint/checkpoint-history.ts';
import { writeOrderRow } from '../../src/persistence/checkpoint/order-row.ts';
import { ByteWriter } from '../../src/persistence/codec/byte-writer.ts';
import { numberKey } from '../../src/persistence/codec/number-key.ts';
import { UNFINISHED_FOLDER } from '../../src/persistence/disk/unfinished.ts';
import { beginFolder, STOCK_FILE } from '../../src/persistence/folder/data-folder.ts';
import { openLog, openLogReader } from '../../src/persistence/journal/open-log.ts';
import { KeyRing } from '../../src/persistence/keys/key-ring.ts';
import { openEnvironment } from '../../src/persistence/lmdb/lmdb-environment.ts';
import { recover } from '../../src/persistence/recovery.ts';
import { productStock } from '../../src/persistence/stock/product-stock.ts';
import { openStockStore, type StockStore } from '../../src/persistence/stock/stock-store.ts';
import { verifyDataFolder } from '../../src/persistence/verify.ts';
import { PRODUCT, placeOrder, worldFacts } from '../engine/commands.ts';
import { copyFolder } from '../suites/crash/damage/damage.ts';
import { changeRow, rowsOfCheckpoint } from '../support/rewritten-checkpoint.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { JournalFolder } from './journal/journal-folder.ts';

const MANUAL = 3;
const TEXTS = ['one', 'two'];

/** The commands that give orders 1 to 7, each alone in its group; what they come to is below. */
const COMMANDS: readonly Command[] = [
  placeOrder({ idempotencyKey: 'items' }),
  placeOrder({ idempotencyKey: 'delivered', productId: MANUAL }),
  placeOrder({ idempotencyKey: 'failed', productId: MANUAL }),
  placeOrder({ idempotencyKey: 'pending', productId: MANUAL }),
  bot(1),
  bot(MANUAL),
  bot(1),
  { kind: 'CompleteOrder', orderId: 2, textCount: TEXTS.length, areTextsWritten: true },
  placeOrder({ idempotencyKey: 'too dear', quantity: 60, expectedPriceUsdt: 120 }),
  { kind: 'PayOrder', orderId: 5, expectedPriceUsdt: null },
  { kind: 'PayOrder', orderId: 6, expectedPriceUsdt: 2 },
  { kind: 'FailOrder', orderId: 3 },
  { kind: 'FailOrder', orderId: 7 },
  { kind: 'RefundOrder', orderId: 1 },
  { kind: 'CompleteOrder', orderId: 6, textCount: 0, areTextsWritten: false },
  { kind: 'RefundOrder', orderId: 2 },
  {
    kind: 'CreateOperator',
    profile: { name: 'anna', role: 'viewer' },
    token: { sha256: 'a'.repeat(64), expiresAtMs: null },
  },
];
const STATUSES = ['refunded', 'refunded', 'failed', 'pending_delivery', 'completed', 'completed', 'failed'];

function bot(productId: number): Command {
  return {
    kind: 'OpenOrder',
    accountId: 1,
    productId,
    quantity: 1,
    recipientUsername: '@somebody',
    requestNumber: 0,
  };
}

let prepared: TemporaryFolder;
let preparedOrders: Order[];
describe('verify', () => {
  before(async () => {
    prepared = await createTemporaryFolder('verify');
    preparedOrders = await prepare(prepared.path);
  });
  after(() => prepared.remove());

  /** A folder with all its files, and the orders as they came to be. */
  async function scene(context: TestContext): Promise<{ path: string; orders: readonly Order[] }> {
    const { path, remove } = await createTemporaryFolder('verify');
    context.after(remove);
    copyFolder(prepared.path, path);
    return { path, orders: preparedOrders };
  }

  async function prepare(path: string): Promise<Order[]> {
    const { keys } = KeyRing.load({
      folder: path,
      fromEnvironment: undefined,
      isBegun: false,
      hasTexts: () => false,
    });
    await beginFolder(path);
    const stock = await openStockStore({
      file: join(path, STOCK_FILE),
      keys,
      onFatal: (error) => {
        throw error;
      },
    });
    await addItems(stock);
    const first = await JournalFolder.open(path);
    await first.append(worldFacts({ accounts: 1, products: 2, balanceMicros: 100_000_000, stock: 100 }));
    await first.close();
    const second = await JournalFolder.open(path);
    await execute(second, { kind: 'CreateProduct', profile: { ...PRODUCT, type: 'manual' } });
    for (const command of COMMANDS) {
      if (command.kind === 'CompleteOrder' && command.textCount > 0) {
        await stock.orderTexts.write(command.orderId, TEXTS);
      }
      const result = await execute(second, command);
      assert.equal(result instanceof Rejection, command.kind === 'PlaceOrder' && command.quantity === 60);
    }
    const orders = STATUSES.map((status, index) => {
      const order = second.engine.state.orders.get(index + 1);
      assert.ok(order);
      assert.equal(order.status, status, `order ${index + 1}`);
      return order;
    });
    await second.close();
    await stock.close();
    return orders;
  }

  async function addItems(stock: StockStore): Promise<void> {
    for (const productId of [1, 2]) {
      const readStock = async () => productStock(productId, 0);
      const intake = await stock.beginIntake({ productId, allowDuplicates: false, readStock });
      await intake.writeItems(Array.from({ length: 100 }, (_, index) => `item ${index}`));
      await intake.finish();
      intake.close();
    }
  }

  function execute({ engine }: JournalFolder, command: Command): Promise<unknown> {
    return new Promise((resolve) => engine.submit(command, resolve));
  }

  async function foldThrough(path: string, position: number, limits?: Partial<FoldLimits>): Promise<void> {
    const fold = new CheckpointFold(checkpointIn(path), openLogReader(path), limits);
    fold.foldThrough(position);
    while (fold.mergePart());
    await fold.close();
  }

  async function verdict(path: string): Promise<{ isSound: boolean; said: string }> {
    const lines: string[] = [];
    const isSound = await verifyDataFolder(path, (line) => lines.push(line));
    return { isSound, said: lines.join('\n') };
  }

  /** The position after the last command's fact. */
  const LAST =
    worldFacts({ accounts: 1, products: 2, balanceMicros: 1, stock: 1 }).length + 1 + COMMANDS.length;

  /** Orders are what became of them, from the checkpoint and what follows it, and `verify` finds nothing amiss. */
  async function assertSound(path: string, orders: readonly Order[], where: string): Promise<void> {
    const checkpoint = openCheckpoint(path);
    const log = openLog(path);
    const { state } = recover(log, checkpoint);
    await log.close();
    assert.equal(state.position, LAST);
    const history = new CheckpointHistory(checkpoint);
    for (const order of orders) assert.deepEqual(orderOf(state, history, order.orderId), order, where);
    checkpoint.close();
    const { isSound, said } = await verdict(path);
    assert.ok(isSound, `${where}: ${said}`);
    assert.match(said, /200 items of own stock, 2 delivered by hand or by a supplier/);
    assert.match(
      said,
      /^texts: 100 in two products or more.* item \d+ of product 1 and item \d+ of product 2;/m,
    );
  }

  test('with the checkpoint anywhere, orders are what became of them, and the folder is sound', async (context) => {
    const { path, orders } = await scene(context);
    for (let position = LAST - COMMANDS.length + 1; position <= LAST; position += 2) {
      await foldThrough(path, position);
      await assertSound(path, orders, `checkpoint at ${position}`);
    }
  });

  test('a fold in files of any length leaves the same', async (context) => {
    // An order changes in the file in which it was made, and in a later one.
    for (const fileFacts of [3, 1_000]) {
      const { path, orders } = await scene(context);
      await foldThrough(path, LAST, { fileFacts });
      await assertSound(path, orders, `in files of ${fileFacts} facts`);
    }
  });

  test("a fold whose file can't be written leaves the checkpoint where it was, and another one goes on", async (context) => {
    const { path, orders } = await scene(context);
    await foldThrough(path, LAST - 9, { fileFacts: 4 });
    const unfinished = join(checkpointIn(path), UNFINISHED_FOLDER);
    const fold = new CheckpointFold(checkpointIn(path), openLogReader(path));
    // Where files are written there is a file.
    writeFileSync(unfinished, '');
    assert.throws(() => fold.foldThrough(LAST), /ENOTDIR/);
    await fold.close();
    rmSync(unfinished);
    await assertSound(path, orders, 'after the failure');
    await foldThrough(path, LAST, { fileFacts: 5 });
    await assertSound(path, orders, 'folded by another');
  });

  test('a purchase is replayed with the order as it is now, from memory and from the checkpoint', async (context) => {
    const { path, orders } = await scene(context);
    for (const position of [LAST - 3, LAST]) {
      await foldThrough(path, position);
      const folder = await JournalFolder.open(path);
      const keys = ['items', 'delivered', 'failed', 'pending'];
      for (const [index, idempotencyKey] of keys.entries()) {
        const productId = index === 0 ? 1 : MANUAL;
        const result = await execute(folder, placeOrder({ idempotencyKey, productId }));
        assert.deepEqual(result, { order: orders[index], replayed: true }, idempotencyKey);
      }
      await folder.close();
    }
  });

  test('an order that the checkpoint has as it was, or otherwise, is found', async (context) => {
    const changes: [what: string, orderId: number, change: Partial<Order>][] = [
      ['a refund that is lost', 1, { status: 'completed' }],
      ['a delivery that is lost', 6, { status: 'pending_delivery' }],
      ['a delivery that never was', 4, { status: 'completed', textCount: 1 }],
      ['another account', 5, { accountId: 2 }],
      ['another total', 3, { totalMicros: 1 }],
    ];
    const { path, orders } = await scene(context);
    await foldThrough(path, LAST);
    for (const [what, orderId, change] of changes) {
      const order = orders[orderId - 1];
      assert.ok(order);
      await changeOrder(path, { ...order, ...change });
      const { isSound, said } = await verdict(path);
      assert.equal(isSound, false, what);
      assert.match(said, new RegExp(`ERROR: row ${orderId}(/\\d+)? of \\w+ .*(differs|is missing|explains)`));
      await changeOrder(path, order);
    }
    assert.deepEqual((await verdict(path)).isSound, true);
  });

  async function changeOrder(path: string, order: Order): Promise<void> {
    const out = new ByteWriter();
    writeOrderRow(out, order);
    changeRow(path, { table: 'orders', a: order.orderId, b: 0, value: out.copy() });
  }

  test('an operator whose row says another role, or is gone, and texts that are gone are found', async (context) => {
    const { path } = await scene(context);
    await foldThrough(path, LAST);
    const place = { table: 'operators', a: 1, b: 0 } as const;
    const row = rowsOfCheckpoint(path).find(({ table, a }) => table === place.table && a === place.a);
    assert.ok(row);
    changeRow(path, { ...place, value: Buffer.from(row.value.toString().replace('viewer', 'owner')) });
    assert.match((await verdict(path)).said, /ERROR: row 1 of operators differs from what the journal gives/);
    changeRow(path, place);
    assert.match((await verdict(path)).said, /ERROR: row 1 of operators is missing in the checkpoint/);
    changeRow(path, { ...place, value: row.value });
    const environment = openEnvironment(join(path, STOCK_FILE));
    environment.table('deliveries').removeSync(numberKey(2));
    await environment.close();
    const { isSound, said } = await verdict(path);
    assert.equal(isSound, false);
    assert.match(said, /ERROR: the texts of order 2: they are missing/);
  });
});
