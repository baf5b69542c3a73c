/** Files of products through kill -9, a damaged folder and a full disk, and what a large one costs in memory. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { get, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { BuyerClient } from '../../support/buyer-client.ts';
import { OperatorClient, ok } from '../../support/operator-client.ts';
import { patternBytes } from '../../support/pattern-bytes.ts';
import { runCommand } from '../../support/purser-command.ts';
import { type PurserProcess, startPurser } from '../../support/purser-process.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { withoutTransport } from '../../support/uws-binary.ts';

const LARGE_BYTES = 128 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const MAX_GROWTH_BYTES = 64 * 1024 * 1024;

interface Shop {
  readonly server: PurserProcess;
  readonly operator: OperatorClient;
  readonly buyers: BuyerClient;
}

async function open(t: TestContext, dataDir: string, flags: readonly string[] = []): Promise<Shop> {
  const server = await startPurser({ dataDir, flags });
  const buyers = new BuyerClient(server.buyerUrl);
  t.after(async () => {
    buyers.close();
    await server.kill();
  });
  return { server, operator: new OperatorClient(server.operatorUrl, server.operatorToken), buyers };
}

async function newBuyer({ operator }: Shop): Promise<string> {
  const { accountId = 0 } = await ok(operator.createAccount({ name: 'reseller' }));
  await ok(operator.credit(accountId, 100, 'deposit'));
  return (await ok(operator.issueKey(accountId))).apiKey ?? '';
}

async function newProduct({ operator }: Shop): Promise<number> {
  return (await ok(operator.createProduct({ name: 'Book', type: 'file', priceUsdt: 1 }))).productId ?? 0;
}

async function buy({ buyers }: Shop, apiKey: string, productId: number): Promise<number> {
  const reply = await buyers.purchase(apiKey, randomUUID(), { productId, expectedPriceUsdt: 1 });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.orderId ?? 0;
}

async function download({ server }: Shop, apiKey: string, orderId: number) {
  const response = await fetch(`${server.buyerUrl}/orders/${orderId}/download`, {
    headers: { 'x-api-key': apiKey },
    signal: AbortSignal.timeout(30_000),
  });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}

test('kill -9 takes no file that an order bought; a lost one is told, and stops nobody', async (t) => {
  const folder = await createTemporaryFolder('product-files');
  t.after(() => folder.remove());
  const dataDir = join(folder.path, 'data');
  const [oldBytes, newBytes] = [patternBytes(300_000, 1), patternBytes(200_000, 2)];

  let shop = await open(t, dataDir);
  const apiKey = await newBuyer(shop);
  const productId = await newProduct(shop);
  await ok(shop.operator.setFile(productId, oldBytes));
  const oldOrder = await buy(shop, apiKey, productId);
  const replaced = (await ok(shop.operator.setFile(productId, newBytes))).file?.fileId ?? '';
  const newOrder = await buy(shop, apiKey, productId);
  await shop.server.kill();

  const lines: string[] = [];
  assert.ok(await verifyDataFolder(dataDir, (line) => lines.push(line)), lines.join('\n'));
  assert.ok(lines.includes('files: 2 with 500000 bytes, none missing or changed'), lines.join('\n'));
  writeFileSync(join(dataDir, 'files', 'unfinished', 'f'.repeat(32)), 'cut off');

  const [lost, found] = [join(folder.path, 'lost'), join(dataDir, 'files', replaced)];
  renameSync(found, lost);
  const amiss = await runCommand(['verify', '--data', dataDir]);
  assert.match(
    amiss.stdout,
    new RegExp(`^product ${productId}: file ${replaced} cannot be read: ENOENT`, 'm'),
  );
  assert.match(amiss.stdout, /^ERROR: 1 of 2 product files can't be delivered$/m);
  assert.equal(amiss.code, 1);

  shop = await open(t, dataDir);
  assert.deepEqual(readdirSync(join(dataDir, 'files', 'unfinished')), []);
  assert.equal((await download(shop, apiKey, newOrder)).status, 503);
  assert.ok((await download(shop, apiKey, oldOrder)).bytes.equals(oldBytes));
  await buy(shop, apiKey, productId);
  renameSync(lost, found);
  assert.ok((await download(shop, apiKey, newOrder)).bytes.equals(newBytes));
  assert.equal(await shop.server.stop(), 0);
});

test('an upload to a full disk is 500 and leaves nothing; with room again it works', {
  skip: whyNoSmallDisk() ?? false,
}, async (t) => {
  const folder = await createTemporaryFolder('product-files-full');
  const disk = mountSmallDisk(folder.path, 48);
  t.after(async () => {
    disk.unmount();
    await folder.remove();
  });
  const dataDir = join(disk.path, 'data');
  const files = () => readdirSync(join(dataDir, 'files'), { recursive: true, encoding: 'utf8' }).sort();
  const shop = await open(t, dataDir);
  const apiKey = await newBuyer(shop);
  const productId = await newProduct(shop);
  const bytes = patternBytes(2_000_000, 1);
  await ok(shop.operator.setFile(productId, bytes));
  const orderId = await buy(shop, apiKey, productId);
  const before = files();

  disk.fill();
  for (const sizeBytes of [1, 5_000_000]) {
    const reply = await shop.operator.setFile(productId, patternBytes(sizeBytes, 2));
    assert.deepEqual([reply.status, reply.body.error], [500, 'INTERNAL_ERROR'], reply.text);
    assert.deepEqual(files(), before);
  }
  assert.ok((await download(shop, apiKey, orderId)).bytes.equals(bytes));
  disk.free();
  await ok(shop.operator.setFile(productId, patternBytes(5_000_000, 2)));
  await shop.server.kill();
});

describe('a large file costs no memory', {
  skip: process.platform !== 'linux' && 'memory is read from /proc',
  timeout: 240_000,
}, () => {
  let folder: TemporaryFolder;
  let apiKey: string;
  let productId: number;
  /** The SHA-256 of what the first server took in, whose operator API is the same whatever the transport. */
  let sent: string | undefined;
  before(async () => {
    folder = await createTemporaryFolder('large-file');
  });
  after(() => folder.remove());

  for (const transport of ['uws', 'node']) {
    test(`neither up nor down to a slow reader (--transport ${transport})`, {
      skip: withoutTransport(transport),
    }, async (t) => {
      const shop = await open(t, folder.path, ['--transport', transport]);
      if (sent === undefined) {
        apiKey = await newBuyer(shop);
        productId = await newProduct(shop);
      }
      // What a server needs once for any file is there before it is measured.
      const small = sent === undefined ? productId : await newProduct(shop);
      await ok(shop.operator.setFile(small, patternBytes(3 * CHUNK_BYTES, 1)));
      await download(shop, apiKey, await buy(shop, apiKey, small));
      const before = memory(shop.server.pid, 'VmRSS');
      forgetPeak(shop.server.pid);

      sent ??= await upload(shop.server, productId);
      const orderId = await buy(shop, apiKey, productId);
      assert.equal(await downloadSlowly(shop.server, apiKey, orderId), sent);
      const growthBytes = memory(shop.server.pid, 'VmHWM') - before;
      t.diagnostic(`the server grew by at most ${(growthBytes / 1024 ** 2).toFixed(1)} MiB`);
      assert.ok(growthBytes < MAX_GROWTH_BYTES, `the server grew by ${growthBytes} bytes`);
      assert.equal(await shop.server.stop(), 0);
    });
  }
});

/** Sends `LARGE_BYTES`; resolves with their SHA-256. */
async function upload(server: PurserProcess, productId: number): Promise<string> {
  const digest = createHash('sha256');
  const outgoing = request(`${server.operatorUrl}/products/${productId}/file`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${server.operatorToken}`,
      'content-type': 'application/octet-stream',
      'content-length': LARGE_BYTES,
    },
  });
  const status = new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
  });
  const chunk = patternBytes(CHUNK_BYTES, 5);
  for (let sent = 0; sent < LARGE_BYTES; sent += CHUNK_BYTES) {
    chunk.writeUInt32LE(sent, 0);
    digest.update(chunk);
    if (!outgoing.write(Buffer.from(chunk))) await new Promise((resolve) => outgoing.once('drain', resolve));
  }
  outgoing.end();
  assert.equal(await status, 200);
  return digest.digest('hex');
}

/** Stops a few times on the way; resolves with the SHA-256 of what came. */
async function downloadSlowly(server: PurserProcess, apiKey: string, orderId: number): Promise<string> {
  const digest = createHash('sha256');
  const response = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
    const url = `${server.buyerUrl}/orders/${orderId}/download`;
    get(url, { headers: { 'x-api-key': apiKey } }, resolve).on('error', reject);
  });
  let receivedBytes = 0;
  let pauseAtBytes = 0;
  for await (const chunk of response) {
    digest.update(chunk);
    receivedBytes += chunk.length;
    if (receivedBytes > pauseAtBytes) {
      await delay(200);
      pauseAtBytes += LARGE_BYTES / 4;
    }
  }
  assert.equal(receivedBytes, LARGE_BYTES);
  return digest.digest('hex');
}

/** In bytes. `VmHWM` is the peak since `forgetPeak`. */
function memory(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
}

function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
