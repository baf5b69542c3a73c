/** A request body as it arrives: in order, under backpressure, and with an end for every client's behaviour. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BodyAbortedError, type StreamingExchange } from '../../../src/http/transport/transport.ts';
import { eventually } from '../../support/eventually.ts';
import { randomFromEnvironment } from '../../support/random.ts';
import { head, RawClient } from './raw-client.ts';
import { openNode as open, serve } from './under-test.ts';

const MIB = 1024 * 1024;
/** An idle time-out for bodies that nobody lets idle: longer than any machine stands still. */
const PATIENT_MS = 60_000;

/** Streams the body through `consume` and replies with what it returns, or with the error's name and message. */
function streaming(
  idleTimeoutMs: number,
  consume: (body: AsyncIterable<Uint8Array>, exchange: StreamingExchange) => Promise<string>,
): (exchange: StreamingExchange) => void {
  return (exchange) => {
    consume(exchange.streamBody(idleTimeoutMs), exchange).then(
      (text) => exchange.reply(200, [], text),
      (error) => exchange.reply(500, [], String(error)),
    );
  };
}

async function digest(body: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of body) hash.update(chunk);
  return hash.digest('hex');
}

describe('a streamed body', () => {
  test('arrives in order, however it is cut up', async (t) => {
    const random = randomFromEnvironment();
    t.diagnostic(`seed ${random.seed}`);
    const body = Array.from({ length: 200_000 }, () => random.between(0, 9)).join('');
    await using server = await serve(open, streaming(PATIENT_MS, digest));
    const client = await RawClient.connect(server.port);
    client.send(head('POST', '/', [`content-length: ${body.length}`]));
    for (let at = 0; at < body.length; ) {
      const length = random.between(1, 20_000);
      client.send(body.slice(at, at + length));
      at += length;
      if (random.chance(0.3)) await sleep(1);
    }
    assert.equal((await client.reply()).body, createHash('sha256').update(body).digest('hex'));
    client.close();
  });

  test('that was all there before it was read leaves the connection usable', async () => {
    await using server = await serve(
      open,
      streaming(PATIENT_MS, async (body) => {
        await sleep(50);
        return digest(body);
      }),
    );
    const client = await RawClient.connect(server.port);
    for (let round = 0; round < 2; round += 1) await client.request('POST', '/', 'x'.repeat(3 * MIB));
    const empty = createHash('sha256').digest('hex');
    assert.equal((await client.request('GET', '/')).body, empty);
    client.close();
  });

  for (const [when, idleMs, leave] of [
    ['leaves', PATIENT_MS, (client: RawClient) => client.close()],
    ['falls silent, and closes the connection', 60, () => {}],
  ] as const) {
    test(`throws BodyAbortedError when the client ${when}`, async () => {
      const errors: unknown[] = [];
      await using server = await serve(
        open,
        streaming(idleMs, (body) => digest(body).catch((error) => String(errors.push(error)))),
      );
      const client = await RawClient.connect(server.port);
      client.send(head('POST', '/', ['content-length: 10']), 'half');
      await eventually('it came', () => server.listener.open.requests === 1);
      leave(client);
      await client.closed;
      await eventually('it is told', () => errors.length > 0);
      assert.ok(errors[0] instanceof BodyAbortedError);
      assert.deepEqual(server.faults, []);
    });
  }

  test('does not count the time its consumer takes as silence', async (t) => {
    const idleMs = 60;
    let nowMs = 1_000;
    // Time goes by only when the test says so: whatever the machine does, the client is never silent in it.
    t.mock.method(performance, 'now', () => nowMs);
    // More than systems buffer: the client can't send all of it before the server reads on.
    const total = 16 * MIB;
    const piece = Buffer.alloc(64 * 1024, 'x');
    let go: () => void = () => {};
    const told = new Promise<void>((resolve) => {
      go = resolve;
    });
    await using server = await serve(
      open,
      streaming(idleMs, async (chunks) => {
        await told;
        return digest(chunks);
      }),
    );
    const client = await RawClient.connect(server.port);
    client.send(head('POST', '/', [`content-length: ${total}`]));
    let sent = 0;
    const sending = (async () => {
      for (; sent < total; sent += piece.byteLength) {
        if (!client.socket.write(piece)) await once(client.socket, 'drain');
      }
    })();
    for (let quiet = 0; quiet < 20; quiet += 1) {
      const before = sent;
      await sleep(5);
      if (sent === 0 || sent !== before) quiet = -1;
    }
    assert.ok(sent < total, 'the server reads no more');
    nowMs += 100 * idleMs;
    // The server looks after each idle time.
    await sleep(3 * idleMs);
    go();
    const reply = await client.reply();
    assert.equal(reply.body, createHash('sha256').update(Buffer.alloc(total, 'x')).digest('hex'));
    await sending;
    client.close();
  });

  test('may be left early: the connection stays usable, or is closed when much is to come', async () => {
    await using server = await serve(
      open,
      streaming(PATIENT_MS, async (body) => {
        for await (const _ of body) return 'seen enough';
        return 'empty';
      }),
    );
    const client = await RawClient.connect(server.port);
    for (const bytes of [1_000, MIB / 2, 1_000]) {
      assert.equal((await client.request('POST', '/', 'x'.repeat(bytes))).body, 'seen enough');
    }
    client.send(head('POST', '/', [`content-length: ${64 * MIB}`]), 'x'.repeat(4 * MIB));
    const reply = await client.reply();
    assert.deepEqual([reply.body, reply.headers.get('connection')], ['seen enough', 'close']);
    client.close();
  });

  test('throws BodyAbortedError when the reply was sent before its end', async () => {
    const errors: unknown[] = [];
    await using server = await serve(
      open,
      streaming(PATIENT_MS, async (body, exchange) => {
        exchange.reply(409, [], 'stop');
        return digest(body).catch((error) => String(errors.push(error)));
      }),
    );
    const client = await RawClient.connect(server.port);
    client.send(head('POST', '/', ['content-length: 8']), 'half');
    await eventually('it is told', () => errors.length > 0);
    assert.ok(errors[0] instanceof BodyAbortedError);
    client.send('rest');
    assert.equal((await client.reply()).body, 'stop');
    client.close();
  });
});
