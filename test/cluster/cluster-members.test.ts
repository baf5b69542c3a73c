/**
 * Operators' calls on a cluster: trouble with the log is a 503 that says so, an error of the program is told as one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { ClusterError } from '../../src/cluster/cluster-error.ts';
import { ClusterMembers, type ClusterMembersOptions } from '../../src/cluster/node/members.ts';
import { clusterRoutes } from '../../src/http/operator/node/cluster.ts';
import type { OperatorContext } from '../../src/http/operator/operator-context.ts';
import { eventually } from '../support/eventually.ts';

for (const [error, expected] of [
  [new ClusterError('the log is away', 'unreachable'), 'fail NOT_READY the log is away.'],
  [new TypeError('x is not a function'), 'fault TypeError: x is not a function'],
] as const)
  test(`${error.name} of any call`, async () => {
    const rejects = () => Promise.reject(error);
    const lines: string[] = [];
    const leader = { node: 'b', url: '' };
    const members = new ClusterMembers({
      itself: { node: 'a', url: '' },
      nodes: { renew: rejects, list: rejects, askToEnd: rejects },
      trims: { trim: rejects },
      log: pino({}, { write: (line: string) => lines.push(line) }),
      status: () => ({ node: 'a', role: 'follower', term: 1, applied: 0, confirmed: 0, leader }),
      isLeading: () => false,
      onAsked: () => undefined,
    } as unknown as ClusterMembersOptions);
    for (const route of clusterRoutes({ cluster: members })) {
      const said: string[] = [];
      const context = {
        origin: {},
        fail: ({ code, message }: { code: string; message: string }) => said.push(`fail ${code} ${message}`),
        fault: (fault: unknown) => said.push(`fault ${fault}`),
        readBody: (_body: unknown, then: (fields: object) => void) => then({}),
      };
      route.handle(context as unknown as OperatorContext);
      await eventually('an answer', () => said.length > 0);
      assert.deepEqual(said, [expected], route.operation.operationId);
    }
    members.start();
    await eventually('a renewal', () => ClusterError.is(error, 'unreachable') || lines.length > 0);
    members.stop();
    assert.equal(lines.length, ClusterError.is(error, 'unreachable') ? 0 : 1);
  });
