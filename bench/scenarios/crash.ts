/**
 * A server is killed in the middle of its load and started again on the same data: how long until it sells again, and
 * what is gone of what it had acknowledged.
 *
 * Every request that had no answer is asked again with its key. Then the books are exact again: a purchase that had
 * been made before the kill is found, not made twice. For a system that is not durable, what it has lost is a figure
 * and nothing else, so the books of the crash are books of their own.
 */
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { BuyerClient, type BuyerReply } from '../../test/support/buyer-client.ts';
import { OperatorClient } from '../../test/support/operator-client.ts';
import type { LoadGenerator } from '../load/load-generator.ts';
import type { LanePlan } from '../load/plan.ts';
import type { Unanswered } from '../load/squad.ts';
import { LastingLoad } from '../measure/lasting-load.ts';
import { aimedAt } from '../measure/measured-window.ts';
import { Audit } from '../shop/audit.ts';
import { OrderSample } from '../shop/order-sample.ts';
import { Violations } from '../shop/violations.ts';
import { CUSTOMERS, hotProduct, World } from '../shop/world.ts';
import type { RunningNode } from '../systems/running-node.ts';
import { sellsAgainWithinMs } from './awaited.ts';
import { laneFigures, only, type ScenarioFigures } from './figures.ts';

export interface CrashableSystem {
  /** Every acknowledged purchase survives. */
  readonly durable: boolean;
  /** Again on the same folder: goes on with the data that is there. */
  start(folder: string): Promise<RunningNode>;
  /** Takes from the data what a power cut would have taken: after the kill, before the start. Its time doesn't count. */
  afterPowerCut?(folder: string): Promise<unknown>;
}

interface CrashOptions {
  /** The folder of this crash alone, empty or not there yet: its books know of nothing older. Removed at the end. */
  readonly folder: string;
  readonly seed: number;
  /** More purchases a second than there will be: so much is stocked up. */
  readonly mostPerSecond: number;
  readonly connections?: number;
  readonly customers?: number;
  readonly warmupMs?: number;
  /** From the begin of the measured time to the kill. */
  readonly loadMs?: number;
}

const byDefault = {
  connections: 64,
  customers: CUSTOMERS,
  warmupMs: 500,
  loadMs: 2_000,
} as const;

/** The load ends when it loses its connections; should it not lose them, so long after the kill. */
const longestLoadMs = 30_000;
const askAgainMs = 5;
/** The luck of the draw between products, above an even share. */
const spareItems = 500;

export async function measureCrash(
  system: CrashableSystem,
  generator: LoadGenerator,
  violations: Violations,
  options: CrashOptions,
): Promise<ScenarioFigures> {
  const settings: Required<CrashOptions> = { ...byDefault, ...options };
  const nodes: RunningNode[] = [];
  const start = async (): Promise<RunningNode> => {
    const node = await system.start(settings.folder);
    nodes.push(node);
    return node;
  };
  try {
    const node = await start();
    const crash = await Crash.prepare(node, system.durable ? violations : new Violations(), settings);
    const load = await crash.begin(generator, node);
    await delay(settings.loadMs);

    const killedMs = performance.now();
    await node.kill();
    const downMs = performance.now();
    await system.afterPowerCut?.(settings.folder);
    const beginMs = killedMs + (performance.now() - downMs);
    const again = await start();
    const figures = await crash.recover(load, again, beginMs);
    await again.stop();
    return figures;
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await rm(settings.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The buyers of a crash, and the books. */
class Crash {
  readonly #world: World;
  readonly #audit: Audit;
  readonly #books: Violations;
  readonly #plan: LanePlan;
  readonly #settings: Required<CrashOptions>;

  private constructor(world: World, books: Violations, plan: LanePlan, settings: Required<CrashOptions>) {
    this.#world = world;
    this.#books = books;
    this.#plan = plan;
    this.#settings = settings;
    this.#audit = new Audit(world, books, new OrderSample(0, 0));
    this.#audit.keepAllOf(world.customers);
  }

  static async prepare(
    node: RunningNode,
    books: Violations,
    settings: Required<CrashOptions>,
  ): Promise<Crash> {
    const { connections, customers, mostPerSecond, warmupMs, loadMs } = settings;
    const world = await World.create(new OperatorClient(node.operatorUrl, node.operatorToken), customers);
    const products = hotProduct;
    const orders = (mostPerSecond * (warmupMs + loadMs)) / 1000;
    await world.stockUp(products, Math.ceil(orders / products.count) + spareItems);
    const plan = { name: 'buyers', connections, accounts: world.customers, products, copies: 1 };
    return new Crash(world, books, { ...plan, choice: 'random', mayBreak: true }, settings);
  }

  /** Resolves when measuring has begun. */
  begin(generator: LoadGenerator, node: RunningNode): Promise<LastingLoad> {
    const { seed, warmupMs, loadMs } = this.#settings;
    const operator = new OperatorClient(node.operatorUrl, node.operatorToken);
    const plan = aimedAt(
      { buyerUrl: node.buyerUrl, pid: node.pid, operator },
      {
        keyPrefix: 'crash-',
        seed,
        lanes: [this.#plan],
        span: { kind: 'timed', warmupMs, measureMs: loadMs + longestLoadMs },
        apiKeys: this.#world.apiKeys,
        products: this.#world.products.map(({ productId, priceUsdt }) => ({ productId, priceUsdt })),
      },
    );
    // The answers are read after the first purchase: it would have to wait for that.
    return LastingLoad.begin(generator, plan, (load) => ({ load, tallies: [] }));
  }

  /** A new purchase first, then what had no answer, then the books. `firstPurchaseMs` counts from `beginMs`. */
  async recover(lasting: LastingLoad, node: RunningNode, beginMs: number): Promise<ScenarioFigures> {
    const buyer = new BuyerClient(node.buyerUrl);
    try {
      const { accounts, products } = this.#plan;
      const isSelling = await this.#ask(buyer, {
        account: accounts.first,
        product: products.first,
        idempotencyKey: 'crash-is-over',
      });
      const firstPurchaseMs = performance.now() - beginMs;
      const { load } = await lasting.end();
      await Promise.all(load.unanswered.map((request) => this.#ask(buyer, request)));
      this.#audit.readWindow('crash', [{ plan: this.#plan, refusals: [] }], load.answers);
      const lostOrders = await this.#audit.compare(buyer);
      return {
        ...laneFigures(only(load.lanes)),
        clientCpuShare: load.clientCpuShare,
        connections: this.#plan.connections,
        lostOrders,
        ...(isSelling ? { firstPurchaseMs } : {}),
      };
    } finally {
      buyer.close();
    }
  }

  /** Asks until the answer is neither missing nor an error of the server's, and books it. False if it is no order. */
  async #ask(buyer: BuyerClient, request: Unanswered): Promise<boolean> {
    const { account, product } = request;
    const { status, text } = await this.#answerTo(buyer, request);
    if (status === 201) this.#audit.readOrder('crash', { account, product, text });
    else this.#books.add(`crash: ${request.idempotencyKey} was answered ${status} ${text} after the start`);
    return status === 201;
  }

  async #answerTo(buyer: BuyerClient, request: Unanswered): Promise<BuyerReply> {
    const { apiKey = '' } = this.#world.accounts[request.account] ?? {};
    const { productId = 0, priceUsdt = 0 } = this.#world.products[request.product] ?? {};
    const body = { productId, quantity: 1, expectedPriceUsdt: priceUsdt };
    const deadlineMs = performance.now() + sellsAgainWithinMs;
    for (;;) {
      const isLate = performance.now() > deadlineMs;
      try {
        const reply = await buyer.purchase(apiKey, request.idempotencyKey, body);
        if (reply.status < 500 || isLate) return reply;
      } catch (error) {
        if (isLate) throw error;
      }
      await delay(askAgainMs);
    }
  }
}
