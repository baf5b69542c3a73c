/**
 * What lives behind a node's ports, wired: engine ─▶ stock, files, webhooks, suppliers, feed ─▶ APIs.
 *
 * What always holds: files are proved before LMDB opens them; `close` goes the same way back: facts, then stock, whose
 * late writers still find a journal, then the journal.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { RefusedRequest } from './alerts/alert.ts';
import { AlertLog } from './alerts/alert-log.ts';
import type { AlertPost } from './alerts/alert-post.ts';
import { Alerts } from './alerts/alerts.ts';
import type { Config } from './config/config.ts';
import { KeyFilter } from './engine/key-filter.ts';
import { NO_ITEM, type Order } from './engine/orders.ts';
import { EngineParts } from './engine-parts.ts';
import { FactFeed } from './feed/fact-feed.ts';
import { OrderFulfilment } from './fulfilment/order-fulfilment.ts';
import { BuyerApi } from './http/buyer/buyer-api.ts';
import { openDocsPage } from './http/docs-page.ts';
import { ClientAddresses } from './http/limits/client-address.ts';
import { LowBalanceProtection } from './http/limits/low-balance.ts';
import { NodeMetrics } from './http/metrics.ts';
import { OperatorApi } from './http/operator/operator-api.ts';
import { RequestIds } from './http/reply.ts';
import type { TransportName } from './http/transport/transport-choice.ts';
import { loadMasterKey, type MasterKey, requireMasterKey } from './persistence/disk/master-key.ts';
import { FileStore } from './persistence/files/file-store.ts';
import { beginFolder, isBegun, STOCK_FILE } from './persistence/folder/data-folder.ts';
import { checkNewestFiles } from './persistence/folder/folder-check.ts';
import type { FolderLock } from './persistence/folder/folder-lock.ts';
import { adoptMasterKey } from './persistence/stock/file/stock-file.ts';
import { openStockStore, type StockStore } from './persistence/stock/stock-store.ts';
import { SupplierParts } from './supplier-parts.ts';
import { PURSER_VERSION } from './version.ts';
import { WebhookParts } from './webhook-parts.ts';

export interface NodeOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Something failed that leaves the node unable to keep its promise: the process must stop. */
  readonly onFatal: (error: unknown) => void;
  /** When a new segment of the journal starts; for tests, the default is the journal's. */
  readonly segmentBytes?: number;
}

/** What is there before the engine begins. */
interface Foundations {
  readonly lock: FolderLock;
  readonly masterKey: MasterKey;
  readonly filter: KeyFilter;
  readonly stock: StockStore;
  readonly files: FileStore;
  readonly alerts: Alerts;
  readonly webhooks: WebhookParts;
}

export class NodeParts {
  readonly requestIds = new RequestIds();
  isDraining = false;
  readonly #config: Config;
  readonly #log: Logger;
  readonly #lock: FolderLock;
  readonly #stock: StockStore;
  readonly #files: FileStore;
  readonly #alerts: Alerts;
  readonly #webhooks: WebhookParts;
  readonly #engineParts: EngineParts;
  readonly #feed: FactFeed;
  readonly #deliveries: OrderFulfilment;
  readonly #suppliers: SupplierParts;

  private constructor({ config, log, onFatal, segmentBytes }: NodeOptions, foundations: Foundations) {
    const { masterKey, filter, lock, stock, files, alerts, webhooks } = foundations;
    const folder = config.dataDir;
    const { onFault } = this;
    this.#config = config;
    this.#log = log;
    this.#lock = lock;
    this.#stock = stock;
    this.#files = files;
    this.#alerts = alerts;
    this.#webhooks = webhooks;
    this.#engineParts = EngineParts.open({
      folder,
      filter,
      log,
      // Not before the next turn of the event loop, when all is wired.
      onDurable: (position, facts) => {
        webhooks.advance(position, facts);
        this.#feed.advance(position);
      },
      onFatal,
      onFault,
      segmentBytes,
    });
    const { engine, history } = this.#engineParts;
    this.#feed = new FactFeed({ folder, position: engine.durablePosition });
    this.#deliveries = new OrderFulfilment(engine, history, stock);
    this.#suppliers = new SupplierParts({
      config,
      log,
      alerts,
      masterKey,
      engine,
      stock,
      deliveries: this.#deliveries,
      onFatal,
      onFault,
    });
    webhooks.open(engine);
  }

  static async open(options: NodeOptions, lock: FolderLock): Promise<NodeParts> {
    const { config, log, onFatal } = options;
    const { dataDir, masterKey: fromEnvironment } = config;
    if (isBegun(dataDir)) requireMasterKey(dataDir, fromEnvironment);
    const masterKey = loadMasterKey(dataDir, fromEnvironment);
    await beginFolder(dataDir);
    const filter = new KeyFilter();
    checkNewestFiles(dataDir, masterKey, filter);
    const stockFile = join(dataDir, STOCK_FILE);
    if (await adoptMasterKey(stockFile, masterKey)) {
      log.warn('the master key has changed; no stock was encrypted with the previous one');
    }
    const stock = await openStockStore({ file: stockFile, masterKey, onFatal });
    const files = FileStore.open(dataDir);
    const alerts = await openAlerts(config, log);
    const webhooks = await WebhookParts.start({ config, log, alerts, masterKey, onFatal });
    const foundations = { lock, masterKey, filter, stock, files, alerts, webhooks };
    const parts = new NodeParts(options, foundations);
    await parts.#suppliers.start();
    return parts;
  }

  apis(operatorToken: string, transport: TransportName): { buyerApi: BuyerApi; operatorApi: OperatorApi } {
    const { engine, history } = this.#engineParts;
    const checkpointPosition = () => this.#engineParts.checkpointPosition;
    const monotonicMs = () => performance.now();
    const suppliers = this.#suppliers;
    const shared = {
      engine,
      history,
      stock: this.#stock,
      files: this.#files,
      supplied: suppliers.purchasing,
      requestIds: this.requestIds,
      itemsOf: (order: Order) => this.#itemsOf(order),
      onFault: this.onFault,
      monotonicMs,
      clientAddresses: new ClientAddresses(this.#config.trustProxy),
    };
    return {
      buyerApi: new BuyerApi({
        ...shared,
        pages: [...openDocsPage(), suppliers.callbackRoute(shared.clientAddresses)],
        lowBalance: new LowBalanceProtection(this.#config.lowBalanceLimit, monotonicMs),
        webhooks: this.#webhooks.desk,
        onRefused: this.onRefused,
      }),
      operatorApi: new OperatorApi({
        ...shared,
        operatorToken,
        webhooks: this.#webhooks.office,
        feed: this.#feed,
        deliveries: this.#deliveries,
        suppliers: suppliers.services(),
        clock: Date.now,
        metrics: new NodeMetrics({
          engine,
          transport,
          checkpointPosition,
          alertCounters: () => this.#alerts.counters,
          webhookFigures: this.#webhooks.figures,
          supplierCounts: suppliers.counts,
        }),
        isDraining: () => this.isDraining,
        transport,
        checkpointPosition,
      }),
    };
  }

  readonly onRefused = (request: RefusedRequest): void => this.#alerts.raise(request);

  readonly onFault = (error: unknown, requestId?: string): void => {
    this.#log.error({ err: error, requestId }, 'a request failed');
  };

  /** What comes up afterwards goes out after the next start. */
  stopWebhooks(): Promise<void> {
    return this.#webhooks.stop();
  }

  /** How long the answer of a request that is under way may take, beside clients that are slow. */
  get longestAnswerMs(): number {
    return this.#suppliers.longestAnswerMs;
  }

  /** Its readers' replies last for as long as the node does, unless they are ended. */
  endFeed(): void {
    this.#feed.end();
  }

  async close(): Promise<void> {
    this.#webhooks.close();
    await this.#feed.stop();
    await this.#suppliers.stop();
    await this.#alerts.stop();
    await this.#engineParts.settle();
    await this.#stock.close();
    await this.#files.close();
    await this.#engineParts.close();
    await this.#lock.release();
  }

  #itemsOf({ orderId, productId, firstItem, quantity, textCount }: Order): string[] {
    if (textCount > 0) return this.#stock.readOrderTexts(orderId, textCount);
    if (firstItem === NO_ITEM) return [];
    const { end } = this.#engineParts.engine.state.stock.of(productId);
    return this.#stock.readItems(productId, firstItem, quantity, end);
  }
}

async function openAlerts({ alertUrl }: Config, log: Logger): Promise<Alerts> {
  return new Alerts({
    clock: Date.now,
    log: new AlertLog(log),
    post: alertUrl === undefined ? undefined : await openAlertPost(alertUrl, log),
  });
}

/** Its HTTP client is loaded only when it has somewhere to post to: the main thread needs none otherwise. */
async function openAlertPost(url: string, log: Logger): Promise<AlertPost> {
  const { AlertPost } = await import('./alerts/alert-post.ts');
  return new AlertPost({ url, version: PURSER_VERSION, log });
}
