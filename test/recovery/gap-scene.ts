/**
 * A shop that is put back to an earlier moment: two nodes, one on a copy of the other's folder, which begins a new
 * epoch. The acts of the first one behind the copy are the gap; its orders have receipts.
 */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { verifyDataFolder } from '../../src/persistence/verify.ts';
import type { BuyerBody, PurchaseBody } from '../support/buyer-client.ts';
import { QuietNode } from '../support/nodes/quiet-node.ts';
import { ok } from '../support/operator-client.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

export interface TakenIn {
  readonly receipts: number;
  readonly recovered: number;
  readonly repeated: number;
  readonly waiting: number;
  readonly pendingCount: number;
  readonly pending: readonly { readonly line: number; readonly orderId: number; readonly reason: string }[];
  readonly invalidCount: number;
  readonly invalid: readonly { readonly line: number; readonly reason: string }[];
}

export interface Buyer {
  readonly accountId: number;
  apiKey: string;
}

export interface Sold {
  readonly buyer: Buyer;
  readonly key: string;
  readonly body: PurchaseBody;
  readonly orderId: number;
  /** The oldest first. */
  readonly receipts: string[];
  /** As the shop that was lost had it in the end. */
  order: BuyerBody;
  /** The items that were delivered at once. */
  readonly items: readonly string[];
}

export class GapScene {
  readonly lost: QuietNode;
  readonly sold = new Map<string, Sold>();
  #restored: QuietNode | undefined;

  private constructor(lost: QuietNode) {
    this.lost = lost;
  }

  static async start(name: string): Promise<GapScene> {
    return new GapScene(await QuietNode.start(name));
  }

  get restored(): QuietNode {
    return this.#restored ?? assert.fail('nothing is restored yet');
  }

  /** The folder as it is now. */
  async copy(): Promise<TemporaryFolder> {
    const copy = await createTemporaryFolder('restored');
    cpSync(this.lost.folder.path, copy.path, { recursive: true, filter: (path) => !/\/lock\./.test(path) });
    return copy;
  }

  /** The first shop is no more; the other one sells. */
  async restore(copy: TemporaryFolder): Promise<void> {
    await this.lost.stop();
    this.#restored = await QuietNode.start(copy);
  }

  async close(): Promise<void> {
    await this.lost.folder.remove();
    await this.#restored?.close();
  }

  async newBuyer(name: string, balanceUsdt = 1_000): Promise<Buyer> {
    const { operator } = this.lost;
    const { accountId = 0 } = await ok(operator.createAccount({ name, rateLimitPerMinute: null }));
    await ok(operator.credit(accountId, balanceUsdt, 'first'));
    return { accountId, apiKey: (await ok(operator.issueKey(accountId))).apiKey ?? '' };
  }

  async newProduct(fields: object, items: readonly string[] = []): Promise<number> {
    const input = { name: 'Goods', type: 'standard', priceUsdt: 1, ...fields };
    const { productId = 0 } = await ok(this.lost.operator.createProduct(input));
    if (items.length > 0) await ok(this.lost.operator.addStock(productId, items));
    return productId;
  }

  async buy(name: string, buyer: Buyer, productId: number, quantity = 1): Promise<number> {
    const key = `key of ${name}`;
    const body = { productId, quantity, expectedPriceUsdt: quantity, recipient: { username: '@some_one' } };
    const { status, text, body: order } = await this.lost.buyers.purchase(buyer.apiKey, key, body);
    assert.ok(status < 300, text);
    const { orderId = 0, delivery } = order;
    this.sold.set(name, { buyer, key, body, orderId, receipts: [], order, items: delivery?.items ?? [] });
    return orderId;
  }

  async keepReceipt(name: string): Promise<void> {
    const each = this.of(name);
    const { apiKey } = each.buyer;
    const { receipt } = (await this.lost.buyers.receipt(apiKey, each.orderId)).body;
    each.receipts.push(receipt ?? assert.fail(`no receipt of ${name}`));
    each.order = (await this.lost.buyers.order(apiKey, each.orderId)).body;
  }

  of(name: string): Sold {
    return this.sold.get(name) ?? assert.fail(name);
  }

  /** All receipts of these. */
  receiptsOf(...names: readonly string[]): string[] {
    return names.flatMap((name) => this.of(name).receipts);
  }

  async takeIn(...lines: readonly string[]): Promise<TakenIn> {
    const type = { 'content-type': 'text/plain' };
    const reply = await this.restored.operator.request('POST', '/restore/receipts', type, lines.join('\n'));
    assert.equal(reply.status, 200, reply.text);
    return reply.body as unknown as TakenIn;
  }

  /** As the buyer sees it in the restored shop. */
  async now(name: string): Promise<BuyerBody> {
    const { buyer, orderId } = this.of(name);
    return (await this.restored.buyers.order(buyer.apiKey, orderId)).body;
  }

  async assertAsItWas(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const { requestId: _, ...expected } = this.of(name).order;
      const { requestId: __, ...found } = await this.now(name);
      assert.deepEqual(found, expected, name);
    }
  }

  async stockOf(productId: number) {
    return (await ok(this.restored.operator.getProduct(productId))).availableStock;
  }

  /** Leaves the restored node stopped. */
  async assertSound(expected: RegExp): Promise<void> {
    await this.restored.stop();
    const lines: string[] = [];
    assert.ok(
      await verifyDataFolder(this.restored.folder.path, (line) => lines.push(line)),
      lines.join('\n'),
    );
    assert.match(lines.join('\n'), expected);
  }
}
