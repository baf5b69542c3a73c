/**
 * One node, wired, top to bottom: data folder ─▶ stock, files, webhooks ─▶ engine ─▶ feed, suppliers ─▶ APIs ─▶ ports.
 *
 * What always holds: the lock comes first and goes last; files are proved before LMDB opens them; no port opens
 * before the state is whole. `stop` is the same way back: answers, then facts, then stock, whose late writers still
 * find a journal, then the journal.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { RefusedRequest } from './alerts/alert.ts';
import { AlertLog } from './alerts/alert-log.ts';
import type { AlertPost } from './alerts/alert-post.ts';
import { Alerts } from './alerts/alerts.ts';
import type { Config } from './config/config.ts';
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
import { listen, urlOf } from './listeners.ts';
import { loadOperatorToken } from './operator-token.ts';
import { ItemOrders } from './persistence/checkpoint/item-orders.ts';
import { OrderIndex } from './persistence/checkpoint/order-index.ts';
import { writeDurably } from './persistence/disk/durable-file.ts';
import { loadMasterKey, type MasterKey, requireMasterKey } from './persistence/disk/master-key.ts';
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
import { adoptMasterKey } from './persistence/stock/file/stock-file.ts';
import { openStockStore, type StockStore } from './persistence/stock/stock-store.ts';
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
    const parts = await openParts(options);
    const operatorToken = loadOperatorToken(config.dataDir, config.operatorToken);
    const listeners = await openListeners(config, parts, chosen, operatorToken);
    const node = new PurserNode(parts, operatorToken, listeners, config);
    tellAddress(options, node.operatorUrl);
    if (chosen.warning !== undefined) log.warn(chosen.warning);
    return node;
  }

  /** Answers what is under way, makes it durable, folds it, and lets go of the folder. */
  async stop(): Promise<void> {
    const { stopping, feed, suppliers, webhooks, alerts, stock, files, lock } = this.#parts;
    const { engine, checkpointer, frameLog, tables } = this.#parts;
    stopping.abort();
    // Its readers' replies last for as long as the node does, unless they are ended.
    feed.end();
    const drainMs = Math.max(DRAIN_MS, suppliers.longestAnswerMs);
    const answered = this.#listeners.map((listener) => listener.stop(drainMs));
    await Promise.all([...answered, webhooks.stop()]);
    await webhooks.close();
    await feed.stop();
    await suppliers.stop();
    await alerts.stop();
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
async function openParts({ config, log, onFatal, segmentBytes, foldIntervalMs }: NodeOptions) {
  const folder = config.dataDir;
  prepareFolder(folder);
  const lock = await lockFolder(folder);
  if (isBegun(folder)) requireMasterKey(folder, config.masterKey);
  const masterKey = loadMasterKey(folder, config.masterKey);
  await beginFolder(folder);
  const filter = new KeyFilter();
  checkNewestFiles(folder, masterKey, filter);
  const onFault = (error: unknown, requestId?: string): void =>
    log.error({ err: error, requestId }, 'a request failed');

  const stock = await openStock(masterKey, { config, log, onFatal });
  const files = FileStore.open(folder);
  const alerts = await openAlerts(config, log);
  const webhooks = await WebhookParts.start({ config, log, alerts, masterKey, onFatal });
  const durable = openEngine({
    folder,
    filter,
    log,
    // Not before the next turn of the event loop, when the feed is there.
    onDurable: (position, facts) => {
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
  const shared = { config, log, alerts, masterKey, engine, stock, fulfilment, onFatal, onFault };
  const suppliers = new SupplierParts(shared);
  webhooks.open(engine);
  await suppliers.start();
  const stopping = new AbortController();
  return { ...durable, ...shared, lock, files, webhooks, feed, suppliers, stopping };
}

/** The APIs, and where they listen: the buyers' first. */
async function openListeners(
  config: Config,
  parts: NodeParts,
  { name, transport }: ChosenTransport,
  operatorToken: string,
): Promise<[Listener, Listener]> {
  const { engine, history, checkpointer, stock, files, alerts, fulfilment, webhooks, suppliers } = parts;
  const { onFault } = parts;
  const onRefused = (request: RefusedRequest) => alerts.raise(request);
  const { lastAtMs, lastRequestNumber } = engine.state;
  // While a clock that was set back catches up, facts stand at one time: their requests' numbers go on all the same.
  const requestIds = new RequestIds(Date.now, Math.max(lastAtMs, requestTimeMs(lastRequestNumber)));
  const clientAddresses = new ClientAddresses(config.trustProxy);
  const monotonicMs = () => performance.now();
  const checkpointPosition = () => checkpointer.position;
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
  };
  const docsPage = openDocsPages();
  const buyerApi = new BuyerApi({
    ...shared,
    pages: [...docsPage(pageOf(BUYER_API, BUYER_BASE_PATH)), suppliers.callbackRoute(clientAddresses)],
    lowBalance: new LowBalanceProtection(config.lowBalanceLimit, monotonicMs),
    webhooks: webhooks.registrar,
    onRefused,
  });
  const operatorApi = new OperatorApi({
    ...shared,
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
    clock: Date.now,
    metrics: new NodeMetrics({
      engine,
      transport: name,
      checkpointPosition,
      alertCounters: () => alerts.counters,
      webhookFigures: webhooks.figures,
      supplierCounts: suppliers.counts,
    }),
    isDraining: () => parts.stopping.signal.aborted,
    transport: name,
    checkpointPosition,
  });
  const { host, port, operatorHost, operatorPort } = config;
  const buyers = { onExchange: buyerApi.onExchange, frequentPost: PURCHASE_PATH, onRefused };
  const operators = { onExchange: operatorApi.onExchange, host: operatorHost, port: operatorPort };
  return [
    await listen({ ...buyers, transport, host, port, requestIds, onFault }),
    // Uploads of any size come here, and uWebSockets.js can't be kept from reading on: see decision 9.
    await listen({ ...operators, transport: openNodeTransport(), requestIds, onFault }),
  ];
}

function pageOf({ title }: ApiDescription, basePath: string): DocsPage {
  return { title, documentPath: (basePath + DOCUMENT_PATH).slice(1) };
}

async function openStock(masterKey: MasterKey, { config, log, onFatal }: NodeOptions): Promise<StockStore> {
  const file = join(config.dataDir, STOCK_FILE);
  if (await adoptMasterKey(file, masterKey)) {
    log.warn(
      'the master key has changed, and is accepted because no stock was encrypted with the previous key',
    );
  }
  return openStockStore({ file, masterKey, onFatal });
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

/** For commands on this machine. A full disk must not keep a node from starting. */
function tellAddress({ config, log }: NodeOptions, operatorUrl: string): void {
  try {
    writeDurably(join(config.dataDir, ADDRESS_FILE), `${operatorUrl}\n`);
  } catch (error) {
    log.warn({ err: error }, 'cannot write operator-address: commands on this machine need --operator');
  }
}
