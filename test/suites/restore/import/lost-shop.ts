/**
 * A shop whose folder was lost and restored: the backup has its first order, the folder that was lost has a second one and
 * another item. A copy of that was made before the second order.
 */
import assert from 'node:assert/strict';
import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { FolderTarget } from '../../../../src/backup/target/folder-target.ts';
import type { Flags } from '../../../../src/config/config.ts';
import type { LogHead } from '../../../../src/persistence/journal/frame-log.ts';
import { ok } from '../../../support/operator-client.ts';
import { runCommand } from '../../../support/purser-command.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { Random } from '../../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { backUpByHand } from '../hand-made-backup.ts';

export class LostShop {
  /** On the restored folder; stopped at first. */
  readonly node: QuietNode;
  readonly apiKey: string;
  readonly productId: number;
  /** The last fact that was restored. */
  readonly fork: LogHead;
  /** Of the second order. */
  readonly receipt: string;
  readonly #folder: TemporaryFolder;

  private constructor(
    folder: TemporaryFolder,
    node: QuietNode,
    { apiKey, productId, fork, receipt }: Pick<LostShop, 'apiKey' | 'productId' | 'fork' | 'receipt'>,
  ) {
    this.#folder = folder;
    this.node = node;
    this.apiKey = apiKey;
    this.productId = productId;
    this.fork = fork;
    this.receipt = receipt;
  }

  /** `flags` are those of the restored node. */
  static async make(flags: (target: string) => Flags = () => ({})): Promise<LostShop> {
    const folder = await createTemporaryFolder('lost-shop');
    const first = await QuietNode.start('first');
    const account = await ok(first.operator.createAccount({ name: 'buyer' }));
    const accountId = account.accountId ?? 0;
    const apiKey = (await ok(first.operator.issueKey(accountId))).apiKey ?? '';
    await ok(first.operator.credit(accountId, 100, 'first'));
    const productId = (await ok(first.operator.createProduct({ name: 'code', priceUsdt: 1 }))).productId ?? 0;
    await ok(first.operator.addStock(productId, 'a\nb\nc\nd'));
    const buy = (key: string) => first.buyers.purchase(apiKey, key, { productId, expectedPriceUsdt: 1 });
    assert.deepEqual((await buy('first')).body.delivery?.items, ['a']);
    await first.stop();
    const target = new FolderTarget(join(folder.path, 'target'), { makesFolder: true });
    const { head } = await backUpByHand(first.folder.path, {
      target,
      random: new Random(1),
      base: 1,
      hasLog: false,
      hasManifest: true,
    });
    await target.close();
    await first.restart();
    await ok(first.operator.credit(accountId, 1, 'behind the backup'));
    await first.stop();
    cpSync(first.folder.path, join(folder.path, 'older'), { recursive: true });
    await first.restart();
    const second = (await buy('second')).body;
    assert.deepEqual(second.delivery?.items, ['b']);
    const { receipt = '' } = (await first.buyers.receipt(apiKey, second.orderId ?? 0)).body;
    await ok(first.operator.addStock(productId, 'e'));
    await first.stop();
    renameSync(first.folder.path, join(folder.path, 'lost'));
    const node = QuietNode.on(first.folder, flags(join(folder.path, 'target')));
    const shop = new LostShop(folder, node, { apiKey, productId, fork: head, receipt });
    await shop.restore(node.folder.path);
    return shop;
  }

  get lost(): string {
    return this.path('lost');
  }

  /** A copy of `lost`, from before its last order. */
  get older(): string {
    return this.path('older');
  }

  /** Of the backup. */
  get target(): string {
    return this.path('target');
  }

  path(name: string): string {
    return join(this.#folder.path, name);
  }

  /** The backup, to this folder. */
  async restore(to: string, ...more: string[]) {
    const given = ['restore', this.target, '--data', to, '--master-key-file', join(this.lost, 'master-key')];
    const { code, stderr, stdout } = await runCommand([...given, '--json', ...more]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  }

  buy(key: string) {
    const { apiKey, productId } = this;
    return this.node.buyers.purchase(apiKey, key, { productId, expectedPriceUsdt: 1 });
  }

  /** `GET /restore`. */
  async status() {
    return JSON.parse((await this.node.operator.json('GET', '/restore')).text);
  }

  /** All that the folder had which was lost, in the next epoch, and it goes on. */
  async expectImported(): Promise<void> {
    const { sales, epoch, gap } = await this.status();
    assert.deepEqual([sales, epoch, gap], ['open', 3, null]);
    for (const [key, item] of [
      ['first', 'a'],
      ['second', 'b'],
      ['third', 'c'],
    ] as const) {
      assert.deepEqual((await this.buy(key)).body.delivery?.items, [item]);
    }
    const { availableStock } = await ok(this.node.operator.getProduct(this.productId));
    assert.equal(availableStock, 2);
  }

  /** As a restore left it. */
  async expectRestored(): Promise<void> {
    const { sales, epoch } = await this.status();
    assert.deepEqual([sales, epoch], ['closed', 2]);
    assert.equal((await this.buy('second')).body.error, 'SALES_CLOSED');
  }

  async close(): Promise<void> {
    await this.node.close();
    await this.#folder.remove();
  }
}
