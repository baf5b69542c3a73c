/** The two APIs of a node that takes requests, made of its parts, and where a node listens. */
import type { RefusedRequest } from '../alerts/alert.ts';
import type { Config } from '../config/config.ts';
import { shownSettings } from '../config/shown-settings.ts';
import { requestTimeMs } from '../engine/request-number.ts';
import { BUYER_BASE_PATH, BuyerApi, PURCHASE_PATH } from '../http/buyer/buyer-api.ts';
import { answerSlots } from '../http/buyer/order-answer.ts';
import { ClientAddresses } from '../http/limits/client-address.ts';
import { LowBalanceProtection } from '../http/limits/low-balance.ts';
import { NodeMetrics } from '../http/metrics/metrics.ts';
import type { ApiDescription } from '../http/openapi/api-description.ts';
import { BUYER_API } from '../http/openapi/buyer-description.ts';
import { DOCUMENT_PATH } from '../http/openapi/document-route.ts';
import { OPERATOR_API } from '../http/openapi/operator-description.ts';
import { SeenBots } from '../http/operator/bots/seen-bots.ts';
import { everyRoute } from '../http/operator/every-route.ts';
import type { ClusterServices } from '../http/operator/node/cluster-services.ts';
import { OPERATOR_BASE_PATH, OperatorApi } from '../http/operator/operator-api.ts';
import { type DocsPage, openDocsPages } from '../http/pages/docs-page.ts';
import { ANSWERS_TO_BROWSERS } from '../http/pages/page-files.ts';
import { RequestIds } from '../http/request-ids.ts';
import { openNodeTransport } from '../http/transport/node.ts';
import type {
  InsteadOf,
  Listener,
  OnExchange,
  StreamingExchange,
  Transport,
} from '../http/transport/transport.ts';
import type { TransportName } from '../http/transport/transport-choice.ts';
import { ItemOrders } from '../persistence/checkpoint/item-orders.ts';
import { OrderIndex } from '../persistence/checkpoint/order-index.ts';
import type { FolderParts } from './data-folder.ts';
import { buyerIdentity, listen, operatorNamesOf } from './listeners.ts';
import type { NodeParts } from './opened-node.ts';
import type { OperatorParts } from './operators.ts';
import type { StateParts } from './state.ts';

/** The handlers of requests, on either port. */
export interface Apis {
  readonly buyers: OnExchange;
  readonly operators: OnExchange<StreamingExchange>;
  readonly requestIds: Pick<RequestIds, 'next'>;
}

export interface ApiOptions {
  readonly transport: TransportName;
  readonly operators: OperatorParts;
  /** The configuration with the ports that were chosen, once the node listens. */
  readonly configInForce: () => Config;
  /** Undefined where the node has its log alone. */
  readonly cluster?: ClusterServices | undefined;
  /** The metrics of a process that has some already. */
  readonly metrics?: NodeMetrics;
}

export function makeApis(config: Config, parts: NodeParts, options: ApiOptions): Apis {
  const { transport, operators, configInForce, cluster } = options;
  const { engine, history, checkpointer, stock, files, alerts, fulfilment, webhooks, suppliers } = parts;
  const { onFault, requestLogs, measured, journal } = parts;
  const onRefused = (request: RefusedRequest) => alerts.raise(request);
  const { lastAtMs, lastRequestNumber } = engine.state;
  // While a clock that was set back catches up, facts stand at one time: their requests' numbers go on all the same.
  const requestIds = new RequestIds(Date.now, Math.max(lastAtMs, requestTimeMs(lastRequestNumber)));
  const clientAddresses = new ClientAddresses(config.trustProxy);
  const monotonicMs = () => performance.now();
  const isDraining = () => parts.stopping.signal.aborted;
  const isReady = () => !isDraining() && engine.acceptsCommands && cluster?.isLeading !== false;
  const shared = {
    engine,
    history,
    stock,
    files,
    supplied: suppliers.purchasing,
    texts: fulfilment,
    requestIds,
    clientAddresses,
    monotonicMs,
    onFault,
    onFailed: requestLogs.onFailed,
    underWay: parts.underWay,
    noteAddress: requestLogs.noteAddress(clientAddresses),
  };
  const docsPage = openDocsPages();
  const buyerApi = new BuyerApi({
    ...shared,
    meters: measured.buyers,
    pages: [...docsPage(pageOf(BUYER_API, BUYER_BASE_PATH)), suppliers.callbackRoute(clientAddresses)],
    lowBalance: new LowBalanceProtection(config.lowBalanceLimit, monotonicMs),
    events: parts.events,
    webhooks: webhooks.registrar,
    answerSlots: answerSlots(),
    receipts: parts.receipts,
    refusals: measured.refusals,
    onRefused,
    onMisplacedKey: (request) => alerts.raiseMisplacedKey(request),
  });
  const figures = {
    engine,
    transport,
    isReady,
    checkpointer,
    journal,
    measured,
    mostProducts: config.metricsProducts,
    alertCounters: () => alerts.counters,
    backup: parts.backupParts.backups.continuous,
    drills: parts.drillParts.drills,
    cluster,
    accessLogCounters: () => requestLogs.accessLogCounters,
    webhookFigures: webhooks.figures,
    eventsWaited: () => parts.events.waits,
    supplierCounts: suppliers.counts,
    supplierCircuits: suppliers.openCircuits,
  };
  options.metrics?.use(figures);
  const metrics = options.metrics ?? new NodeMetrics(figures);
  const bots = new SeenBots(Date.now);
  const routes = everyRoute({
    ...shared,
    operators,
    bots,
    cluster,
    itemOrders: new ItemOrders(engine, parts.checkpoint),
    orderIndex: new OrderIndex(parts.checkpoint),
    webhooks: webhooks.deliveries,
    feed: parts.feed,
    checkpointer,
    checkpoint: parts.checkpoint,
    fulfilment,
    suppliers: suppliers.services(),
    receipts: parts.receiptRecovery,
    keys: parts.keyParts.services(),
    keyedHash: parts.keyParts.keyedHash,
    backups: parts.backupParts.services(),
    drills: parts.drillParts.drills,
    deposits: parts.depositParts.services,
    clock: Date.now,
    settings: () => shownSettings(configInForce()),
    configInForce,
    alerts,
    figures,
    pace: parts.pace,
    shortestCover: parts.shortestCover,
    metrics,
    isDraining,
    isReady,
    transport,
  });
  const operatorApi = new OperatorApi({
    ...shared,
    history,
    meters: measured.operators,
    auth: operators.auth,
    bots,
    names: operatorNamesOf(config),
    pages: [...docsPage(pageOf(OPERATOR_API, OPERATOR_BASE_PATH)), ...operators.consolePage.routes],
    routes,
  });
  return { buyers: buyerApi.onExchange, operators: operatorApi.onExchange, requestIds };
}

/** The parts that the two listeners use beside the APIs. */
type Ports = Pick<FolderParts, 'alerts' | 'requestLogs' | 'onFault'> & Pick<StateParts, 'measured'>;

/** The two listeners, the buyers' first. `insteadOf`: see `ListenOptions`. */
export async function openPorts(
  config: Config,
  { alerts, requestLogs, measured, onFault }: Ports,
  { buyers, operators, requestIds }: Apis,
  transport: Transport,
  insteadOf?: InsteadOf,
): Promise<[Listener, Listener]> {
  const { host, port, operatorHost, operatorPort } = config;
  const both = { requestIds, onFault, insteadOf };
  return [
    await listen({
      ...both,
      transport,
      host,
      port,
      tls: buyerIdentity(config),
      onExchange: buyers,
      frequentPost: PURCHASE_PATH,
      onRefused: (request) => alerts.raise(request),
      meter: measured.buyers.unrouted,
      onEnded: requestLogs.onEnded('buyer'),
      onCrowded: requestLogs.onCrowded,
    }),
    // Uploads of any size come here, and uWebSockets.js can't be kept from reading on: see decision 9.
    await listen({
      ...both,
      transport: openNodeTransport(ANSWERS_TO_BROWSERS),
      host: operatorHost,
      port: operatorPort,
      onExchange: operators,
      meter: measured.operators.unrouted,
      onEnded: requestLogs.onEnded('operator'),
    }),
  ];
}

function pageOf({ title }: ApiDescription, basePath: string): DocsPage {
  return { title, documentPath: (basePath + DOCUMENT_PATH).slice(1) };
}
