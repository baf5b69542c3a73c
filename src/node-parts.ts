/**
 * What lives behind a node's ports, wired: recovery ─▶ engine ─▶ checkpoint, stock, files, webhooks, suppliers
 * ─▶ APIs.
 *
 * What always holds: files are proved before LMDB opens them; `close` goes the same way back: facts, then files.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { RefusedRequest } from './alerts/alert.ts';
import { AlertLog } from './alerts/alert-log.ts';
import type { AlertPost } from './alerts/alert-post.ts';
import { Alerts } from './alerts/alerts.ts';
import type { Config } from './config/config.ts';
import { Engine } from './engine/engine.ts';
import { KeyFilter } from './engine/key-filter.ts';
import { NO_ITEM, type Order } from './engine/orders.ts';
import { FactFeed } from './feed/fact-feed.ts';
import { BuyerApi } from './http/buyer/buyer-api.ts';
import { openDocsPage } from './http/docs-page.ts';
import { ClientAddresses } from './http/limits/client-address.ts';
import { LowBalanceProtection } from './http/limits/low-balance.ts';
import { NodeMetrics } from './http/metrics.ts';
import { OperatorApi } from './http/operator/operator-api.ts';
import { RequestIds } from './http/reply.ts';
import { HostResolver } from './outgoing/host-resolver.ts';
import { CheckpointHistory } from './persistence/checkpoint/checkpoint-history.ts';
import { type CheckpointTables, openCheckpoint } from './persistence/checkpoint/checkpoint-tables.ts';
import { Checkpointer } from './persistence/checkpoint/checkpointer.ts';
import { FileStore } from './persistence/files/file-store.ts';
import { beginFolder, isBegun, STOCK_FILE } from './persistence/folder/data-folder.ts';
import { roomAgain } from './persistence/folder/disk-room.ts';
import { checkNewestFiles } from './persistence/folder/folder-check.ts';
import type { FolderLock } from './persistence/folder/folder-lock.ts';
import { loadMasterKey, type MasterKey, requireMasterKey } from './persistence/folder/master-key.ts';
import { listSegments } from './persistence/journal/journal-segments.ts';
import { LmdbJournal } from './persistence/journal/lmdb-journal.ts';
import { rebuild, recover } from './persistence/recovery.ts';
import { DeliveryDesk } from './persistence/stock/delivery-desk.ts';
import { adoptMasterKey } from './persistence/stock/stock-file.ts';
import { openStockStore, type StockStore } from './persistence/stock/stock-store.ts';
import { SupplierParts } from './supplier-parts.ts';
import { PURSER_VERSION } from './version.ts';
import { AddressPolicy } from './webhooks/address-policy.ts';
import { OutboxOffice } from './webhooks/outbox-office.ts';
import { RegistrationDesk } from './webhooks/registration-desk.ts';
import { SecretVault } from './webhooks/secret-vault.ts';
import { WebhookOutbox } from './webhooks/webhook-outbox.ts';

const ROOM_LOOK_INTERVAL_MS = 1_000;
/** More than a group of the greatest size takes. */
const ROOM_FOR_GROUP_BYTES = 512 * 1024;
const MAX_LISTED_ACCOUNTS = 20;
/** How long webhook attempts may; the others are made again after the next start. */
const WEBHOOK_DRAIN_MS = 3_000;
/** Webhook attempts under way in all, their connections included. */
const WEBHOOK_PLACES = 2_048;

export interface NodeOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Something failed that leaves the node unable to keep its promise: the process must stop. */
  readonly onFatal: (error: unknown) => void;
  /** When a new segment of the journal starts; for tests, the default is the journal's. */
  readonly segmentBytes?: number;
}

export class NodeParts {
  readonly requestIds = new RequestIds();
  isDraining = false;
  readonly #config: Config;
  readonly #log: Logger;
  readonly #alerts: Alerts;
  readonly #lock: FolderLock;
  readonly #tables: CheckpointTables;
  readonly #history: CheckpointHistory;
  readonly #journal: LmdbJournal;
  readonly #engine: Engine;
  readonly #checkpointer: Checkpointer;
  readonly #stock: StockStore;
  readonly #files: FileStore;
  readonly #deliveries: DeliveryDesk;
  readonly #suppliers: SupplierParts;
  readonly #vault: SecretVault;
  /** Of registrations alone: deliveries must not wait for the places that those take, nor the other way round. */
  readonly #registrationResolver: HostResolver;
  readonly #webhooks: WebhookOutbox;
  readonly #feed: FactFeed;

  private constructor(
    { config, log, onFatal, segmentBytes }: NodeOptions,
    lock: FolderLock,
    masterKey: MasterKey,
    tables: CheckpointTables,
    filter: KeyFilter,
    stock: StockStore,
    files: FileStore,
    alerts: Alerts,
    webhooks: WebhookOutbox,
  ) {
    const folder = config.dataDir;
    const recovered = recover(folder, tables, filter);
    const journal = LmdbJournal.open({
      folder,
      head: recovered.head,
      segmentFirstSequence: listSegments(folder).at(-1)?.firstSequence ?? 1,
      ...(segmentBytes === undefined ? {} : { segmentBytes }),
    });
    this.#config = config;
    this.#log = log;
    this.#alerts = alerts;
    this.#lock = lock;
    this.#tables = tables;
    this.#stock = stock;
    this.#files = files;
    this.#vault = new SecretVault(masterKey);
    this.#registrationResolver = HostResolver.open({ server: config.dnsServer });
    this.#webhooks = webhooks;
    const feed = new FactFeed({ folder, position: recovered.head.position });
    this.#feed = feed;
    this.#journal = journal;
    this.#history = new CheckpointHistory(tables);
    this.#engine = new Engine({
      state: recovered.state,
      history: this.#history,
      journal,
      clock: Date.now,
      defer: setImmediate,
      later: setTimeout,
      rebuild: () => {
        log.error('the disk is full: commands are refused until there is room');
        return rebuild({ folder, tables, filter, history: this.#history, journal });
      },
      roomAgain: async () => {
        await roomAgain(folder, ROOM_FOR_GROUP_BYTES, ROOM_LOOK_INTERVAL_MS);
        log.info('the disk has room again: commands are taken');
      },
      onFatal,
      onDurable: (position, facts) => {
        webhooks.advance(position, facts);
        feed.advance(position);
      },
      onFault: this.onFault,
    });
    this.#checkpointer = new Checkpointer({
      folder,
      engine: this.#engine,
      history: this.#history,
      position: recovered.checkpointPosition,
      onFatal,
      onDelay: (reason) =>
        log.error({ reason }, 'the checkpoint waits for room on the disk, or for file descriptors'),
    });
    this.#checkpointer.start();
    this.#deliveries = new DeliveryDesk(this.#engine, this.#history, stock);
    this.#suppliers = new SupplierParts({
      config,
      log,
      alerts: this.#alerts,
      masterKey,
      engine: this.#engine,
      stock,
      deliveries: this.#deliveries,
      onFatal,
      onFault: this.onFault,
    });
    this.#tellUnreadableSecrets();
    webhooks.open(recovered.head.position);
  }

  static async open(options: NodeOptions, lock: FolderLock): Promise<NodeParts> {
    const { dataDir, masterKey: fromEnvironment } = options.config;
    if (isBegun(dataDir)) requireMasterKey(dataDir, fromEnvironment);
    const masterKey = loadMasterKey(dataDir, fromEnvironment);
    await beginFolder(dataDir);
    const filter = new KeyFilter();
    checkNewestFiles(dataDir, masterKey, filter);
    const stockFile = join(dataDir, STOCK_FILE);
    if (await adoptMasterKey(stockFile, masterKey)) {
      options.log.warn('the master key is not the one before; there is no stock that needs the one before');
    }
    const stock = await openStockStore({
      file: stockFile,
      masterKey,
      onFatal: options.onFatal,
    });
    const files = FileStore.open(dataDir);
    const alerts = await openAlerts(options.config, options.log);
    const webhooks = await startWebhooks(options, masterKey, alerts);
    const checkpoint = openCheckpoint(dataDir);
    const parts = new NodeParts(options, lock, masterKey, checkpoint, filter, stock, files, alerts, webhooks);
    await parts.#suppliers.start();
    return parts;
  }

  apis(operatorToken: string): { buyerApi: BuyerApi; operatorApi: OperatorApi } {
    const engine = this.#engine;
    const checkpointPosition = () => this.#checkpointer.position;
    const monotonicMs = () => performance.now();
    const alertCounters = () => this.#alerts.counters;
    const webhookFigures = () => this.#webhooks.report;
    const suppliers = this.#suppliers;
    const shared = {
      engine,
      history: this.#history,
      stock: this.#stock,
      files: this.#files,
      supplied: suppliers.desk,
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
        webhooks: new RegistrationDesk({
          resolver: this.#registrationResolver,
          policy: new AddressPolicy(this.#config.webhookAllow),
          vault: this.#vault,
        }),
        onRefused: this.onRefused,
      }),
      operatorApi: new OperatorApi({
        ...shared,
        operatorToken,
        webhooks: new OutboxOffice(this.#webhooks, Date.now),
        feed: this.#feed,
        deliveries: this.#deliveries,
        suppliers: suppliers.services(),
        clock: Date.now,
        metrics: new NodeMetrics({
          engine,
          checkpointPosition,
          alertCounters,
          webhookFigures,
          supplierCounts: suppliers.counts,
        }),
        isDraining: () => this.isDraining,
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
    return this.#webhooks.stop(WEBHOOK_DRAIN_MS);
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
    this.#registrationResolver.close();
    await this.#feed.stop();
    await this.#suppliers.stop();
    await this.#alerts.stop();
    await this.#engine.idle();
    await this.#checkpointer.stop();
    await this.#stock.close();
    await this.#files.close();
    await this.#journal.close();
    await this.#tables.environment.close();
    await this.#lock.release();
  }

  #tellUnreadableSecrets(): void {
    const unreadable = this.#vault.unreadable(this.#engine.state.accounts.values());
    if (unreadable.length === 0) return;
    this.#log.warn(
      { accounts: unreadable.length, accountIds: unreadable.slice(0, MAX_LISTED_ACCOUNTS) },
      'this master key does not open the webhook secrets of some accounts: they must register again',
    );
  }

  #itemsOf({ orderId, productId, firstItem, quantity, textCount }: Order): string[] {
    if (textCount > 0) return this.#stock.readOrderTexts(orderId, textCount);
    if (firstItem === NO_ITEM) return [];
    const { end } = this.#engine.state.stock.of(productId);
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

function startWebhooks(
  { config, log, onFatal }: NodeOptions,
  masterKey: MasterKey,
  alerts: Alerts,
): Promise<WebhookOutbox> {
  return WebhookOutbox.start({
    folder: config.dataDir,
    windowMs: config.groupWindowMs,
    retryWaitsMs: config.webhookRetriesMs,
    historyMs: config.webhookHistoryMs,
    worker: {
      masterKey,
      timeoutMs: config.webhookTimeoutMs,
      places: WEBHOOK_PLACES,
      webhookAllow: config.webhookAllow,
      dnsServer: config.dnsServer,
    },
    onFatal,
    onDiscarded: (count, events) => alerts.raiseDiscarded(count, events),
    onDelay: () => log.error('the disk is full: webhooks wait for room'),
  });
}
