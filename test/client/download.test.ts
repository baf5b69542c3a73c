/** Downloads, as far as the table of cases doesn't say it (`table/downloads.json`). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Download } from 'purser/client';
import { eventually } from '../support/eventually.ts';
import { errorOf, withClient } from './client-under-test.ts';
import type { Step } from './scripted-server.ts';
import { stepOf } from './table/steps.ts';

async function bytesOf({ body }: Download): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

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

test('the caller’s signal ends it in the middle, and cancelling closes the connection', {
  timeout: 60_000,
}, async () => {
  let closed = 0;
  const watched: Step = (response, ...rest) => {
    response.on('close', () => {
      closed += 1;
    });
    stepOf({ file: { untilByte: 9, ending: 'hang' } }, [])(response, ...rest);
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
