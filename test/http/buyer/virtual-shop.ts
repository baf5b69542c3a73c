/** A shop for tests of limits: a node without a disk, whose clock the test turns. */
import type { Command, Results } from '../../../src/engine/decide/command.ts';
import { noHistory } from '../../../src/engine/decide/history.ts';
import { Rejection } from '../../../src/engine/decide/rejection.ts';
import { Engine } from '../../../src/engine/loop/engine.ts';
import { SCOPES, type Scope } from '../../../src/engine/scope.ts';
import { generateApiKey } from '../../../src/http/auth.ts';
import { BUYER_BASE_PATH, BuyerApi } from '../../../src/http/buyer/buyer-api.ts';
import { answerSlots } from '../../../src/http/buyer/order-answer.ts';
import { ClientAddresses } from '../../../src/http/limits/client-address.ts';
import { LowBalanceProtection } from '../../../src/http/limits/low-balance.ts';
import { RequestIds } from '../../../src/http/request-ids.ts';
import type { Transport } from '../../../src/http/transport/transport.ts';
import { RefusalCounter } from '../../../src/metrics/refusal-counter.ts';
import { ListenerMeters } from '../../../src/metrics/request-meter.ts';
import { FileStore } from '../../../src/persistence/files/file-store.ts';
import { SecretCipher } from '../../../src/persistence/keys/secret-cipher.ts';
import { AddressPolicy } from '../../../src/webhooks/destination/address-policy.ts';
import { WebhookRegistration } from '../../../src/webhooks/webhook-registration.ts';
import { NOW_MS, PRODUCT, worldState } from '../../engine/commands.ts';
import { BuyerClient, type BuyerReply } from '../../support/buyer-client.ts';
import { randomDataKeys } from '../../support/data-keys.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { type Served, serve } from '../transport/under-test.ts';

const PRICE_USDT = PRODUCT.priceMicros / 1_000_000;

interface ShopOptions {
  readonly lowBalanceLimit?: number;
  readonly trustProxy?: readonly string[];
}

/**
 * The buyer API over real HTTP on a transport of choice, before an engine whose disk is memory and with a clock that the test
 * turns.
 */
export class VirtualShop {
  /** The time, for the limits. */
  readonly clock: { nowMs: number };
  readonly buyers: BuyerClient;
  readonly port: number;
  readonly #engine: Engine;
  readonly #served: Served;
  readonly #folder: TemporaryFolder;

  private constructor(engine: Engine, served: Served, clock: { nowMs: number }, folder: TemporaryFolder) {
    this.#folder = folder;
    this.#engine = engine;
    this.#served = served;
    this.clock = clock;
    this.port = served.port;
    this.buyers = new BuyerClient(`http://127.0.0.1:${served.port}${BUYER_BASE_PATH}`);
  }

  static async open(
    openTransport: () => Promise<Transport>,
    { lowBalanceLimit = 30, trustProxy = [] }: ShopOptions = {},
  ): Promise<VirtualShop> {
    const fail = (error: unknown): never => {
      throw error;
    };
    const engine = new Engine({
      state: worldState({ accounts: 0, products: 1, balanceMicros: 0, stock: 1_000 }),
      history: noHistory,
      journal: { append: () => Promise.resolve() },
      clock: () => NOW_MS,
      defer: setImmediate,
      rebuild: () => fail(new Error('the disk is memory')),
      roomAgain: () => Promise.resolve(),
      onFatal: fail,
      onFault: fail,
    });
    const folder = await createTemporaryFolder('virtual-shop');
    const clock = { nowMs: 1_000_000 };
    const api = new BuyerApi({
      engine,
      history: noHistory,
      texts: { areMany: () => false, itemsOf: (order) => [`item ${order.firstItem}`], textsOf: () => [] },
      answerSlots: answerSlots(),
      onFault: fail,
      onFailed: ({ message }) => fail(new Error(message)),
      requestIds: new RequestIds(Date.now),
      monotonicMs: () => clock.nowMs,
      clientAddresses: new ClientAddresses(trustProxy),
      lowBalance: new LowBalanceProtection(lowBalanceLimit, () => clock.nowMs),
      refusals: new RefusalCounter(),
      onRefused: () => undefined,
      onMisplacedKey: () => undefined,
      receipts: { keys: [], hasReceipt: () => false, issue: () => fail(new Error('there are no receipts')) },
      files: FileStore.open(folder.path),
      pages: [],
      meters: new ListenerMeters('buyer'),
      events: { page: async () => 'busy', wait: () => () => {} },
      supplied: { wait: () => fail(new Error('there is no supplier')), waitForDelivery: () => false },
      webhooks: new WebhookRegistration({
        resolver: { lookup: async () => ({ failure: 'not-found' }) },
        policy: new AddressPolicy([]),
        secrets: new SecretCipher(randomDataKeys(), 'webhook secret'),
      }),
    });
    return new VirtualShop(engine, await serve(openTransport, api.onExchange), clock, folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.buyers.close();
    await this.#served.listener.stop(0);
    await this.#folder.remove();
  }

  /** A new account and its key. */
  async buyer(rateLimitPerMinute: number | null): Promise<{ accountId: number; apiKey: string }> {
    const profile = { name: 'buyer', rateLimitPerMinute, webhookConcurrency: 1 };
    const { accountId } = await this.submit({ kind: 'CreateAccount', profile });
    return { accountId, apiKey: await this.freshKey(accountId) };
  }

  async freshKey(accountId: number, scopes: readonly Scope[] = SCOPES): Promise<string> {
    const { apiKey, key } = generateApiKey(accountId, scopes, NOW_MS);
    await this.submit({ kind: 'IssueKey', accountId, key });
    return apiKey;
  }

  async credit(accountId: number, amountUsdt: number): Promise<void> {
    const reference = crypto.randomUUID();
    const amountMicros = amountUsdt * 1_000_000;
    await this.submit({ kind: 'CreditWallet', accountId, reference, amountMicros });
  }

  /** A purchase of one item. */
  buy(apiKey: string, idempotencyKey: string = crypto.randomUUID()): Promise<BuyerReply> {
    return this.buyers.purchase(apiKey, idempotencyKey, { productId: 1, expectedPriceUsdt: PRICE_USDT });
  }

  submit<C extends Command>(command: C): Promise<Results[C['kind']]> {
    return new Promise((resolve, reject) => {
      this.#engine.submit(command, (result) => {
        if (result instanceof Rejection) reject(new Error(result.message));
        else resolve(result);
      });
    });
  }
}
