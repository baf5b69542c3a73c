/** The node itself: GET /status, /live, /ready and /metrics. */
import { usdtFromMicros } from '../../../engine/money.ts';
import type { State } from '../../../engine/state.ts';
import { PURSER_VERSION } from '../../../version.ts';
import type { Fields } from '../../../views/operator-views.ts';
import { apiError, notLeading } from '../../errors.ts';
import type { NodeMetrics } from '../../metrics/metrics.ts';

import { DOCUMENT_PATH } from '../../openapi/document-route.ts';
import { requestIdHeader } from '../../reply.ts';
import type { TransportName } from '../../transport/transport-choice.ts';
import { type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import type { KeyServices } from '../operator-services.ts';
import { SCRAPERS, TOTALS } from '../roles.ts';
import { GET_LIVE, GET_METRICS, GET_READY, GET_STATUS } from './node-operations.ts';

/** Also at the root of the listener. */
export const METRICS_PATH = '/metrics';
/** Called by probes and scrapers, which may add anything to the query. */
export const PROBE_PATHS: readonly string[] = ['/live', '/ready', DOCUMENT_PATH, METRICS_PATH];

/** Orchestrators ask, and the answer says nothing of the node's business. */
const OPEN = { isOpen: true };

const NOT_READY = apiError(
  'NOT_READY',
  'The node takes no purchases now: it is stopping, or its disk is full. Its log says which.',
);

export interface NodeStatusServices extends Pick<OperatorServices, 'engine' | 'cluster'> {
  readonly checkpointer: Pick<OperatorServices['checkpointer'], 'position'>;
  readonly metrics: NodeMetrics;
  /** Undefined while it follows. */
  readonly keys?: Pick<KeyServices, 'state'>;
  readonly transport: TransportName;
  /** Where buyers' requests come in. */
  readonly configInForce: () => { readonly host: string; readonly port: number };
  readonly isDraining: () => boolean;
  /** Whether it takes purchases now. */
  readonly isReady: () => boolean;
}

export function nodeStatusRoutes(services: NodeStatusServices): OperatorRoute[] {
  const { engine, metrics, transport, configInForce, isDraining, isReady, checkpointer, cluster } = services;
  const startedAt = Date.now();
  return [
    operatorRoute('GET /live', GET_LIVE, (context) => context.succeed(200, { live: true }), OPEN),
    operatorRoute(
      'GET /ready',
      GET_READY,
      (context) => {
        if (cluster?.isLeading === false) context.fail(notLeading(cluster.status.leader));
        else if (isReady()) context.succeed(200, { ready: true });
        else context.fail({ ...NOT_READY, cause: unreadyCause(isDraining(), engine.isFull) });
      },
      OPEN,
    ),
    operatorRoute('GET /status', GET_STATUS, (context) => {
      const { state } = engine;
      const { host, port } = configInForce();
      context.succeedWhenDurable(200, {
        version: PURSER_VERSION,
        transport,
        buyerApi: { host, port },
        startedAt,
        ready: isReady(),
        sales: state.gap === null ? 'open' : 'closed',
        journalPosition: state.position,
        checkpointPosition: checkpointer.position,
        accounts: state.accounts.size,
        products: state.products.size,
        orders: state.orderCount,
        ...(services.keys && masterKeyFields(services.keys)),
        ...(context.isFor(TOTALS) && { ledger: ledgerFields(state) }),
        ...(cluster !== undefined && { cluster: { ...cluster.status } }),
      });
    }),
    operatorRoute(
      `GET ${METRICS_PATH}`,
      GET_METRICS,
      (context) =>
        context.run(async () => {
          const { contentType, text } = await metrics.render(context.isFor(['metrics', ...TOTALS]));
          const headers = [
            ['content-type', contentType],
            ['cache-control', 'no-store'],
            requestIdHeader(context.requestId),
          ] as const;
          context.reply(200, headers, text);
        }),
      { roles: SCRAPERS },
    ),
  ];
}

/** Where the master key lies, and whether its owner saved it. */
export function masterKeyFields(keys: Pick<KeyServices, 'state'>): Fields {
  const { keyFile, isSaved } = keys.state();
  if (keyFile === undefined) return { masterKeyFrom: 'environment' };
  return { masterKeyFrom: 'file', masterKeySaved: isSaved === true };
}

function ledgerFields({ ledger }: State): Fields {
  const { walletsMicros, heldMicros, revenueMicros, depositsMicros } = ledger;
  return {
    walletsUsdt: usdtFromMicros(walletsMicros),
    heldUsdt: usdtFromMicros(heldMicros),
    revenueUsdt: usdtFromMicros(revenueMicros),
    depositsUsdt: usdtFromMicros(depositsMicros),
  };
}

/** The reason why the node isn't ready, for the log: the answer says no more than that there is one. */
function unreadyCause(isStopping: boolean, isFull: boolean): string {
  if (isStopping) return 'the node is stopping';
  return isFull ? 'the disk is full' : 'the checkpoint is behind';
}
