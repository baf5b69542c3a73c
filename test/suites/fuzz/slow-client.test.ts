/**
 * Clients that take their time. The transports' own limit is ten seconds, which uWebSockets.js makes twelve, so these
 * cases run side by side.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, Transport } from '../../../src/http/transport/transport.ts';
import { CountedSource, countedBytes } from '../../http/transport/counted-source.ts';
import { head, RawClient } from '../../http/transport/raw-client.ts';
import { echo, openNode, serve, TRANSPORTS } from '../../http/transport/under-test.ts';
import { feed } from '../../support/feed.ts';

/** Far more than a second, of which a machine may make several, and far less than the fourteen that it takes. */
const STREAM_IDLE_MS = 8_000;
/** Longer than any limit of the transports. */
const LATE_MS = 13_500;

/** Sends one byte a second, `count` times. */
function trickle(client: RawClient, count: number): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent === count || client.socket.destroyed) clearInterval(timer);
    else client.send('x');
    sent += 1;
  }, 1_000);
}

test('slow clients', { concurrency: true, timeout: 180_000 }, async (t) => {
  const cases: Promise<void>[] = [];
  const onEach = (
    name: string,
    run: (open: () => Promise<Transport>, transport: string) => Promise<void>,
  ) => {
    for (const { name: transport, open, skip } of TRANSPORTS) {
      cases.push(t.test(`${name}, on ${transport}`, { skip }, () => run(open, transport)));
    }
  };

  /** `refused`: the 400 that the program gave the transport to say. */
  const silent: [what: string, bytes: string, onUws: string, onNode: string][] = [
    ['says nothing', '', 'closed', 'closed'],
    ['sends half a head', 'POST / HTTP/1.1\r\nhost: te', 'closed', 'refused'],
    ['sends what is no HTTP', 'NONSENSE\r\n\r\n', 'closed', 'refused'],
    ['sends an empty line first', `\r\n${head('GET', '/')}`, 'closed', 'echo:'],
    ['folds a header', head('GET', '/', ['x: a\r\n b']), 'closed', 'refused'],
    [
      'extends a chunk',
      `${head('POST', '/', ['transfer-encoding: chunked'])}4;a=b\r\nbody\r\n0\r\n\r\n`,
      'too-slow',
      'echo:body',
    ],
  ];
  for (const [what, bytes, onUws, onNode] of silent) {
    onEach(`a client that ${what} is answered as docs/http.md says, and closed`, async (open, transport) => {
      await using server = await serve(open, echo());
      const client = await RawClient.connect(server.port);
      client.socket.write(bytes, 'latin1');
      const reply = await client.reply().catch(() => undefined);
      const outcome = reply?.headers.get('x-refused') === 'yes' ? 'refused' : (reply?.body ?? 'closed');
      assert.equal(outcome, transport === 'uws' ? onUws : onNode);
      await client.closed;
    });
  }

  onEach('an idle connection is closed', async (open) => {
    await using server = await serve(open, echo());
    const client = await RawClient.connect(server.port);
    await client.request('GET', '/');
    await client.closed;
  });

  for (const [what, bytes] of [
    ['trickles', 1000],
    ['stops in the middle of', 1],
    ['never begins', 0],
  ] as const) {
    onEach(`a client that ${what} a body to be collected is told so, then closed`, async (open) => {
      await using server = await serve(open, echo());
      const client = await RawClient.connect(server.port);
      client.send(head('POST', '/', ['content-length: 1000']));
      trickle(client, bytes);
      const reply = await client.reply();
      assert.deepEqual([reply.body, reply.headers.get('connection')], ['too-slow', 'close']);
      await client.closed;
    });
  }

  onEach('a client that never ends a body nobody asked for gets its reply, then is closed', async (open) => {
    await using server = await serve(open, (exchange) => exchange.reply(401, [], 'no'));
    const client = await RawClient.connect(server.port);
    client.send(head('POST', '/', ['content-length: 1000']));
    trickle(client, 1000);
    assert.equal((await client.reply()).body, 'no');
    await client.closed;
  });

  for (const [what, onExchange] of [
    ['a large body nobody asked for', (exchange: Exchange) => exchange.reply(401, [], 'no')],
    ['a body far over the limit', echo(1000)],
  ] as const) {
    onEach(`a client that never ends ${what} is closed`, async (open) => {
      await using server = await serve(open, onExchange);
      const client = await RawClient.connect(server.port);
      client.send(head('POST', '/', ['content-length: 1000000000']));
      feed(client.socket);
      await client.closed;
      assert.match(client.received, /^HTTP\/1\.1 4/);
    });
  }

  const trickling = t.test(
    'a streamed body may trickle for as long as no pause exceeds the idle timeout',
    async () => {
      await using server = await serve(openNode, async (exchange) => {
        let received = 0;
        for await (const chunk of exchange.streamBody(STREAM_IDLE_MS)) received += chunk.byteLength;
        exchange.reply(200, [], String(received));
      });
      const client = await RawClient.connect(server.port);
      client.send(head('POST', '/', ['content-length: 14']));
      trickle(client, 14);
      assert.equal((await client.reply()).body, '14');
      client.close();
    },
  );
  cases.push(trickling);

  onEach('a streamed reply waits for its reader as long as it was told to', async (open) => {
    const lengthBytes = 32 * 1024 * 1024;
    const source = new CountedSource({ lengthBytes, idleTimeoutMs: 30_000 });
    await using server = await serve(open, (exchange) => exchange.replyStream(200, [], source));
    const client = await RawClient.connect(server.port);
    client.socket.pause();
    client.send(head('GET', '/'));
    await sleep(LATE_MS);
    client.socket.resume();
    assert.ok((await client.reply()).bytes.equals(countedBytes(lengthBytes)));
    client.close();
  });

  onEach('a slow handler is waited for', async (open) => {
    await using server = await serve(open, (exchange) => {
      exchange.readBody(9, () => setTimeout(() => exchange.reply(200, [], 'at last'), LATE_MS));
    });
    const client = await RawClient.connect(server.port);
    assert.equal((await client.request('POST', '/', 'x')).body, 'at last');
    client.close();
  });

  await Promise.all(cases);
});
