/**
 * The shop on Redis: one connection a process, over which commands go out together and answers come back in order
 * (the client pipelines by itself). A purchase is one script: one round trip, and nobody in between.
 */
import { createClient } from 'redis';
import { hashOfApiKey, newApiKey } from '../api-keys.ts';
import type { OpenShopOptions } from '../peer.ts';
import type { NewProduct, PurchaseOutcome, PurchaseRequest, Shop, ShopOrder } from '../shop.ts';
import { creditScript, issueKeyScript, orderScript, purchaseScript } from './redis-scripts.ts';

/** Few enough that a command with them holds up the others for a millisecond at most. */
const itemsPerCommand = 1_000;

type RedisClient = ReturnType<typeof newClient>;

/** A client that doesn't connect again: a server that is gone is an error. */
function newClient(socketPath: string) {
  const client = createClient({
    socket: { path: socketPath, tls: false, reconnectStrategy: false },
    disableClientInfo: true,
    maintNotifications: 'disabled',
  });
  client.on('error', () => {
    // Every command that waits is rejected with it.
  });
  return client;
}

/** Rejects when nobody answers, or with LOADING while Redis reads its data. */
export async function probeRedis(socketPath: string): Promise<void> {
  const client = newClient(socketPath);
  try {
    await client.connect();
    await client.ping();
  } finally {
    if (client.isOpen) client.destroy();
  }
}

export async function openRedisShop({ address, broken }: OpenShopOptions): Promise<Shop> {
  const client = newClient(address);
  await client.connect();
  const load = async (script: string) => new Script(client, await client.scriptLoad(script));
  const scripts = {
    purchase: await load(purchaseScript),
    credit: await load(creditScript),
    issueKey: await load(issueKeyScript),
    order: await load(orderScript),
  };
  return broken ? new BrokenRedisShop(client, scripts) : new RedisShop(client, scripts);
}

/**
 * Run by its digest, so that its text is sent once. A function (FUNCTION LOAD, FCALL) would be stored with the data,
 * but runs in the same interpreter, no faster.
 */
class Script {
  readonly #client: RedisClient;
  readonly #digest: string;

  constructor(client: RedisClient, digest: string) {
    this.#client = client;
    this.#digest = digest;
  }

  run(...args: readonly (string | number)[]): Promise<string | null> {
    return this.#client.sendCommand(['EVALSHA', this.#digest, '0', ...args.map(String)]);
  }
}

interface Scripts {
  readonly purchase: Script;
  readonly credit: Script;
  readonly issueKey: Script;
  readonly order: Script;
}

class RedisShop implements Shop {
  protected readonly client: RedisClient;
  readonly #scripts: Scripts;

  constructor(client: RedisClient, scripts: Scripts) {
    this.client = client;
    this.#scripts = scripts;
  }

  async createAccount(name: string): Promise<number> {
    const accountId = await this.client.incr('accounts');
    await this.client.hSet(`account:${accountId}`, { name, balance: 0 });
    return accountId;
  }

  async credit(accountId: number, amountMicros: number, reference: string): Promise<boolean> {
    return (await this.#scripts.credit.run(accountId, reference, amountMicros)) !== null;
  }

  async issueKey(accountId: number): Promise<string | undefined> {
    const { apiKey, hash } = newApiKey();
    return (await this.#scripts.issueKey.run(accountId, hash)) === null ? undefined : apiKey;
  }

  async createProduct({ priceMicros, ...texts }: NewProduct): Promise<number> {
    const productId = await this.client.incr('products');
    await this.client.hSet(`product:${productId}`, { price: priceMicros, ...texts });
    return productId;
  }

  async addStock(productId: number, items: readonly string[]): Promise<number | undefined> {
    if ((await this.client.exists(`product:${productId}`)) === 0) return undefined;
    const commands: Promise<number>[] = [];
    for (let from = 0; from < items.length; from += itemsPerCommand) {
      commands.push(this.client.rPush(`stock:${productId}`, items.slice(from, from + itemsPerCommand)));
    }
    await Promise.all(commands);
    return items.length;
  }

  async purchase(request: PurchaseRequest): Promise<PurchaseOutcome> {
    const { apiKey, idempotencyKey, requestHash, productId, expectedPriceMicros } = request;
    const answer = await this.#scripts.purchase.run(
      hashOfApiKey(apiKey),
      idempotencyKey,
      requestHash,
      productId,
      expectedPriceMicros,
      Date.now(),
    );
    return JSON.parse(answer ?? '') as PurchaseOutcome;
  }

  async balance(apiKey: string): Promise<number | undefined> {
    const accountId = await this.client.get(`key:${hashOfApiKey(apiKey)}`);
    if (accountId === null) return undefined;
    return Number(await this.client.hGet(`account:${accountId}`, 'balance'));
  }

  async order(apiKey: string, orderId: number): Promise<ShopOrder | undefined> {
    const entry = await this.#scripts.order.run(hashOfApiKey(apiKey), orderId);
    if (entry === null) return undefined;
    const outcome = JSON.parse(entry.slice(entry.indexOf(' ') + 1)) as PurchaseOutcome;
    return 'order' in outcome ? outcome.order : undefined;
  }

  async close(): Promise<void> {
    if (this.client.isOpen) await this.client.close();
  }
}

/**
 * The shop without the script. A purchase is made of commands, and between any two of them others buy. So an item is
 * sold to all who look at the head of the list before the first takes it off, the wallet loses debits, and a key that
 * comes twice at once buys twice.
 */
class BrokenRedisShop extends RedisShop {
  override async purchase(request: PurchaseRequest): Promise<PurchaseOutcome> {
    const { apiKey, idempotencyKey, productId } = request;
    const { client } = this;
    const accountId = await client.get(`key:${hashOfApiKey(apiKey)}`);
    if (accountId === null) return { refusal: 'INVALID_API_KEY' };
    const wallet = `account:${accountId}`;
    const [balance, earlier] = await client.hmGet(wallet, ['balance', `key:${idempotencyKey}`]);
    if (typeof earlier === 'string') return JSON.parse(earlier.slice(earlier.indexOf(' ') + 1));
    const { price, instructions = '' } = await client.hGetAll(`product:${productId}`);
    const item = await client.lIndex(`stock:${productId}`, 0);
    if (item === null) return { refusal: 'OUT_OF_STOCK' };
    await client.lPop(`stock:${productId}`);
    const order: ShopOrder = {
      orderId: await client.incr('orders'),
      productId,
      priceMicros: Number(price),
      item,
      instructions,
      createdAtMs: Date.now(),
      balanceAfterMicros: Number(balance) - Number(price),
    };
    await client.hSet(wallet, {
      balance: order.balanceAfterMicros,
      [`key:${idempotencyKey}`]: `${request.requestHash} ${JSON.stringify({ order })}`,
      [`order:${order.orderId}`]: idempotencyKey,
    });
    return { order };
  }
}
