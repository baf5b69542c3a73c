/**
 * One node, wired, top to bottom: data folder ─▶ stock, files, webhooks ─▶ engine ─▶ feed, suppliers ─▶ APIs ─▶ ports.
 *
 * What always holds: the lock comes first and goes last; files are proved before LMDB opens them; no port opens
 * before the state is whole. `stop` is the same way back: answers, then facts, then stock, whose late writers still
 * find a journal, then the journal.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openAlerts, openAlertWatch } from './alert-parts.ts';
import type { RefusedRequest } from './alerts/alert.ts';
import type { Config } from './config/config.ts';
import { configured } from './config/configured.ts';
import { KeyFilter } from './engine/key-filter.ts';
import { requestTimeMs } from './engine/request-number.ts';
import { openEngine } from './engine-parts.ts';
import { FactFeed } from './feed/fact-feed.ts';
import { OrderFulfilment } from './fulfilment/order-fulfilment.ts';
import { BUYER_BASE_PATH, BuyerApi, PURCHASE_PATH } from './http/buyer/buyer-api.ts';
import { type DocsPage, openDocsPages } from './http/docs-page.ts';
import { ClientAddresses } from './http/limits/client-address.ts';
import { LowBalanceProtection } from './http/limits/low-balance.ts';
import { NodeMetrics } from './http/metrics.ts';
import type { ApiDescription } from './http/openapi/api-description.ts';
import { BUYER_API } from './http/openapi/buyer-description.ts';
import { DOCUMENT_PATH } from './http/openapi/document-route.ts';
import { OPERATOR_API } from './http/openapi/operator-description.ts';
import { OPERATOR_BASE_PATH, OperatorApi } from './http/operator/operator-api.ts';
import { RequestIds } from './http/request-ids.ts';
import { openNodeTransport } from './http/transport/node.ts';
import type { Listener } from './http/transport/transport.ts';
import { type ChosenTransport, chooseTransport } from './http/transport/transport-choice.ts';
import { KeyParts } from './key-parts.ts';
import { listen, urlOf } from './listeners.ts';
import { Measurements } from './metrics/measurements.ts';
import { loadOperatorToken } from './operator-token.ts';
import { ItemOrders } from './persistence/checkpoint/item-orders.ts';
import { OrderIndex } from './persistence/checkpoint/order-index.ts';
import { writeDurably } from './persistence/disk/durable-file.ts';
import { KeyRing } from './persistence/disk/key-ring.ts';
import { FileStore } from './persistence/files/file-store.ts';
import {
  ADDRESS_FILE,
  beginFolder,
  isBegun,
  prepareFolder,
  STOCK_FILE,
} from './persistence/folder/data-folder.ts';
import { checkNewestFiles } from './persistence/folder/folder-check.ts';
import { lockFolder } from './persistence/folder/folder-lock.ts';
import { openStockStore } from './persistence/stock/stock-store.ts';
import { RequestLogs } from './request-logs.ts';
import { SupplierParts } from './supplier-parts.ts';
import { PURSER_VERSION } from './version.ts';
import { WebhookParts } from './webhook-parts.ts';

/** How long requests under way may still take when the node stops, unless a supplier is being asked. */
const DRAIN_MS = 10_000;

export interface NodeOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Something failed that leaves the node unable to keep its promise: the process must stop. */
  readonly onFatal: (error: unknown) => void;
  /** When a new segment of the journal starts; for tests, the default is the journal's. */
  readonly segmentBytes?: number;
  /** How often the journal is folded into the checkpoint; for tests, the default is the checkpoint's. */
  readonly foldIntervalMs?: number;
  /** How often it is looked for what operators are alerted of; for tests, the default is the watch's. */
  readonly alertLookMs?: number;
}

export class PurserNode {
  readonly buyerUrl: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  readonly #parts: NodeParts;
  readonly #listeners: readonly Listener[];

  private constructor(parts: NodeParts, token: string, listeners: [Listener, Listener], config: Config) {
    const [buyer, operator] = listeners;
    this.#parts = parts;
    this.#listeners = listeners;
    this.operatorToken = token;
    this.buyerUrl = urlOf(config.host, buyer.port, BUYER_BASE_PATH);
    this.operatorUrl = urlOf(config.operatorHost, operator.port, OPERATOR_BASE_PATH);
  }

  /** Throws errors whose message is one line that says what is wrong and what to do. */
  static async start(options: NodeOptions): Promise<PurserNode> {
    const { config, log } = options;
    const chosen = await chooseTransport(config.transport);
    log.info(
      { version: PURSER_VERSION, node: process.version, transport: chosen.name, options: configured(config) },
      'starting',
    );
    const parts = await openParts(options);
    const operatorToken = loadOperatorToken(config.dataDir, config.operatorToken);
    const listeners = await openListeners(config, parts, chosen, operatorToken);
    const node = new PurserNode(parts, operatorToken, listeners, config);
    tellAddress(options, node.operatorUrl);
    if (chosen.warning !== undefined) log.warn(chosen.warning);
    return node;
  }

  /** How the start went. */
  get recovered(): { readonly journalPosition: number; readonly factsReplayed: number } {
    return { journalPosition: this.#parts.engine.durablePosition, factsReplayed: this.#parts.replayed };
  }

  /** What a stop has to wait for. */
  get open() {
    const [buyers, operators] = this.#listeners.map(({ open }) => open);
    return { buyers, operators, supplierPurchases: this.#parts.suppliers.purchasing.underWay };
  }

  /** Another program has renamed the access log's file. */
  reopenAccessLog(): void {
    this.#parts.requestLogs.reopen();
  }

  /** Answers what is under way, makes it durable, folds it, and lets go of the folder. */
  async stop(): Promise<void> {
    const { stopping, feed, suppliers, webhooks, keyParts, alerts, alertWatch, stock, files, lock } =
      this.#parts;
    const { engine, checkpointer, frameLog, tables, requestLogs, measured } = this.#parts;
    stopping.abort();
    measured.stop();
    // Its readers' replies last for as long as the node does, unless they are ended.
    feed.end();
    await alertWatch.stop();
    const drainMs = Math.max(DRAIN_MS, suppliers.longestAnswerMs);
    const answered = this.#listeners.map((listener) => listener.stop(drainMs));
    await Promise.all([...answered, webhooks.stop()]);
    await webhooks.close();
    await feed.stop();
    await suppliers.stop();
    await keyParts.stop();
    await alerts.stop();
    await requestLogs.stop();
    await engine.idle();
    await checkpointer.stop();
    await stock.close();
    await files.close();
    await frameLog.close();
    await tables.environment.close();
    await lock.release();
  }
}

type NodeParts = Awaited<ReturnType<typeof openParts>>;

/** All that lives behind the ports. */
async function openParts({ config, log, onFatal, segmentBytes, foldIntervalMs, alertLookMs }: NodeOptions) {
  const folder = config.dataDir;
  prepareFolder(folder);
  const lock = await lockFolder(folder);
  const ring = KeyRing.load({ folder, fromEnvironment: config.masterKey, isBegun: isBegun(folder) });
  const { keys } = ring;
  await beginFolder(folder);
  const filter = new KeyFilter();
  checkNewestFiles(folder, ring, filter);
  if (ring.foreign !== undefined) {
    ring.replace();
    log.warn(
      'the master key has changed, and is accepted because no stock was encrypted with the previous key',
    );
  }
  const requestLogs = await RequestLogs.open(config, log);
  const { onFault } = requestLogs;

  const stock = await openStockStore({ file: join(folder, STOCK_FILE), keys, onFatal });
  const files = FileStore.open(folder);
  const alerts = await openAlerts(config, log);
  const webhooks = await WebhookParts.start({ config, log, alerts, keys, onFatal });
  const measured = new Measurements();
  const durable = openEngine({
    folder,
    filter,
    log,
    // Not before the next turn of the event loop, when the feed is there.
    onDurable: (position, facts) => {
      measured.sales.count(facts);
      webhooks.advance(position, facts);
      feed.advance(position);
    },
    onFatal,
    onFault,
    segmentBytes,
    foldIntervalMs,
  });
  const { engine, history } = durable;
  const feed = new FactFeed({ folder, position: engine.durablePosition });
  const fulfilment = new OrderFulfilment(engine, history, stock);
  const shared = { config, log, alerts, keys, engine, stock, fulfilment, onFatal, onFault };
  const suppliers = new SupplierParts(shared);
  webhooks.open(engine);
  await suppliers.start();
  const alertWatch = openAlertWatch({ ...durable, ...shared, suppliers, webhooks, alertLookMs });
  alertWatch.start();
  const secrets = { webhookSecrets: webhooks.secrets, supplierSecrets: suppliers.secrets };
  const keyParts = new KeyParts({ ring, engine, stock, log, ...secrets });
  keyParts.start();
  const stopping = new AbortController();
  measured.start(folder);
  const watchers = { alertWatch, keyParts, requestLogs, measured };
  return { ...durable, ...shared, ...watchers, lock, files, webhooks, feed, suppliers, stopping };
}

/** The APIs, and where they listen: the buyers' first. */
async function openListeners(
  config: Config,
  parts: NodeParts,
  { name, transport }: ChosenTransport,
  operatorToken: string,
): Promise<[Listener, Listener]> {
  const { engine, history, checkpointer, stock, files, alerts, fulfilment, webhooks, suppliers } = parts;
  const { onFault, requestLogs, measured, journal } = parts;
  const onRefused = (request: RefusedRequest) => alerts.raise(request);
  const { lastAtMs, lastRequestNumber } = engine.state;
  // While a clock that was set back catches up, facts stand at one time: their requests' numbers go on all the same.
  const requestIds = new RequestIds(Date.now, Math.max(lastAtMs, requestTimeMs(lastRequestNumber)));
  const clientAddresses = new ClientAddresses(config.trustProxy);
  const monotonicMs = () => performance.now();
  const checkpointPosition = () => checkpointer.position;
  const isDraining = () => parts.stopping.signal.aborted;
  const shared = {
    engine,
    history,
    stock,
    files,
    supplied: suppliers.purchasing,
    itemsOf: fulfilment.itemsOf,
    requestIds,
    clientAddresses,
    monotonicMs,
    onFault,
    onFailed: requestLogs.onFailed,
    noteAddress: requestLogs.noteAddress(clientAddresses),
  };
  const docsPage = openDocsPages();
  const buyerApi = new BuyerApi({
    ...shared,
    meters: measured.buyers,
    pages: [...docsPage(pageOf(BUYER_API, BUYER_BASE_PATH)), suppliers.callbackRoute(clientAddresses)],
    lowBalance: new LowBalanceProtection(config.lowBalanceLimit, monotonicMs),
    webhooks: webhooks.registrar,
    onRefused,
  });
  const operatorApi = new OperatorApi({
    ...shared,
    meters: measured.operators,
    operatorToken,
    pages: docsPage(pageOf(OPERATOR_API, OPERATOR_BASE_PATH)),
    itemOrders: new ItemOrders(engine, parts.tables),
    orderIndex: new OrderIndex(parts.tables),
    webhooks: webhooks.deliveries,
    feed: parts.feed,
    checkpointer,
    tables: parts.tables,
    fulfilment,
    suppliers: suppliers.services(),
    keys: parts.keyParts.services(),
    clock: Date.now,
    metrics: new NodeMetrics({
      engine,
      transport: name,
      isReady: () => !isDraining() && engine.acceptsCommands,
      checkpointer,
      journal,
      measured,
      mostProducts: config.metricsProducts,
      alertCounters: () => alerts.counters,
      accessLogCounters: () => requestLogs.accessLogCounters,
      webhookFigures: webhooks.figures,
      supplierCounts: suppliers.counts,
      supplierCircuits: suppliers.openCircuits,
    }),
    isDraining,
    transport: name,
    checkpointPosition,
  });
  const { host, port, operatorHost, operatorPort } = config;
  const buyers = { onExchange: buyerApi.onExchange, frequentPost: PURCHASE_PATH, onRefused };
  const operators = { onExchange: operatorApi.onExchange, host: operatorHost, port: operatorPort };
  const both = { requestIds, onFault };
  return [
    await listen({
      ...both,
      ...buyers,
      transport,
      host,
      port,
      meter: measured.buyers.unrouted,
      onEnded: requestLogs.onEnded('buyer'),
    }),
    // Uploads of any size come here, and uWebSockets.js can't be kept from reading on: see decision 9.
    await listen({
      ...both,
      ...operators,
      transport: openNodeTransport(),
      meter: measured.operators.unrouted,
      onEnded: requestLogs.onEnded('operator'),
    }),
  ];
}

function pageOf({ title }: ApiDescription, basePath: string): DocsPage {
  return { title, documentPath: (basePath + DOCUMENT_PATH).slice(1) };
}

/** For commands on this machine. A full disk must not keep a node from starting. */
function tellAddress({ config, log }: NodeOptions, operatorUrl: string): void {
  try {
    writeDurably(join(config.dataDir, ADDRESS_FILE), `${operatorUrl}\n`);
  } catch (error) {
    log.warn({ err: error }, 'cannot write operator-address: commands on this machine need --operator');
  }
}
