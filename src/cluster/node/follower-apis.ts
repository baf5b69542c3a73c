/**
 * The APIs of a node of a cluster while it doesn't lead: operators see its own state, everybody else is told who leads.
 */

import type { Config } from '../../config/config.ts';
import { notLeading } from '../../http/errors.ts';
import { ClientAddresses } from '../../http/limits/client-address.ts';
import { NodeMetrics } from '../../http/metrics/metrics.ts';
import { clusterRoutes } from '../../http/operator/node/cluster.ts';
import type { ClusterServices } from '../../http/operator/node/cluster-services.ts';
import { nodeStatusRoutes } from '../../http/operator/node/node-status.ts';
import { OperatorApi } from '../../http/operator/operator-api.ts';
import { answering, sendError } from '../../http/reply.ts';
import { RequestIds } from '../../http/request-ids.ts';
import type { TransportName } from '../../http/transport/transport-choice.ts';
import type { Apis } from '../../node/apis.ts';
import type { FolderParts } from '../../node/data-folder.ts';
import { operatorNamesOf } from '../../node/listeners.ts';
import type { OperatorParts } from '../../node/operators.ts';
import type { StateParts } from '../../node/state.ts';
import { NO_REPORT } from '../../webhooks/webhook-outbox.ts';

export interface FollowerApiOptions {
  readonly config: Config;
  /** The configuration with the ports that were chosen, once the node listens. */
  readonly configInForce: () => Config;
  readonly transport: TransportName;
  readonly operators: OperatorParts;
  readonly cluster: ClusterServices;
}

export type FollowerApis = Apis & { readonly metrics: NodeMetrics };

export function makeFollowerApis(
  { alerts, requestLogs, onFault }: FolderParts,
  { engine, checkpointer, journal, measured, stopping }: StateParts,
  { config, configInForce, transport, operators, cluster }: FollowerApiOptions,
): FollowerApis {
  const requestIds = new RequestIds(Date.now);
  const clientAddresses = new ClientAddresses(config.trustProxy);
  const refusal = () => notLeading(cluster.status.leader);
  const shared = {
    engine,
    requestIds,
    clientAddresses,
    monotonicMs: () => performance.now(),
    onFault,
    onFailed: requestLogs.onFailed,
    noteAddress: requestLogs.noteAddress(clientAddresses),
  };
  const metrics = new NodeMetrics({
    engine,
    transport,
    isReady: () => false,
    checkpointer,
    journal,
    measured,
    mostProducts: config.metricsProducts,
    alertCounters: () => alerts.counters,
    backup: undefined,
    drills: undefined,
    cluster,
    accessLogCounters: () => requestLogs.accessLogCounters,
    webhookFigures: () => NO_REPORT,
    eventsWaited: () => 0,
    supplierCounts: () => [],
    supplierCircuits: () => [],
  });
  const status = nodeStatusRoutes({
    ...shared,
    cluster,
    checkpointer,
    metrics,
    transport,
    configInForce,
    isDraining: () => stopping.signal.aborted,
    isReady: () => false,
  });
  const operatorApi = new OperatorApi({
    ...shared,
    auth: operators.auth,
    names: operatorNamesOf(config),
    routes: [...clusterRoutes({ cluster }), ...status],
    otherwise: refusal,
    pages: operators.consolePage.routes,
    meters: measured.operators,
  });
  const buyers = answering(shared, (exchange, requestId) => sendError(exchange, requestId, refusal()));
  return { buyers, operators: operatorApi.onExchange, requestIds, metrics };
}
