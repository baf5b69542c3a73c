/**
 * The shipped configurations of HAProxy and nginx, before two played nodes of which the other leads after a while:
 * every purchase happens once, and the new leader gets all of them as soon as the balancer can know.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { ShippedProxy, whyNot } from '../packaging/shipped-proxy.ts';

const BUYERS = 4;
const PAUSE_MS = 5;
const BROKEN = 0;
const CLAIM = { 'x-forwarded-for': '203.0.113.9' };

/**
 * A node of a cluster as a balancer sees it: a plain HTTP server that leads, follows, or is not there. All nodes of a
 * test have one list of orders, as the nodes of a cluster have one log.
 */
class PlayedNode {
  leads = false;
  readonly #name: string;
  /** By idempotency key: who placed it. */
  readonly #orders: Map<string, string>;
  readonly #server: Server;

  constructor(name: string, orders: Map<string, string>) {
    this.#name = name;
    this.#orders = orders;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends the node as if it died: requests under way get no answer, and nobody can connect. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #answer({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
    const isCheck = url === '/api/v1/buyer/health' || url === '/operator/v1/ready';
    if (!this.leads) {
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
      response.end(JSON.stringify({ success: false, error: 'NOT_LEADING', leader: null }));
      return;
    }
    const key = headers['idempotency-key'];
    const isOrder = !isCheck && method === 'POST' && typeof key === 'string';
    if (isOrder && !this.#orders.has(key)) this.#orders.set(key, this.#name);
    response.writeHead(isCheck ? 200 : 201, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: true, node: this.#name, from: headers['x-forwarded-for'] }));
  }
}

type BalancerName = 'haproxy' | 'nginx';

interface Answered {
  readonly key: string;
  /** `BROKEN` when the connection ended without one. */
  readonly status: number;
  readonly text: string;
}

interface Change {
  readonly what: string;
  readonly happen: (old: PlayedNode, next: PlayedNode) => Promise<void>;
  /** Statuses that buyers may be answered with beside 201. */
  readonly refusals: Readonly<Record<BalancerName, readonly number[]>>;
}

const changes: readonly Change[] = [
  {
    what: 'the lead is handed over',
    happen: async (old, next) => {
      old.leads = false;
      next.leads = true;
    },
    // HAProxy shows what the old leader says until it has been checked. nginx passes everything on, but may have asked
    // the one node just before the hand-over, and the other just after.
    refusals: { haproxy: [503], nginx: [502, 503] },
  },
  {
    what: 'the leader dies, and the other leads a moment later',
    happen: async (old, next) => {
      await old.stop();
      await delay(300);
      next.leads = true;
    },
    // HAProxy closes the buyer's connection when a node resets the connection of a request that is under way.
    refusals: { haproxy: [BROKEN, 503], nginx: [502, 503] },
  },
];

for (const name of ['haproxy', 'nginx'] as const) {
  const why = await whyNot(name);
  describe(`docs/cluster: ${name}`, { skip: why ?? false }, () => {
    for (const { what, happen, refusals } of changes) {
      test(`${what}: each purchase happens once`, () =>
        withBalancer(name, async ({ balancer, old, next, orders, buy }) => {
          const answers: Answered[] = [];
          let isOpen = true;
          const buyers = Array.from({ length: BUYERS }, async () => {
            while (isOpen) await buyOnce(buy, answers);
          });
          await eventually('the first leader sells', () => placedBy(orders, 'a') > 20);
          await happen(old, next);
          await eventually('the next leader sells', () => placedBy(orders, 'b') > 20);
          isOpen = false;
          await Promise.all(buyers);

          const keys = new Set(answers.map(({ key }) => key));
          assert.deepEqual([...orders.keys()].toSorted(), [...keys].toSorted(), balancer.said);
          const others = answers.map(({ status }) => status).filter((status) => status !== 201);
          for (const status of others)
            assert.ok(refusals[name].includes(status), `${status}\n${balancer.said}`);
          const broken = others.filter((status) => status === BROKEN).length;
          assert.ok(broken <= BUYERS, `${broken} connections ended, of ${BUYERS} with a request under way`);
        }));
    }

    test('a node is told the client’s own address, and nothing that the client claims', () =>
      withBalancer(name, async ({ buy }) => {
        let answered = await buy(randomUUID(), CLAIM);
        // A busy node may be taken for one that is down.
        await eventually('it is placed', async () => {
          if (answered.status !== 201) answered = await buy(randomUUID(), CLAIM);
          return answered.status === 201;
        });
        assert.equal(JSON.parse(answered.text).from, '127.0.0.1');
      }));
  });
}

test('docs/cluster: haproxy answers in the form of the API while nobody leads', async (t) => {
  const why = await whyNot('haproxy');
  if (why !== undefined) return t.skip(why);
  await withBalancer('haproxy', async ({ old, buy }) => {
    old.leads = false;
    let answered = await buy(randomUUID());
    await eventually('HAProxy itself answers', async () => {
      answered = await buy(randomUUID());
      return answered.text.includes('No node leads');
    });
    const { requestId, message, ...rest } = JSON.parse(answered.text);
    assert.deepEqual([answered.status, rest], [503, { success: false, error: 'NOT_LEADING', leader: null }]);
    assert.match(requestId, /^[\da-f-]{36}$/);
  });
});

interface Scene {
  readonly balancer: ShippedProxy;
  /** Leads at first. */
  readonly old: PlayedNode;
  readonly next: PlayedNode;
  /** By key: who placed it. */
  readonly orders: ReadonlyMap<string, string>;
  readonly buy: (key: string, headers?: Record<string, string>) => Promise<Answered>;
}

/** Runs `use` when purchases reach the first leader. */
async function withBalancer(name: BalancerName, use: (scene: Scene) => Promise<void>): Promise<void> {
  const orders = new Map<string, string>();
  const old = await new PlayedNode('a', orders).start();
  const next = await new PlayedNode('b', orders).start();
  old.leads = true;
  const nodes = await nodesOf(name, old, next);
  const balancer = await ShippedProxy.start({ folder: 'docs/cluster', name, nodes });
  const dispatcher = new Agent({ connect: { ca: balancer.ca } });
  const buy = async (key: string, headers: Record<string, string> = {}) => {
    const answer = request(`${balancer.url}/orders`, {
      dispatcher,
      method: 'POST',
      headers: { ...headers, 'idempotency-key': key, 'content-type': 'application/json' },
      body: '{"productId":1,"expectedPriceUsdt":1}',
    });
    return answer.then(
      async ({ statusCode, body }) => ({ key, status: statusCode, text: await body.text() }),
      ({ message }: Error) => ({ key, status: BROKEN, text: message }),
    );
  };
  try {
    await eventually(`${name} answers`, async () => {
      return (await buy('first')).status === 201;
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${balancer.said}`);
    });
    orders.clear();
    await use({ balancer, old, next, orders, buy });
  } finally {
    await dispatcher.destroy();
    await balancer.stop();
    await Promise.all([old.stop(), next.stop()]);
  }
}

/** By how the configuration calls them. The third one is down. */
async function nodesOf(name: BalancerName, a: PlayedNode, b: PlayedNode): Promise<Record<string, string>> {
  const nobody = `127.0.0.1:${await freePort()}`;
  const addresses = [a.address, b.address, nobody];
  const ports = name === 'haproxy' ? [8080, 8081] : [8080];
  const named = ports.flatMap((port) =>
    addresses.map((address, at) => [`10.0.0.${at + 1}:${port}`, address] as const),
  );
  return Object.fromEntries(named);
}

/** With one key until it is placed. */
async function buyOnce(buy: Scene['buy'], answers: Answered[]): Promise<void> {
  const key = randomUUID();
  for (;;) {
    const answered = await buy(key);
    answers.push(answered);
    await delay(PAUSE_MS);
    if (answered.status === 201) return;
  }
}

function placedBy(orders: ReadonlyMap<string, string>, node: string): number {
  return [...orders.values()].filter((name) => name === node).length;
}
