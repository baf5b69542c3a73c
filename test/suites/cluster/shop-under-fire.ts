/**
 * A shop of three nodes as processes, under load, and what the outside knows of it: every request and answer, and every
 * webhook event. Whatever is done to the nodes, `audit` compares the shop with that. The ledger is in the test's process,
 * which no fault touches.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually.ts';
import { ClusterShop } from '../../support/nodes/cluster-shop.ts';
import { ok } from '../../support/operator-client.ts';
import type { Random } from '../../support/random.ts';
import { WEBHOOK_PORT } from '../../support/servers/loopback-listener.ts';
import { PostgresRig } from '../../support/servers/postgres-rig.ts';
import type { TlsReceiver } from '../../support/servers/tls-receiver.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { WebhookScene } from '../../webhooks/delivery/webhook-scene.ts';
import { audit } from '../crash/shop/audit.ts';
import { type Attempt, Ledger, send } from '../crash/shop/ledger.ts';
import { type ServerUnderTest, underTest } from '../crash/shop/server-under-test.ts';
import { enterUpload, sendUpload, setStage } from '../crash/shop/stage.ts';
import { Traffic } from '../crash/shop/traffic.ts';

export const NODES = ['a', 'b', 'c'];
/** The stock of each product when a load begins: more than it buys. */
const STOCK = 2_000;
/** Longer than any wait between attempts. */
const TOLD_MS = 60_000;

export class ShopUnderFire {
  readonly rig: PostgresRig;
  readonly nodes: ClusterShop;
  readonly ledger = new Ledger();
  readonly #folder: TemporaryFolder;
  readonly #scene: WebhookScene;
  readonly #receiver: TlsReceiver;
  readonly #random: Random;

  private constructor(
    parts: { rig: PostgresRig; nodes: ClusterShop; folder: TemporaryFolder; scene: WebhookScene },
    receiver: TlsReceiver,
    random: Random,
  ) {
    this.rig = parts.rig;
    this.nodes = parts.nodes;
    this.#folder = parts.folder;
    this.#scene = parts.scene;
    this.#receiver = receiver;
    this.#random = random;
  }

  /** `prepare`: before there is a node. `urlOf`: of the log, as a node sees it. */
  static async open(
    random: Random,
    prepare?: (rig: PostgresRig) => Promise<unknown>,
    urlOf = (rig: PostgresRig, _node: string) => rig.url,
  ): Promise<ShopUnderFire> {
    const [rig, folder, scene] = await Promise.all([
      PostgresRig.start(),
      createTemporaryFolder('fire'),
      WebhookScene.open(),
    ]);
    const ca = join(folder.path, 'ca.pem');
    writeFileSync(ca, scene.authority.certificate);
    const webhooks = ['--dns-server', scene.dns.address, '--webhook-allow', '127.0.0.0/8'];
    const nodes = new ClusterShop({
      folder: folder.path,
      url: (node) => urlOf(rig, node),
      flags: [...webhooks, '--group-window', '20ms', '--webhook-retries', '50ms,50ms,1s'],
      env: { NODE_EXTRA_CA_CERTS: ca },
    });
    const receiver = await scene.receiver('receiver.test');
    const shop = new ShopUnderFire({ rig, nodes, folder, scene }, receiver, random);
    try {
      await prepare?.(rig);
      await shop.#begin();
    } catch (error) {
      await shop.close();
      throw error;
    }
    return shop;
  }

  /** The node that leads, as buyers and operators reach it. */
  async leader(): Promise<{ readonly name: string; readonly server: ServerUnderTest }> {
    const name = await this.nodes.leader();
    const process = this.nodes.running.get(name);
    assert.ok(process !== undefined);
    return { name, server: underTest(process) };
  }

  /** Load on the leader, until `hurt` has happened to it, a moment after the load is under way. Attempts of that time. */
  async underLoad(hurt: (leader: string) => Promise<void>): Promise<Attempt[]> {
    const known = this.ledger.attempts.length;
    const { name, server } = await this.leader();
    await this.#stockUp(server);
    const traffic = new Traffic(server, this.ledger, this.#random, {
      workers: 24,
      maxPurchases: 2_000,
      restocks: true,
    });
    const running = traffic.run();
    await traffic.untilAcknowledged(12);
    await delay(this.#random.between(5, 300));
    traffic.expectTheEnd();
    await hurt(name);
    traffic.stop();
    await running;
    server.buyers.close();
    return this.ledger.attempts.slice(known);
  }

  /** Entered in the ledger, and not sent yet. */
  newAttempt(): Attempt {
    const [buyer] = this.ledger.buyers;
    const [product] = this.ledger.products;
    assert.ok(buyer && product);
    const body = { productId: product.productId, expectedPriceUsdt: product.priceCents / 100 };
    return this.ledger.attempt(buyer, randomUUID(), body);
  }

  /** How long nobody sells, from now on: until a purchase is acknowledged by whichever node. Milliseconds. */
  async untilSold(): Promise<number> {
    const fromMs = performance.now();
    const attempt = this.newAttempt();
    const servers = [...this.nodes.running.values()].map(underTest);
    let refusal = '';
    const isSold = async () => {
      const replies = servers.map(async ({ buyers }) => {
        const reply = await send(buyers, attempt).catch((error: unknown) => {
          if (error instanceof assert.AssertionError) throw error;
        });
        if (reply !== undefined && reply.status < 500 && reply.status !== 201) refusal = reply.text;
        return reply?.status === 201;
      });
      return (await Promise.all(replies)).includes(true) || refusal !== '';
    };
    await eventually('somebody sells', isSold);
    assert.equal(refusal, '');
    for (const { buyers } of servers) buyers.close();
    return performance.now() - fromMs;
  }

  /** `attempts`: those to ask for one by one. */
  async audit(attempts?: readonly Attempt[]): Promise<void> {
    const { server } = await this.leader();
    await audit(server, this.ledger, attempts);
    server.buyers.close();
  }

  /** All events of the buyer who has a webhook came, each under one id. */
  async auditEvents(): Promise<void> {
    const [buyer] = this.ledger.buyers;
    const orders = this.ledger.orders().filter((attempt) => attempt.buyer === buyer);
    const missing = () => {
      const { ids } = this.#told();
      return orders.filter(({ answer }) => !ids.has(`order.completed ${answer?.body.orderId}`));
    };
    await eventually('all events came', () => missing().length === 0, TOLD_MS).catch(() => {
      assert.fail(`${missing().length} of ${orders.length} orders were never told`);
    });
    for (const [event, ids] of this.#told().ids) assert.equal(ids.size, 1, `${event} came under several ids`);
  }

  async close(): Promise<void> {
    await this.nodes.close();
    this.#scene.close();
    await this.rig.close();
    await this.#folder.remove();
  }

  async #stockUp(server: ServerUnderTest): Promise<void> {
    for (const product of this.ledger.products) {
      const { availableStock } = await ok(server.operator.getProduct(product.productId));
      const lacks = STOCK - Number(availableStock);
      if (lacks > 0) await sendUpload(server, enterUpload(this.ledger, product, lacks));
    }
  }

  /** Which ids each event came under. */
  #told(): { readonly ids: ReadonlyMap<string, ReadonlySet<string>> } {
    const ids = new Map<string, Set<string>>();
    for (const { headers, body } of this.#receiver.requests) {
      const { orderId } = JSON.parse(body.toString()) as { readonly orderId?: number };
      if (orderId === undefined) continue;
      const event = `${headers['x-service-event']} ${orderId}`;
      const known = ids.get(event) ?? new Set();
      ids.set(event, known.add(String(headers['x-service-delivery'])));
    }
    return { ids };
  }

  async #begin(): Promise<void> {
    await this.nodes.begin(NODES, async (alone) => {
      const server = underTest(alone);
      await setStage(server, this.ledger, STOCK);
      const [buyer] = this.ledger.buyers;
      const webhook = { url: `https://receiver.test:${WEBHOOK_PORT}/hook`, events: ['order.completed'] };
      const { status, text } = await server.buyers.setWebhook(buyer?.apiKey ?? '', webhook);
      assert.equal(status, 200, text);
      server.buyers.close();
    });
  }
}
