/**
 * Files of products through kill -9 and a damaged folder. The memory that streams cost is measured in
 * `test/http/transport/`.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyDataFolder } from '../../../../src/persistence/verify.ts';
import { eventually } from '../../../support/eventually.ts';
import { ok } from '../../../support/operator-client.ts';
import { patternBytes } from '../../../support/pattern-bytes.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { startServer } from '../shop/server-under-test.ts';
import { openAccount } from '../shop/stage.ts';

test('kill -9 takes no file that an order bought; a lost one is told, and stops nobody', async (t) => {
  const folder = await createTemporaryFolder('product-files');
  t.after(() => folder.remove());
  const dataDir = join(folder.path, 'data');
  const [oldBytes, newBytes] = [patternBytes(300_000, 1), patternBytes(200_000, 2)];
  let server = await startServer({ dataDir });
  t.after(() => server.kill());
  const { accountId, apiKey } = await openAccount(server, 'reseller');
  await ok(server.operator.credit(accountId, 100, 'deposit'));
  const { productId = 0 } = await ok(
    server.operator.createProduct({ name: 'Book', type: 'file', priceUsdt: 1 }),
  );
  const buy = async () => {
    const reply = await server.buyers.purchase(apiKey, randomUUID(), { productId, expectedPriceUsdt: 1 });
    assert.equal(reply.status, 201, reply.text);
    return reply.body.orderId ?? 0;
  };
  const download = (orderId: number) =>
    fetch(`${server.process.buyerUrl}/orders/${orderId}/download`, { headers: { 'x-api-key': apiKey } });
  await ok(server.operator.setFile(productId, oldBytes));
  const oldOrder = await buy();
  const replaced = (await ok(server.operator.setFile(productId, newBytes))).file?.fileId ?? '';
  const newOrder = await buy();
  await server.kill();

  const verified = async () => {
    const lines: string[] = [];
    const isSound = await verifyDataFolder(dataDir, (line) => lines.push(line));
    return { isSound, text: lines.join('\n') };
  };
  const sound = await verified();
  assert.ok(sound.isSound, sound.text);
  assert.match(sound.text, /^files: 2 with 500000 bytes, none missing or changed$/m);
  const unfinished = join(dataDir, 'unfinished');
  writeFileSync(join(unfinished, 'f'.repeat(32)), 'cut off');
  mkdirSync(join(unfinished, 'drill', 'shop'), { recursive: true });
  const [lost, found] = [join(folder.path, 'lost'), join(dataDir, 'files', replaced)];
  renameSync(found, lost);
  const amiss = await verified();
  assert.equal(amiss.isSound, false);
  assert.match(amiss.text, new RegExp(`^product ${productId}: file ${replaced} cannot be read: ENOENT`, 'm'));

  server = await startServer({ dataDir });
  const bytesOf = async (orderId: number) => Buffer.from(await (await download(orderId)).arrayBuffer());
  await eventually('nothing half-written is left', () => readdirSync(unfinished).length === 0);
  assert.equal((await download(newOrder)).status, 503);
  assert.ok((await bytesOf(oldOrder)).equals(oldBytes));
  await buy();
  renameSync(lost, found);
  assert.ok((await bytesOf(newOrder)).equals(newBytes));
  await server.stop();
});
