/** Replies of a leader leave only while its lease is held, which is looked at when they leave. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { ClusterFront } from '../../src/cluster/node/front.ts';
import type { Config } from '../../src/config/config.ts';
import type { StreamingExchange } from '../../src/http/transport/transport.ts';
import { RequestMeter } from '../../src/metrics/request-meter.ts';
import type { Apis } from '../../src/node/apis.ts';
import type { FolderParts } from '../../src/node/data-folder.ts';
import type { StateParts } from '../../src/node/state.ts';
import { LEASE_MS, Lease } from '../../src/threads/lease.ts';
import { CountedSource } from '../http/transport/counted-source.ts';
import { head, RawClient } from '../http/transport/raw-client.ts';
import { onBothTransports } from '../http/transport/under-test.ts';
import { eventually } from '../support/eventually.ts';

const CONFIG = { host: '127.0.0.1', port: 0, operatorHost: '127.0.0.1', operatorPort: 0 } as Config;
const LENGTH_BYTES = 100_000;

onBothTransports("a leader's replies", (open) => {
  let nowMs: number;
  /** How often the lease was found to have ended. */
  let told: number;
  let front: ClusterFront;
  let ports: readonly number[];
  /** Requests that wait for their answer, by their paths. */
  const waiting = new Map<string, StreamingExchange>();
  const clients: RawClient[] = [];

  beforeEach(async () => {
    [nowMs, told] = [0, 0];
    waiting.clear();
    const wait = (exchange: StreamingExchange) => {
      waiting.set(exchange.path, exchange);
      // No reply leaves before all of it has come.
      exchange.readBody(LENGTH_BYTES, () => {});
    };
    const apis = { buyers: wait, operators: wait, requestIds: { next: () => 'req_1' } } as Apis;
    const meter = new RequestMeter({ listener: 'buyer', method: 'any', route: 'none' });
    const measured = { buyers: { unrouted: meter }, operators: { unrouted: meter } };
    const folder = { requestLogs: { onEnded: () => undefined }, onFault: assert.ifError };
    front = new ClusterFront(apis);
    const listeners = await front.open(
      CONFIG,
      folder as unknown as FolderParts,
      { measured } as unknown as StateParts,
      await open(),
    );
    ports = listeners.map(({ port }) => port);
    const lease = new Lease(undefined, () => nowMs);
    lease.renew(nowMs);
    front.lead(apis, lease, () => {
      told += 1;
    });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await front.stop(0);
  });

  /** Sends a request to a listener; resolves when it waits for its answer. */
  async function ask(listener: 0 | 1, path: string, request = head('GET', path)) {
    const client = await RawClient.connect(ports[listener] ?? 0);
    clients.push(client);
    client.send(request);
    await eventually('it waits', () => waiting.has(path));
    return { client, exchange: waiting.get(path) ?? assert.fail() };
  }

  async function expectNotLeading(client: RawClient): Promise<void> {
    const { status, headers, body } = await client.reply();
    assert.deepEqual([status, headers.get('retry-after')], [503, '1']);
    assert.deepEqual([JSON.parse(body).error, JSON.parse(body).leader], ['NOT_LEADING', null]);
  }

  test('leave as they are while the lease is held', async () => {
    const { client, exchange } = await ask(0, '/orders');
    nowMs = LEASE_MS - 1;
    exchange.reply(201, [], 'sold');
    const { status, body } = await client.reply();
    assert.deepEqual([status, body, told], [201, 'sold', 0]);
  });

  for (const listener of [0, 1] as const) {
    const whose = listener === 0 ? "buyers'" : "operators'";
    test(`become NOT_LEADING when the lease has ended before they leave: ${whose}`, async () => {
      const late = await ask(listener, '/late');
      const request = `POST /early HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n12`;
      const early = await ask(listener, '/early', request);
      early.exchange.reply(201, [], 'sold before the body has come');
      nowMs = LEASE_MS;
      late.exchange.reply(201, [], 'sold');
      await expectNotLeading(late.client);
      early.client.send('34');
      await expectNotLeading(early.client);
      const file = await ask(listener, '/file');
      const source = new CountedSource({ lengthBytes: LENGTH_BYTES });
      file.exchange.replyStream(200, [], source);
      await expectNotLeading(file.client);
      await source.closed;
      assert.equal(source.reads, 0);
      assert.equal(told, 3);
    });
  }

  test('go on where a stream has begun', async () => {
    const { client, exchange } = await ask(0, '/file');
    exchange.replyStream(200, [], new CountedSource({ lengthBytes: LENGTH_BYTES }));
    nowMs = LEASE_MS;
    const { status, bytes } = await client.reply();
    assert.deepEqual([status, bytes.length, told], [200, LENGTH_BYTES, 0]);
  });

  test('tell of the node itself whoever leads', async () => {
    const { client, exchange } = await ask(1, '/operator/v1/status');
    nowMs = LEASE_MS;
    exchange.reply(200, [], 'its role');
    const { status, body } = await client.reply();
    assert.deepEqual([status, body, told], [200, 'its role', 0]);
  });
});
