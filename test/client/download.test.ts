/** A file that arrives whole, whatever the connection does, or not at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Download } from 'purser/client';
import { eventually } from '../support/eventually.ts';
import { errorOf, withClient } from './client-under-test.ts';
import { breakOff, refusal, type Step } from './scripted-server.ts';

const FILE = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
const ETAG = '"the-file"';

/** Serves what is asked for, but only up to `untilByte` of the file; `then` says how it stops there. */
function serves(
  options: { untilByte?: number; etag?: string | undefined; ignoresRange?: boolean; hangs?: boolean } = {},
): Step {
  const { untilByte = FILE.length, ignoresRange = false, hangs = false } = options;
  const etag = 'etag' in options ? options.etag : ETAG;
  return (response, { headers }) => {
    const asked = ignoresRange ? undefined : /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1];
    const start = Number(asked ?? 0);
    response.writeHead(asked === undefined ? 200 : 206, {
      'content-type': 'application/pdf',
      'content-length': FILE.length - start,
      ...(etag === undefined ? {} : { etag }),
      ...(asked === undefined ? {} : { 'content-range': `bytes ${start}-${FILE.length - 1}/${FILE.length}` }),
    });
    response.flushHeaders();
    response.write(FILE.subarray(start, untilByte), () => {
      if (untilByte === FILE.length) response.end();
      else if (!hangs) response.socket?.destroy();
    });
  };
}

async function bytesOf({ body }: Download): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('after a broken connection the rest is asked for, of the same file', { timeout: 60_000 }, () =>
  withClient(
    [serves({ untilByte: 70_000 }), breakOff, serves({ untilByte: 150_000, hangs: true }), serves()],
    async ({ client, requests, delaysMs, timeOut }) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of (await client.download(41)).body) {
        pieces.push(piece);
        // All that comes before the server falls silent: the next read will be waiting.
        if (Buffer.concat(pieces).length === 150_000) setImmediate(timeOut);
      }
      assert.deepEqual(Buffer.concat(pieces), FILE);
      assert.deepEqual(delaysMs, [1_000, 1_000, 1_000]);
      const [whole, ...rest] = requests.map(({ headers }) => headers);
      assert.equal(whole?.range, undefined);
      assert.deepEqual(
        rest.map((headers) => headers['if-range']),
        [ETAG, ETAG, ETAG],
      );
      // How much of what was sent arrives before the break is the network's to say.
      const [afterBreak = -1, afterNothing, afterSilence] = rest.map(({ range }) =>
        Number(range?.slice(6, -1)),
      );
      assert.ok(afterBreak >= 0 && afterBreak <= 70_000);
      assert.equal(afterNothing, afterBreak);
      assert.equal(afterSilence, 150_000);
    },
  ),
);

const spoilt: [why: string, steps: Step[], code: string][] = [
  ['has no ETag', [serves({ untilByte: 9, etag: undefined }), serves()], 'NETWORK_ERROR'],
  ['has a weak ETag', [serves({ untilByte: 9, etag: 'W/"1"' }), serves()], 'NETWORK_ERROR'],
  ['has changed meanwhile', [serves({ untilByte: 9 }), serves({ ignoresRange: true })], 'BAD_RESPONSE'],
  ['is gone meanwhile', [serves({ untilByte: 9 }), refusal(404, 'NOT_FOUND')], 'NOT_FOUND'],
];

test('a broken download fails when the file can’t be known to be the same, or is gone', async () => {
  for (const [why, steps, code] of spoilt) {
    await withClient(steps, async ({ client }) => {
      assert.equal((await errorOf(client.download(41).then(bytesOf))).code, code, why);
    });
  }
});

test('a download that breaks off again and again without a byte is given up', () =>
  withClient(
    Array.from({ length: 9 }, () => serves({ untilByte: 0 })),
    async ({ client, requests, delaysMs }) => {
      assert.equal((await errorOf(client.download(41).then(bytesOf))).code, 'NETWORK_ERROR');
      assert.equal(requests.length, 4);
      assert.deepEqual(delaysMs, [1_000, 2_000, 4_000]);
    },
  ));

test('a file that is shorter than announced is not taken for whole, even by a fetch that doesn’t mind', () => {
  const headers = { 'content-length': '10' };
  return withClient(
    [],
    async ({ client }) => {
      assert.equal((await errorOf(client.download(41).then(bytesOf))).code, 'NETWORK_ERROR');
    },
    { fetch: async () => new Response('half', { headers }) },
  );
});

test('before the first byte it is a call like any other', async () => {
  const unavailable = refusal(503, 'DELIVERY_UNAVAILABLE', { 'retry-after': '2' });
  await withClient([unavailable, serves()], async ({ client, delaysMs, requests }) => {
    const download = await client.download(41);
    assert.deepEqual([download.contentType, download.contentLengthBytes], ['application/pdf', FILE.length]);
    assert.deepEqual(await bytesOf(download), FILE);
    assert.deepEqual(delaysMs, [2_000]);
    assert.equal(requests[0]?.path, '/api/v1/buyer/orders/41/download');
    assert.equal(requests[0]?.headers['accept-encoding'], 'identity');
  });
  await withClient([refusal(409, 'DELIVERY_NOT_READY'), serves()], async ({ client, requests }) => {
    assert.equal((await errorOf(client.download(41))).code, 'DELIVERY_NOT_READY');
    assert.equal(requests.length, 1);
  });
});

test('the caller’s signal ends it in the middle, and cancelling closes the connection', {
  timeout: 60_000,
}, async () => {
  let closed = 0;
  const watched: Step = (response, ...rest) => {
    response.on('close', () => {
      closed += 1;
    });
    serves({ untilByte: 9, hangs: true })(response, ...rest);
  };
  await withClient([watched, watched], async ({ client }) => {
    const controller = new AbortController();
    const { body } = await client.download(41, { signal: controller.signal });
    const reader = body.getReader();
    await reader.read();
    controller.abort();
    assert.equal((await errorOf(reader.read())).code, 'ABORTED');
    await (await client.download(41)).body.cancel();
    await eventually('both are closed', () => closed === 2);
  });
});
