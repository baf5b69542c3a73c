/** Files of products through kill -9 and a damaged folder, and what a large one costs in memory. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { openAsBlob, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { ok } from '../../support/operator-client.ts';
import { patternBytes } from '../../support/pattern-bytes.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import type { LedgerBuyer } from './ledger.ts';
import { type ServerUnderTest, startServer } from './server-under-test.ts';
import { openAccount } from './stage.ts';

const LARGE_BYTES = 128 * 1024 * 1024;
const MAX_GROWTH_BYTES = 64 * 1024 * 1024;

async function newBuyer(server: ServerUnderTest): Promise<LedgerBuyer> {
  const buyer = await openAccount(server, 'reseller');
  await ok(server.operator.credit(buyer.accountId, 100, 'deposit'));
  return buyer;
}

async function newProduct({ operator }: ServerUnderTest): Promise<number> {
  return (await ok(operator.createProduct({ name: 'Book', type: 'file', priceUsdt: 1 }))).productId ?? 0;
}

async function buy({ buyers }: ServerUnderTest, { apiKey }: LedgerBuyer, productId: number): Promise<number> {
  const reply = await buyers.purchase(apiKey, randomUUID(), { productId, expectedPriceUsdt: 1 });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.orderId ?? 0;
}

function download({ process }: ServerUnderTest, { apiKey }: LedgerBuyer, orderId: number): Promise<Response> {
  return fetch(`${process.buyerUrl}/orders/${orderId}/download`, { headers: { 'x-api-key': apiKey } });
}

test('kill -9 takes no file that an order bought; a lost one is told, and stops nobody', async (t) => {
  const folder = await createTemporaryFolder('product-files');
  t.after(() => folder.remove());
  const dataDir = join(folder.path, 'data');
  const [oldBytes, newBytes] = [patternBytes(300_000, 1), patternBytes(200_000, 2)];
  let server = await startServer({ dataDir });
  t.after(() => server.kill());
  const buyer = await newBuyer(server);
  const productId = await newProduct(server);
  await ok(server.operator.setFile(productId, oldBytes));
  const oldOrder = await buy(server, buyer, productId);
  const replaced = (await ok(server.operator.setFile(productId, newBytes))).file?.fileId ?? '';
  const newOrder = await buy(server, buyer, productId);
  await server.kill();

  const verified = async () => {
    const lines: string[] = [];
    const isSound = await verifyDataFolder(dataDir, (line) => lines.push(line));
    return { isSound, text: lines.join('\n') };
  };
  const sound = await verified();
  assert.ok(sound.isSound, sound.text);
  assert.match(sound.text, /^files: 2 with 500000 bytes, none missing or changed$/m);
  writeFileSync(join(dataDir, 'files', 'unfinished', 'f'.repeat(32)), 'cut off');
  const [lost, found] = [join(folder.path, 'lost'), join(dataDir, 'files', replaced)];
  renameSync(found, lost);
  const amiss = await verified();
  assert.equal(amiss.isSound, false);
  assert.match(amiss.text, new RegExp(`^product ${productId}: file ${replaced} cannot be read: ENOENT`, 'm'));

  server = await startServer({ dataDir });
  const bytesOf = async (orderId: number) =>
    Buffer.from(await (await download(server, buyer, orderId)).arrayBuffer());
  assert.deepEqual(readdirSync(join(dataDir, 'files', 'unfinished')), []);
  assert.equal((await download(server, buyer, newOrder)).status, 503);
  assert.ok((await bytesOf(oldOrder)).equals(oldBytes));
  await buy(server, buyer, productId);
  renameSync(lost, found);
  assert.ok((await bytesOf(newOrder)).equals(newBytes));
  await server.stop();
});

test('a large file costs no memory, neither up nor down to a slow reader', {
  timeout: 240_000,
}, async (t) => {
  const folder = await createTemporaryFolder('large-file');
  t.after(() => folder.remove());
  const server = await startServer({ dataDir: join(folder.path, 'data') });
  t.after(() => server.kill());
  const buyer = await newBuyer(server);
  const productId = await newProduct(server);
  const large = join(folder.path, 'large');
  writeFileSync(large, patternBytes(LARGE_BYTES, 5));
  // What a server needs once for any file is there before it is measured.
  await ok(server.operator.setFile(productId, patternBytes(3_000_000, 1)));
  await (await download(server, buyer, await buy(server, buyer, productId))).arrayBuffer();
  const { pid, operatorUrl, operatorToken } = server.process;
  const before = memory(pid, 'VmRSS');
  // Forgets the peak.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');

  const sent = await fetch(`${operatorUrl}/products/${productId}/file`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/octet-stream' },
    body: await openAsBlob(large),
  });
  assert.equal(sent.status, 200, await sent.text());
  const { body } = await download(server, buyer, await buy(server, buyer, productId));
  const digest = createHash('sha256');
  let receivedBytes = 0;
  let pauseAtBytes = 0;
  for await (const chunk of body ?? []) {
    digest.update(chunk);
    receivedBytes += chunk.length;
    if (receivedBytes <= pauseAtBytes) continue;
    await delay(200);
    pauseAtBytes += LARGE_BYTES / 4;
  }
  assert.equal(digest.digest('hex'), createHash('sha256').update(readFileSync(large)).digest('hex'));
  const growthBytes = memory(pid, 'VmHWM') - before;
  t.diagnostic(`the server grew by at most ${(growthBytes / 1024 ** 2).toFixed(1)} MiB`);
  assert.ok(growthBytes < MAX_GROWTH_BYTES, `the server grew by ${growthBytes} bytes`);
  await server.stop();
});

/** In bytes. `VmHWM` is the peak. */
function memory(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
}
