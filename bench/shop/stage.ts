/**
 * One Purser under load: the server, the world set up in it, the books kept about it, and the windows run
 * against it. Whatever is run here is audited; there is no way to measure a purchase without checking it.
 */
import { BuyerClient } from '../../test/support/buyer-client.ts';
import { OperatorClient } from '../../test/support/operator-client.ts';
import type { LoadGenerator } from '../load/load-generator.ts';
import type { IndexRange, PlannedProduct } from '../load/plan.ts';
import { LastingLoad } from '../measure/lasting-load.ts';
import {
  aimedAt,
  type MeasuredWindow,
  measureWindow,
  type ServerUnderLoad,
  type WindowPlan,
} from '../measure/measured-window.ts';
import type { WindowShape } from '../scenarios/scenarios.ts';
import type { RunningNode } from '../systems/running-node.ts';
import { Audit, type LaneTally } from './audit.ts';
import { OrderSample } from './order-sample.ts';
import type { Violations } from './violations.ts';
import { World } from './world.ts';

export interface StageOptions {
  readonly seed: number;
  readonly violations: Violations;
  /** Default: `CUSTOMERS`. */
  readonly customers?: number | undefined;
  /** At most; default: `SAMPLED_ORDERS`. */
  readonly sampledOrders?: number | undefined;
}

export interface StageWindow {
  readonly window: MeasuredWindow;
  /** One for each lane. */
  readonly tallies: readonly LaneTally[];
}

/** So many acknowledged orders are fetched again at the end. */
export const SAMPLED_ORDERS = 20_000;
/** A slow upload is a figure, and no end of a long run. */
const patienceMs = 10 * 60_000;
/** The luck of the draw between products, above an even share. */
const spareItems = 500;

export class Stage {
  readonly world: World;
  readonly audit: Audit;
  readonly #generator: LoadGenerator;
  readonly #seed: number;
  #node: RunningNode;
  #windows = 0;

  private constructor(node: RunningNode, world: World, audit: Audit, generator: LoadGenerator, seed: number) {
    this.#node = node;
    this.world = world;
    this.audit = audit;
    this.#generator = generator;
    this.#seed = seed;
  }

  /** Sets up accounts and products in an empty node. */
  static async open(node: RunningNode, generator: LoadGenerator, options: StageOptions): Promise<Stage> {
    const { violations, seed, customers, sampledOrders = SAMPLED_ORDERS } = options;
    const operator = operatorOf(node);
    const world = await World.create(operator, customers);
    const audit = new Audit(world, violations, new OrderSample(sampledOrders, seed));
    return new Stage(node, world, audit, generator, seed);
  }

  get node(): RunningNode {
    return this.#node;
  }

  /** Moves to another process, which serves the same data folder now. */
  moveTo(node: RunningNode): void {
    this.#node = node;
    this.world.moveTo(operatorOf(node));
  }

  /** Stocks up every product of a range for `orders` purchases spread over it. */
  async stockUp(products: IndexRange, orders: number): Promise<void> {
    await this.world.stockUp(products, Math.ceil(orders / products.count) + spareItems);
  }

  /** Runs one window and enters every answer of it in the books. For `isBesideOthers` see `measureWindow`. */
  async run(scenario: string, shape: WindowShape, isBesideOthers = false): Promise<StageWindow> {
    const plan = this.#planOf(shape);
    const window = await measureWindow(serverOf(this.#node), this.#generator, plan, isBesideOthers);
    return { window, tallies: this.audit.readWindow(scenario, shape.lanes, window.answers) };
  }

  /**
   * Begins a window beside which others are run, with a generator of its own: resolves when its warm-up is
   * over. Whoever begins one must end it; that enters every answer of it in the books.
   */
  async begin(scenario: string, shape: WindowShape, generator: LoadGenerator): Promise<LastingLoad> {
    const plan = aimedAt(serverOf(this.#node), this.#planOf(shape));
    return LastingLoad.begin(generator, plan, (load) => ({
      load,
      tallies: this.audit.readWindow(scenario, shape.lanes, load.answers),
    }));
  }

  #planOf(shape: WindowShape): WindowPlan {
    this.#windows += 1;
    return {
      ...loadOf(shape, this.#windows, this.#seed),
      apiKeys: this.world.apiKeys,
      products: this.world.products.map(({ productId, priceUsdt }) => ({ productId, priceUsdt })),
    };
  }

  /** Compares the books with what the server says now. */
  async compare(): Promise<void> {
    const buyer = new BuyerClient(this.#node.buyerUrl);
    try {
      await this.audit.compare(buyer);
    } finally {
      buyer.close();
    }
  }
}

/** A peer that sells nothing: same requests, made-up keys and products, answers not read. */
export class BareStage {
  readonly #server: ServerUnderLoad;
  readonly #generator: LoadGenerator;
  readonly #seed: number;
  readonly #apiKeys: readonly string[];
  readonly #products: readonly PlannedProduct[];
  #windows = 0;

  /** `alike` lends the world whose keys and products are sent. */
  constructor(node: RunningNode, generator: LoadGenerator, alike: World, seed: number) {
    this.#server = serverOf(node);
    this.#generator = generator;
    this.#seed = seed;
    this.#apiKeys = alike.apiKeys;
    this.#products = alike.products.map(({ productId, priceUsdt }) => ({ productId, priceUsdt }));
  }

  async run(shape: WindowShape): Promise<MeasuredWindow> {
    this.#windows += 1;
    return measureWindow(this.#server, this.#generator, {
      ...loadOf(shape, this.#windows, this.#seed),
      apiKeys: this.#apiKeys,
      products: this.#products,
    });
  }
}

function serverOf(node: RunningNode): ServerUnderLoad {
  return {
    buyerUrl: node.buyerUrl,
    operator: operatorOf(node),
    pid: node.pid,
  };
}

/** `window` makes the idempotency keys new and the draw another. */
function loadOf(shape: WindowShape, window: number, seed: number) {
  return {
    keyPrefix: `bench-${String(window).padStart(6, '0')}-`,
    seed: seed + window * 1000,
    lanes: shape.lanes.map(({ plan }) => plan),
    span: shape.span,
  };
}

function operatorOf({ operatorUrl, operatorToken }: RunningNode): OperatorClient {
  return new OperatorClient(operatorUrl, operatorToken, patienceMs);
}
