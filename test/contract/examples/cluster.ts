/** The calls of a cluster, answered by their routes over a cluster of two that only seems to be there. */

import { notLeading } from '../../../src/http/errors.ts';
import { clusterRoutes } from '../../../src/http/operator/node/cluster.ts';
import type { ClusterServices } from '../../../src/http/operator/node/cluster-services.ts';
import type { OperatorContext } from '../../../src/http/operator/operator-context.ts';
import type { Recorder } from './recorder.ts';

const LEADER = { node: 'a', url: 'https://a.shop.example' };
const NODES = [
  { ...LEADER, applied: 5_812 },
  { node: 'b', url: 'https://b.shop.example', applied: 5_811 },
];

export async function askCluster(recorder: Recorder): Promise<void> {
  const trims = [{ first: 4_001, last: 5_812, removed: 4_000, base: 5_810 }, undefined];
  const cluster = {
    status: { leader: LEADER, term: 3 },
    members: () => Promise.resolve(NODES),
    handOver: () => Promise.resolve(undefined),
    trim: () => Promise.resolve(trims.shift()),
  } as unknown as ClusterServices;
  const routes = clusterRoutes({ cluster });
  const ask = async (call: string, body?: object) => {
    const route = routes.find(({ method, path }) => call === `${method} ${path}`);
    await new Promise<void>((answered) => {
      const succeed = (status: number, fields: object) => {
        const text = JSON.stringify({ success: true, ...fields, requestId: 'req_1767225600000_21' });
        recorder.record('operators', call, { body }, status, text);
        answered();
      };
      const readBody = (_: unknown, then: (fields: object) => void) => then({});
      route?.handle({ succeed, readBody } as unknown as OperatorContext);
    });
  };
  await ask('GET /cluster');
  await ask('POST /cluster/handover', { reason: 'before the upgrade of this machine' });
  for (const _ of [1, 2]) await ask('POST /cluster/trim', { reason: 'every night' });
  const { code, message, fields } = notLeading(LEADER);
  const refusal = JSON.stringify({ success: false, error: code, message, ...fields });
  recorder.record('operators', 'GET /cluster', { refused: code }, 421, refusal);
}
