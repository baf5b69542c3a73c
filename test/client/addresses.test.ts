/**
 * A client of a cluster: whom it asks, in which order, and when it waits. The nodes are scripted servers; the same
 * purchase reaches all of them with one key.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PurserError } from 'purser/client';
import { errorOf, type UnderTest, withClient } from './client-under-test.ts';
import {
  breakOff,
  json,
  neverAnswer,
  proxyPage,
  refusal,
  ScriptedServer,
  type SeenRequest,
  type Step,
} from './scripted-server.ts';

const PURCHASE = { productId: 7, expectedPriceUsdt: 3.5 };
const placed = json(201, { success: true, orderId: 41, status: 'completed', requestId: 'req_2' });
const SECOND = { 'retry-after': '1' };

/** `NOT_LEADING` by a node that knows the leader: the index of a node, or an origin; null for none. */
class NotLeading {
  readonly leader: number | string | null;

  constructor(leader: number | string | null) {
    this.leader = leader;
  }

  step(origins: readonly string[]): Step {
    const url = typeof this.leader === 'number' ? origins[this.leader] : this.leader;
    return refusal(503, 'NOT_LEADING', SECOND, { leader: url === null ? null : { node: 'x', url } });
  }
}
type NodeStep = Step | NotLeading;
const notLeading = (leader: number | string | null) => new NotLeading(leader);

interface Case {
  readonly what: string;
  /** The steps of each node, request by request. */
  readonly nodes: readonly (readonly NodeStep[])[];
  /** Which nodes are asked, in order. */
  readonly asked: readonly number[];
  readonly delaysMs?: readonly number[];
  /** The error that the call ends with; default: none, but the order. */
  readonly error?: string;
  readonly isCharged?: false | 'unknown';
}

const none = notLeading(null);
const laterCode = refusal(503, 'CODE_OF_A_LATER_VERSION', SECOND, { leader: null });

const cases: readonly Case[] = [
  { what: 'the first leads', nodes: [[placed], [], []], asked: [0] },
  { what: 'a follower that knows the leader', nodes: [[notLeading(2)], [], [placed]], asked: [0, 2] },
  { what: 'a 503 of a later version with `leader`', nodes: [[laterCode], [placed]], asked: [0, 1] },
  {
    what: 'a leader elsewhere: the key goes nowhere but to the given addresses',
    nodes: [[notLeading('http://127.0.0.1:2')], [placed]],
    asked: [0, 1],
  },
  { what: 'a broken connection', nodes: [[breakOff], [placed]], asked: [0, 1] },
  {
    what: 'no answer in time: that was the time of the attempt, and the next begins elsewhere',
    nodes: [[neverAnswer], [placed]],
    asked: [0, 1],
    delaysMs: [1_000],
  },
  {
    what: 'a take-over: nobody leads for a while, and no node is asked twice without a wait',
    nodes: [
      [breakOff, breakOff, breakOff],
      [notLeading(0), notLeading(0), placed],
      [none, none],
    ],
    asked: [0, 1, 2, 0, 1, 2, 0, 1],
    delaysMs: [1_000, 2_000],
  },
  {
    what: 'nobody leads at all: as many attempts as with one address',
    nodes: [
      [none, none, none, none],
      [none, none, none, none],
    ],
    asked: [0, 1, 0, 1, 0, 1, 0, 1],
    delaysMs: [1_000, 2_000, 4_000],
    error: 'NOT_LEADING',
    isCharged: 'unknown',
  },
  {
    what: 'a refusal after a lost answer: only that attempt is told of',
    nodes: [[breakOff], [refusal(401, 'UNAUTHORIZED')]],
    asked: [0, 1],
    error: 'UNAUTHORIZED',
    isCharged: 'unknown',
  },
  ...[refusal(500, 'INTERNAL_ERROR'), proxyPage(429)].map((step, index) => ({
    what: `an answer of the leader that asks for patience (${index + 1})`,
    nodes: [[step, placed], [placed]],
    asked: [0, 0],
    delaysMs: [1_000],
  })),
];

for (const { what, nodes, asked, delaysMs = [], error, isCharged } of cases) {
  test(`several addresses: ${what}`, () =>
    withNodes(nodes, async ({ client, delaysMs: waitedMs, seen }) => {
      const purchase = client.purchase(PURCHASE);
      const answer = error === undefined ? await purchase.send() : await errorOf(purchase.send());
      if (answer instanceof PurserError) {
        const { code, attempts } = answer;
        assert.deepEqual([code, answer.isCharged, attempts], [error, isCharged, asked.length]);
      } else assert.equal(answer.orderId, 41);
      assert.deepEqual(
        seen.map(({ node }) => node),
        asked,
      );
      assert.deepEqual(waitedMs, delaysMs);
      for (const { request } of seen) {
        assert.equal(request.headers['idempotency-key'], purchase.idempotencyKey);
        assert.equal(request.body.toString(), JSON.stringify(PURCHASE));
      }
    }));
}

test('several addresses: the one that answered is asked first from then on, by every call', () =>
  withNodes([[none, none], [placed, placed, placed, notLeading(0)], []], async ({ client, seen }) => {
    for (let count = 0; count < 3; count += 1) await client.purchase(PURCHASE).send();
    const error = await errorOf(client.balance());
    assert.equal(error.code, 'NETWORK_ERROR');
    assert.deepEqual(
      seen.slice(0, 6).map(({ node }) => node),
      [0, 1, 1, 1, 1, 0],
    );
  }));

test('deleting the webhook has succeeded when the next address finds it gone after a lost answer', () =>
  withNodes([[breakOff], [refusal(404, 'NOT_FOUND')]], ({ client }) => client.webhook.delete()));

interface Seen {
  readonly node: number;
  readonly request: SeenRequest;
}

interface ClusterUnderTest extends UnderTest {
  /** The requests to all nodes, in order. */
  readonly seen: readonly Seen[];
}

async function withNodes(
  scripts: readonly (readonly NodeStep[])[],
  use: (under: ClusterUnderTest) => Promise<void>,
): Promise<void> {
  const seen: Seen[] = [];
  const origins: string[] = [];
  let timeOut = () => {};
  const servers = scripts.map((script, node) => {
    const steps = script.map(
      (step): Step =>
        (...args) => {
          seen.push({ node, request: args[1] });
          (step instanceof NotLeading ? step.step(origins) : step)(...args);
        },
    );
    return new ScriptedServer(steps, () => timeOut());
  });
  const baseUrl = await Promise.all(servers.map((server) => server.start()));
  origins.push(...baseUrl.map((url) => new URL(url).origin));
  try {
    await withClient(
      [],
      (under) => {
        timeOut = under.timeOut;
        return use({ ...under, seen });
      },
      { baseUrl },
    );
  } finally {
    for (const server of servers) await server.stop();
  }
}
