/** A request body collected in memory: however it is cut up, however long it is, whoever wants it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BodyFailure } from '../../../src/http/transport/transport.ts';
import { head, RawClient } from './raw-client.ts';
import { echo, onBothTransports, serve } from './under-test.ts';

const MIB = 1024 * 1024;

/** Lets what was sent arrive by itself and not together with what is sent next. */
const apart = () => sleep(2);

onBothTransports('a request body', (open) => {
  for (const [how, header, body] of [
    ['with a length', 'content-length: 20', 'wikipedia in chunks.'],
    ['in chunks', 'transfer-encoding: chunked', '4\r\nwiki\r\n10\r\npedia in chunks.\r\n0\r\n\r\n'],
  ] as const) {
    test(`${how} arrives whole when the request is cut at any byte of it, and in single bytes`, async () => {
      await using server = await serve(open, echo());
      const client = await RawClient.connect(server.port);
      const request = head('POST', '/', [header]) + body;
      const bodyAt = request.length - body.length;
      for (let cut = bodyAt - 4; cut < request.length; cut++) {
        client.send(request.slice(0, cut));
        await apart();
        client.send(request.slice(cut));
        assert.equal((await client.reply()).body, 'echo:wikipedia in chunks.', `cut before byte ${cut}`);
      }
      client.send(request.slice(0, bodyAt));
      for (const byte of body) {
        await apart();
        client.send(byte);
      }
      assert.equal((await client.reply()).body, 'echo:wikipedia in chunks.');
      client.close();
    });
  }

  test('is empty when there is none, when its length is 0, and when its only chunk is', async () => {
    await using server = await serve(open, echo());
    const client = await RawClient.connect(server.port);
    for (const bytes of [
      head('GET', '/'),
      head('POST', '/', ['content-length: 0']),
      `${head('POST', '/', ['transfer-encoding: chunked'])}0\r\n\r\n`,
    ]) {
      for (let i = 0; i < 2; i++) {
        client.send(bytes);
        assert.equal((await client.reply()).body, 'echo:', bytes);
      }
    }
    client.close();
  });

  test('is invited with 100 Continue by a client that waits for it', async () => {
    await using server = await serve(open, echo());
    const client = await RawClient.connect(server.port);
    client.send(head('POST', '/', ['expect: 100-continue', 'content-length: 4']));
    assert.equal((await client.reply()).status, 100);
    client.send('body');
    assert.equal((await client.reply()).body, 'echo:body');
    client.close();
  });

  test('is given up when the reply leaves before it', async () => {
    const outcomes: (Uint8Array | BodyFailure)[] = [];
    await using server = await serve(open, (exchange) => {
      exchange.readBody(10, (body) => outcomes.push(body));
      exchange.reply(503, [], 'not now');
    });
    const client = await RawClient.connect(server.port);
    assert.equal((await client.request('POST', '/', 'body')).body, 'not now');
    assert.deepEqual(outcomes, ['aborted']);
    assert.equal((await client.request('POST', '/', 'body')).body, 'not now', 'the connection stays usable');
    client.close();
  });

  test('of a client that leaves is aborted, once', async () => {
    const outcomes: (Uint8Array | BodyFailure)[] = [];
    let begun = 0;
    await using server = await serve(open, (exchange) => {
      begun += 1;
      exchange.readBody(100, (body) => {
        outcomes.push(body);
        assert.equal(exchange.finished, true);
        exchange.reply(200, [], 'nobody reads this');
      });
    });
    for (const [index, sent] of ['', 'half'].entries()) {
      const client = await RawClient.connect(server.port);
      client.send(head('POST', '/', ['content-length: 8']) + sent);
      while (begun <= index) await sleep(1);
      client.close();
    }
    while (outcomes.length < 2) await sleep(1);
    await sleep(10);
    assert.deepEqual(outcomes, ['aborted', 'aborted']);
    assert.deepEqual(server.faults, []);
  });
});

onBothTransports('a request body over the limit', (open) => {
  const limit = 64 * 1024;
  const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
  const bodies = [
    { means: 'by one byte', headers: [`content-length: ${limit + 1}`], body: 'x'.repeat(limit + 1) },
    { means: 'by half a MiB', headers: [`content-length: ${MIB / 2}`], body: 'x'.repeat(MIB / 2) },
    {
      means: 'in chunked encoding',
      headers: ['transfer-encoding: chunked'],
      body: `${chunk(60_000).repeat(3)}0\r\n\r\n`,
    },
  ];
  for (const { means, headers, body } of bodies) {
    test(`${means} is too large, and the connection stays usable`, async () => {
      await using server = await serve(open, echo(limit));
      const client = await RawClient.connect(server.port);
      for (let i = 0; i < 2; i++) {
        client.send(head('POST', '/', headers) + body);
        const reply = await client.reply();
        assert.deepEqual([reply.status, reply.body], [413, 'too-large']);
      }
      assert.equal((await client.request('POST', '/', 'small')).body, 'echo:small');
      client.close();
    });
  }

  for (const { means, headers } of [
    { means: 'announced', headers: [`content-length: ${64 * MIB}`] },
    { means: 'chunked', headers: ['transfer-encoding: chunked'] },
  ]) {
    test(`by far, ${means}, gets its reply while the client still sends, then the connection closes`, async () => {
      await using server = await serve(open, echo(limit));
      const client = await RawClient.connect(server.port);
      // It reads late and has more to send than anyone buffers: a connection reset by now would lose the reply.
      client.socket.pause();
      client.send(head('POST', '/', headers), chunk(16 * MIB), chunk(16 * MIB));
      await sleep(50);
      client.socket.resume();
      const reply = await client.reply();
      assert.deepEqual([reply.status, reply.body], [413, 'too-large']);
      assert.equal(reply.headers.get('connection'), 'close');
      client.close();
    });
  }
});

onBothTransports('a request body nobody asks for', (open) => {
  for (const later of [false, true]) {
    test(`is skipped, and read before the connection is closed as asked${later ? ', also when the reply comes later' : ''}`, async () => {
      await using server = await serve(open, (exchange) => {
        const reply = () => exchange.reply(401, [], exchange.path);
        if (later) setTimeout(reply, 5);
        else reply();
      });
      const client = await RawClient.connect(server.port);
      for (const path of ['/1', '/2', '/3']) {
        assert.equal((await client.request('POST', path, 'x'.repeat(300_000))).body, path);
      }
      client.send(head('GET', '/4', ['connection: close', 'content-length: 60000']));
      for (let piece = 0; piece < 3; piece += 1) {
        await apart();
        client.send('x'.repeat(20_000));
      }
      assert.equal((await client.reply()).body, '/4');
      await client.closed;
    });
  }
});
