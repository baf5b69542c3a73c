/**
 * A node on a small disk of its own, with buyers that buy all the time: what never runs out, a few items of a product that
 * does, and one a second for a receiver of webhooks.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ok } from '../../support/operator-client.ts';
import { WEBHOOK_PORT } from '../../support/servers/loopback-listener.ts';
import { answer, reset, type TlsReceiver } from '../../support/servers/tls-receiver.ts';
import { mountSmallDisk, type SmallDisk } from '../../support/small-disk.ts';
import { WebhookScene } from '../../webhooks/delivery/webhook-scene.ts';
import { type ServerUnderTest, startServer } from '../crash/shop/server-under-test.ts';

const DISK_MEGABYTES = 512;
const ITEMS = 400;
const FILE = 1;
const CODES = 2;
const PRICE_USDT = 1;

const WORKERS = 4;
/** The pause of each worker between two purchases. */
const PAUSE_MS = 20;

export class MonitoredShop {
  readonly server: ServerUnderTest;
  readonly disk: SmallDisk;
  readonly #receiver: TlsReceiver;
  readonly #buyer: string;
  readonly #subscriber: string;
  #isOpen = true;
  #work: Promise<unknown> = Promise.resolve();

  private constructor(
    server: ServerUnderTest,
    disk: SmallDisk,
    receiver: TlsReceiver,
    keys: readonly [string, string],
  ) {
    this.server = server;
    this.disk = disk;
    this.#receiver = receiver;
    [this.#buyer, this.#subscriber] = keys;
  }

  /** `onEnd` is given what is to be undone, the last first, whatever happens here. */
  static async open(folder: string, onEnd: (undo: () => unknown) => void): Promise<MonitoredShop> {
    const disk = mountSmallDisk(folder, DISK_MEGABYTES);
    onEnd(() => disk.unmount());
    const network = await WebhookScene.open();
    onEnd(() => network.close());
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, network.authority.certificate);
    const server = await startServer({
      dataDir: join(disk.path, 'data'),
      flags: [
        ...['--dns-server', network.dns.address, '--webhook-allow', '127.0.0.0/8'],
        ...['--webhook-retries', '1s,1s,1s', '--log-level', 'error'],
      ],
      env: { NODE_EXTRA_CA_CERTS: authority },
    });
    onEnd(() => server.stop());
    const { operator, buyers } = server;
    await ok(operator.createProduct({ name: 'File', type: 'file', priceUsdt: PRICE_USDT }));
    await ok(operator.setFile(FILE, new Uint8Array(1_000)));
    await ok(operator.createProduct({ name: 'Codes', type: 'standard', priceUsdt: PRICE_USDT }));
    await ok(operator.addStock(CODES, newItems()));
    const keys = [await newKey(server), await newKey(server)] as const;
    const receiver = await network.receiver('shop.test', answer(200));
    const url = `https://shop.test:${WEBHOOK_PORT}/hook`;
    const { status, text } = await buyers.setWebhook(keys[1], { url, events: ['order.completed'] });
    if (status >= 300) throw new Error(`the webhook was refused with ${status}: ${text}`);
    const shop = new MonitoredShop(server, disk, receiver, keys);
    onEnd(() => shop.#endLoad());
    return shop;
  }

  /** A token for Prometheus. */
  async scraperToken(): Promise<string> {
    const input = { name: 'prometheus', role: 'metrics' };
    const { token } = await ok(this.server.operator.json('POST', '/operators', input));
    return token ?? '';
  }

  /** Buys until the end, whatever the answers are. */
  startLoad(): void {
    const buyers = Array.from({ length: WORKERS }, () => this.#buyOften(this.#buyer, PAUSE_MS));
    this.#work = Promise.all([...buyers, this.#buyOften(this.#subscriber, 1_000)]);
  }

  /** Buys codes until so few are left. */
  async sellOutTo(left: number): Promise<void> {
    for (;;) {
      const { availableStock } = await ok(this.server.operator.getProduct(CODES));
      if (Number(availableStock) <= left) return;
      await this.#buy(this.#buyer, CODES);
    }
  }

  async restock(): Promise<void> {
    await ok(this.server.operator.addStock(CODES, newItems()));
  }

  /** Takes all of the disk but this share, without ever filling it. */
  takeRoom(left: number): void {
    const { bavail, blocks, bsize } = statfsSync(this.disk.path);
    const chunk = Buffer.alloc(1024 * 1024);
    for (let bytes = (bavail - blocks * left) * bsize; bytes > 0; bytes -= chunk.length) {
      appendFileSync(this.#taken, chunk);
    }
  }

  giveRoomBack(): void {
    rmSync(this.#taken, { force: true });
    this.disk.free();
  }

  killReceiver(): void {
    this.#receiver.behaviour = reset();
  }

  reviveReceiver(): void {
    this.#receiver.behaviour = answer(200);
  }

  async metrics(): Promise<string> {
    return (await this.server.operator.request('GET', '/metrics', {})).text;
  }

  async #endLoad(): Promise<void> {
    this.#isOpen = false;
    await this.#work;
  }

  get #taken(): string {
    return join(this.disk.path, 'taken');
  }

  async #buyOften(apiKey: string, pauseMs: number): Promise<void> {
    while (this.#isOpen) {
      await this.#buy(apiKey, FILE);
      await delay(pauseMs);
    }
  }

  async #buy(apiKey: string, productId: number): Promise<void> {
    const body = { productId, expectedPriceUsdt: PRICE_USDT };
    await this.server.buyers.purchase(apiKey, randomUUID(), body);
  }
}

async function newKey({ operator }: ServerUnderTest): Promise<string> {
  const { accountId = 0 } = await ok(operator.createAccount({ name: 'buyer', rateLimitPerMinute: null }));
  await ok(operator.credit(accountId, 10_000_000, randomUUID()));
  return (await ok(operator.issueKey(accountId))).apiKey ?? '';
}

function newItems(): string[] {
  return Array.from({ length: ITEMS }, () => randomUUID());
}
