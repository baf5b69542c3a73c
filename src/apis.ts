/** The two APIs of a node, made of its parts, and where they listen. */
import type { RefusedRequest } from './alerts/alert.ts';
import type { Config } from './config/config.ts';
import { requestTimeMs } from './engine/request-number.ts';
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
import type { ImportServices } from './http/operator/operator-route.ts';
import { RequestIds } from './http/request-ids.ts';
import { openNodeTransport } from './http/transport/node.ts';
import type { Listener } from './http/transport/transport.ts';
import type { ChosenTransport } from './http/transport/transport-choice.ts';
import { listen } from './listeners.ts';
import type { NodeParts } from './node-parts.ts';
import { ItemOrders } from './persistence/checkpoint/item-orders.ts';
import { OrderIndex } from './persistence/checkpoint/order-index.ts';

/** The buyers' first. */
export async function openApis(
  config: Config,
  parts: NodeParts,
  { name, transport }: ChosenTransport,
  operatorToken: string,
  imports: ImportServices,
): Promise<[Listener, Listener]> {
  const { engine, history, checkpointer, stock, files, alerts, fulfilment, webhooks, suppliers } = parts;
  const { onFault, requestLogs, measured, journal } = parts;
  const onRefused = (request: RefusedRequest) => alerts.raise(request);
  const { lastAtMs, lastRequestNumber } = engine.state;
  // While a clock that was set back catches up, facts stand at one time: their requests' numbers go on all the same.
  const requestIds = new RequestIds(Date.now, Math.max(lastAtMs, requestTimeMs(lastRequestNumber)));
  const clientAddresses = new ClientAddresses(config.trustProxy);
  const monotonicMs = () => performance.now();
  const isDraining = () => parts.stopping.signal.aborted;
  const isReady = () => !isDraining() && engine.acceptsCommands;
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
    receipts: parts.receipts,
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
    receipts: parts.receiptRecovery,
    keys: parts.keyParts.services(),
    backups: parts.backupParts.services(),
    drills: parts.drillParts.drills,
    imports,
    clock: Date.now,
    metrics: new NodeMetrics({
      engine,
      transport: name,
      isReady,
      checkpointer,
      journal,
      measured,
      mostProducts: config.metricsProducts,
      alertCounters: () => alerts.counters,
      backup: parts.backupParts.backups.continuous,
      drills: parts.drillParts.drills,
      accessLogCounters: () => requestLogs.accessLogCounters,
      webhookFigures: webhooks.figures,
      supplierCounts: suppliers.counts,
      supplierCircuits: suppliers.openCircuits,
    }),
    isDraining,
    isReady,
    transport: name,
  });
  const { host, port, operatorHost, operatorPort } = config;
  const both = { requestIds, onFault };
  return [
    await listen({
      ...both,
      transport,
      host,
      port,
      onExchange: buyerApi.onExchange,
      frequentPost: PURCHASE_PATH,
      onRefused,
      meter: measured.buyers.unrouted,
      onEnded: requestLogs.onEnded('buyer'),
    }),
    // Uploads of any size come here, and uWebSockets.js can't be kept from reading on: see decision 9.
    await listen({
      ...both,
      transport: openNodeTransport(),
      host: operatorHost,
      port: operatorPort,
      onExchange: operatorApi.onExchange,
      meter: measured.operators.unrouted,
      onEnded: requestLogs.onEnded('operator'),
    }),
  ];
}

function pageOf({ title }: ApiDescription, basePath: string): DocsPage {
  return { title, documentPath: (basePath + DOCUMENT_PATH).slice(1) };
}
