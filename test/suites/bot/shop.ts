/**
 * The shop behind the bot: a real node with products of each kind, the chain that credits deposits, and the clerk who
 * delivers by hand and gives money back. Every item has a text of its own, so that each place where it is shown is known.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { BuyerClient } from '../../support/buyer-client.ts';
import { type PurserProcess, startPurser } from '../../support/nodes/purser-process.ts';
import { OperatorClient, ok } from '../../support/operator-client.ts';
import type { Random } from '../../support/random.ts';

export interface Goods {
  readonly productId: number;
  readonly kind: 'items' | 'pack' | 'file' | 'manual';
  readonly priceUsdt: number;
}

export interface Order {
  readonly orderId: number;
  readonly accountId: number;
  readonly productId: number;
  readonly quantity: number;
  readonly status: string;
  readonly totalPriceUsdt: number;
  readonly refundedUsdt?: number;
  readonly delivery?: { readonly items?: readonly string[] };
}

export interface Movement {
  readonly kind: string;
  readonly amountUsdt: number;
  readonly reference?: string;
}

const FLAGS = ['--deposit-address', 'trc20=TShopOne', '--deposit-address', 'trc20=TShopTwo'];
const CONFIRMED = 20;
const FILE = Buffer.from(Array.from({ length: 3_000 }, (_, index) => (index * 7) % 256));
/** Items of a pack are more than a message holds. */
export const PACK = 200;
const STOCK = { items: 60_000, pack: 120_000 } as const;

export class Shop {
  readonly file = FILE;
  readonly goods: Goods[] = [];
  readonly buyers: BuyerClient;
  /** Deposits that the chain told of, by account: the references. */
  readonly paid = new Map<number, string[]>();
  readonly node: PurserProcess;
  readonly operator: OperatorClient;
  #delivered = 0;
  #transfers = 0;

  private constructor(node: PurserProcess) {
    this.node = node;
    this.operator = new OperatorClient(node.operatorUrl, node.operatorToken);
    this.buyers = new BuyerClient(node.buyerUrl);
  }

  static async open(dataDir: string): Promise<Shop> {
    const shop = new Shop(await startPurser({ dataDir, flags: FLAGS }));
    await shop.#add('items', { name: 'Game <code> & more', priceUsdt: 1.5, instructions: 'Use it <once>.' });
    await shop.#add('pack', { name: 'Pins', priceUsdt: 0.01 });
    await shop.#add('file', { name: 'Handbook', type: 'file', priceUsdt: 2 });
    await shop.#add('manual', { name: 'Top-up', type: 'manual', priceUsdt: 3 });
    return shop;
  }

  async close(): Promise<void> {
    this.buyers.close();
    await this.node.stop();
  }

  goodsOf(kind: Goods['kind']): Goods {
    return this.goods.find((each) => each.kind === kind) ?? assert.fail(kind);
  }

  kindOf(productId: number): Goods['kind'] {
    return this.goods.find((each) => each.productId === productId)?.kind ?? assert.fail(String(productId));
  }

  async #add(
    kind: Goods['kind'],
    input: { name: string; priceUsdt: number; type?: string; instructions?: string },
  ) {
    const { productId = 0 } = await ok(this.operator.createProduct(input));
    this.goods.push({ productId, kind, priceUsdt: input.priceUsdt });
    if (kind === 'file') await ok(this.operator.setFile(productId, FILE, 'application/pdf'));
    if (kind !== 'items' && kind !== 'pack') return;
    const texts = Array.from({ length: STOCK[kind] }, (_, index) => itemText(kind, index));
    await ok(this.operator.addStock(productId, texts.join('\n')));
  }

  async json<T>(method: string, path: string, body?: object): Promise<T> {
    const { status, text } = await this.operator.json(method, path, body);
    assert.ok(status >= 200 && status < 300, `${method} ${path}: ${status} ${text}`);
    return JSON.parse(text) as T;
  }

  async botToken(): Promise<string> {
    return (await this.json<{ token: string }>('POST', '/operators', { name: 'bot', role: 'bot' })).token;
  }

  /** Undefined before the bot has made it. */
  async accountOf(chatId: number): Promise<number | undefined> {
    const path = `/accounts?externalId=${encodeURIComponent(`telegram:${chatId}`)}`;
    const { accounts } = await this.json<{ accounts: { accountId: number }[] }>('GET', path);
    return accounts[0]?.accountId;
  }

  /** All of them; what was delivered where there is something. */
  async ordersOf(accountId: number): Promise<Order[]> {
    const orders: Order[] = [];
    for (let cursor = ''; ; ) {
      const path = `/orders?accountId=${accountId}&limit=100${cursor}`;
      const page = await this.json<{ orders: Order[]; nextCursor?: string }>('GET', path);
      for (const order of page.orders)
        orders.push(
          order.status === 'completed' ? await this.json('GET', `/orders/${order.orderId}`) : order,
        );
      if (page.nextCursor === undefined) return orders;
      cursor = `&cursor=${page.nextCursor}`;
    }
  }

  async movementsOf(accountId: number): Promise<Movement[]> {
    const movements: Movement[] = [];
    for (let cursor = ''; ; ) {
      const path = `/accounts/${accountId}/statement?limit=1000${cursor}`;
      const page = await this.json<{ movements: Movement[]; nextCursor?: string }>('GET', path);
      movements.push(...page.movements);
      if (page.nextCursor === undefined) return movements;
      cursor = `&cursor=${page.nextCursor}`;
    }
  }

  /** Reports a transfer of the whole amount, as watchers do: early, late, and more than once. */
  async pay(accountId: number, address: string, amountUsdt: number, random: Random): Promise<void> {
    this.#transfers += 1;
    const txId = `tx${this.#transfers}`;
    const transfer = { network: 'trc20', txId, address, amountUsdt, at: Date.now() };
    const report = (confirmations: number) =>
      this.json<{ state: string }>('POST', '/deposits/observed', { ...transfer, confirmations });
    if (random.chance(0.3)) assert.equal((await report(CONFIRMED - 1)).state, 'waiting');
    const reports = await Promise.all(Array.from({ length: random.between(1, 2) }, () => report(CONFIRMED)));
    for (const { state } of reports) assert.equal(state, 'credited');
    this.paid.set(accountId, [...(this.paid.get(accountId) ?? []), `trc20:${txId}:0`]);
  }

  /** Delivers all that waits for a person. */
  async deliver(): Promise<void> {
    const { orders } = await this.json<{ orders: Order[] }>(
      'GET',
      '/orders?status=pending_delivery&limit=100',
    );
    for (const { orderId } of orders) {
      this.#delivered += 1;
      const items = [itemText('manual', this.#delivered)];
      await ok(this.operator.moveOrder(orderId, 'complete', { items }));
    }
  }

  /** All of its money; false when it can't be given back. */
  async refund(orderId: number): Promise<boolean> {
    return (await this.operator.adjustOrder(orderId, 'refund', {}, randomUUID())).status === 200;
  }
}

/** Some have what a careless bot would take for marks. */
function itemText(kind: string, index: number): string {
  return `ITEM-${kind}-${index}${index % 7 === 0 ? ' <a & b> _*`"' : ''}`;
}

export function itemIdsIn(text: string): string[] {
  return text.match(/ITEM-\w+?-\d+/g) ?? [];
}
