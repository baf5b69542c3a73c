/**
 * The cluster that the node belongs to: GET /cluster, POST /cluster/handover, POST /cluster/trim. Every node of it answers
 * them, whether it leads or follows; a node that has its log alone answers 404.
 */
import { apiError } from '../../errors.ts';
import { noFields } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { bodyRoute, type OperatorRoute, operatorRoute } from '../operator-route.ts';
import { OWNERS } from '../roles.ts';
import { GET_CLUSTER, HAND_OVER, TRIM_LOG } from './cluster-operations.ts';
import { type ClusterServices, ClusterTroubleError } from './cluster-services.ts';

const NO_CLUSTER = apiError('NOT_FOUND', 'This node belongs to no cluster: it has its log alone.');

export function clusterRoutes({
  cluster,
}: {
  readonly cluster?: ClusterServices | undefined;
}): OperatorRoute[] {
  return [
    operatorRoute('GET /cluster', GET_CLUSTER, (context) => {
      if (cluster === undefined) return context.fail(NO_CLUSTER);
      run(context, async () => {
        const members = await cluster.members();
        const { leader, term } = cluster.status;
        const nodes = members.map(({ node, url, applied }) => {
          return { node, url, role: node === leader?.node ? 'leader' : 'follower', applied };
        });
        context.succeed(200, { leader: leader?.node ?? null, term, nodes });
      });
    }),
    bodyRoute('POST /cluster/handover', HAND_OVER, OWNERS, noFields(), (context) => {
      if (cluster === undefined) return context.fail(NO_CLUSTER);
      run(context, async () => {
        const refusal = await cluster.handOver(context.origin);
        if (refusal !== undefined) return context.fail(apiError('NOT_READY', refusal));
        context.succeed(202, { leader: cluster.status.leader?.node ?? null });
      });
    }),
    bodyRoute('POST /cluster/trim', TRIM_LOG, OWNERS, noFields(), (context) => {
      if (cluster === undefined) return context.fail(NO_CLUSTER);
      run(context, async () => {
        const trimmed = await cluster.trim();
        if (trimmed === undefined) context.succeed(202, { state: 'running' });
        else context.succeed(200, { state: 'complete', ...trimmed });
      });
    }),
  ];
}

function run(context: OperatorContext, answer: () => Promise<void>): void {
  answer().catch((error: unknown) => {
    if (error instanceof ClusterTroubleError) context.fail(apiError('NOT_READY', `${error.message}.`));
    else context.fault(error);
  });
}
