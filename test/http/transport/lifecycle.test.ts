/** Listening, and above all stopping: replies under way leave, idle connections close, then it is over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, ListenOptions } from '../../../src/http/transport/transport.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { head, RawClient } from './raw-client.ts';
import { onBothTransports, serve } from './under-test.ts';

const GRACE_MS = 20_000;

function listening(port: number, host = '127.0.0.1'): ListenOptions {
  return {
    host,
    port,
    onExchange: (exchange) => exchange.reply(200, [], 'ok'),
    onFault: () => {},
    fallbackReply: () => ({ headers: [], body: '' }),
    refusalReply: () => ({ headers: [], body: '' }),
  };
}

onBothTransports('stop', (open) => {
  test('lets what is under way finish, a body too, and says that the connection closes', async () => {
    const waiting: Exchange[] = [];
    await using server = await serve(open, (exchange) => {
      waiting.push(exchange);
      if (exchange.method === 'POST')
        exchange.readBody(100, (body) => exchange.reply(200, [], Buffer.from(body).toString()));
    });
    const client = await RawClient.connect(server.port);
    client.send(head('GET', '/'));
    const sender = await RawClient.connect(server.port);
    sender.send(head('POST', '/', ['content-length: 8']), 'half');
    await eventually('both came', () => waiting.length === 2);
    const stopped = server.listener.stop(GRACE_MS);
    await sleep(30);
    await assert.rejects(RawClient.connect(server.port), 'no new connections');
    waiting.find(({ method }) => method === 'GET')?.reply(200, [], 'the last one');
    const reply = await client.reply();
    assert.deepEqual([reply.body, reply.headers.get('connection')], ['the last one', 'close']);
    await client.closed;
    sender.send('rest');
    assert.equal((await sender.reply()).body, 'halfrest');
    await stopped;
  });

  test('closes idle connections, those that never sent anything too', async () => {
    await using server = await serve(open, (exchange) => exchange.reply(200, [], 'ok'));
    const used = await RawClient.connect(server.port);
    await used.request('GET', '/');
    const silent = await RawClient.connect(server.port);
    await sleep(20);
    await Promise.all([server.listener.stop(GRACE_MS), server.listener.stop(GRACE_MS)]);
    await Promise.all([used.closed, silent.closed]);
  });

  test('closes what is left when the grace is over', async () => {
    const waiting: Exchange[] = [];
    await using server = await serve(open, (exchange) => {
      waiting.push(exchange);
    });
    const client = await RawClient.connect(server.port);
    client.send(head('GET', '/'));
    await eventually('it came', () => waiting.length > 0);
    await server.listener.stop(30);
    await client.closed;
    assert.equal(waiting[0]?.finished, true);
    waiting[0]?.reply(200, [], 'too late');
  });

  test('frees the port for the next server, though connections were closed on this side', async () => {
    const port = await freePort();
    const transport = await open();
    for (let i = 0; i < 2; i++) {
      const listener = await transport.listen(listening(port));
      assert.equal(listener.port, port);
      const client = await RawClient.connect(port);
      assert.equal((await client.request('GET', '/')).body, 'ok');
      await listener.stop(GRACE_MS);
      await client.closed;
    }
  });
});

onBothTransports('listen', (open) => {
  test('rejects with EADDRINUSE when the port is taken, by the same transport and on every address, too', async () => {
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      const transport = await open();
      // Not port 0: on a port the system chose, uWebSockets.js would share nothing anyway.
      const first = await transport.listen(listening(await freePort(), host));
      await assert.rejects(transport.listen(listening(first.port)), { code: 'EADDRINUSE' });
      const response = await fetch(`http://127.0.0.1:${first.port}/`);
      assert.equal(await response.text(), 'ok', 'the first goes on serving');
      await first.stop(0);
    }
  });
});
