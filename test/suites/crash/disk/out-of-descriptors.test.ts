/**
 * A node that runs out of file descriptors while suppliers are asked: each purchase is answered, with its items or
 * with a clear refusal, nothing is charged for a refusal, and the node goes on.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ReferenceSupplier } from '../../../../examples/supplier/reference-supplier.ts';
import { BuyerClient } from '../../../support/buyer-client.ts';
import { CheckedOperatorClient } from '../../../support/checked-operator-client.ts';
import { eventually } from '../../../support/eventually.ts';
import { startPurser } from '../../../support/nodes/purser-process.ts';
import { withoutTransport } from '../../../support/nodes/uws-binary.ts';
import { ok } from '../../../support/operator-client.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';

/**
 * A node needs about 50 for itself, and two for each of these. So few are left for the supplier that the limit is
 * reached even if they come a few at a time, and the first have been answered when the last come.
 */
const descriptors = 320;
const purchases = 170;
const startUsdt = 1_000;

async function limitedNode(folder: string, limit: number): Promise<string> {
  const nodeBinary = join(folder, 'limited-node');
  await writeFile(nodeBinary, `#!/bin/sh\nulimit -n ${limit}\nexec '${process.execPath}' "$@"\n`);
  await chmod(nodeBinary, 0o700);
  return nodeBinary;
}

/** Resolves with true when it is there for good, as far as a request shows. */
async function isServed(socket: Socket): Promise<boolean> {
  const answered = new Promise<boolean>((resolve) => {
    socket.once('data', () => resolve(true));
    socket.once('close', () => resolve(false));
  });
  socket.write('GET /api/v1/buyer/health HTTP/1.1\r\nHost: x\r\n\r\n');
  return await answered;
}

for (const transport of ['uws', 'node']) {
  test(`buyers' connections leave the node file descriptors, and come in when there are some (${transport})`, {
    skip: withoutTransport(transport),
  }, async (t: TestContext) => {
    const folder = await createTemporaryFolder('descriptors');
    t.after(() => folder.remove());
    const server = await startPurser({
      dataDir: join(folder.path, 'data'),
      nodeBinary: await limitedNode(folder.path, 160),
      flags: ['--transport', transport],
    });
    t.after(() => server.kill());
    const sockets: Socket[] = [];
    t.after(() => sockets.map((socket) => socket.destroy()));
    const port = Number(new URL(server.buyerUrl).port);
    const begin = async () => {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      const isThere = await isServed(socket);
      // One that waits would take the room that the next one needs.
      if (!isThere) socket.destroy();
      return isThere;
    };
    let served = 0;
    while (await begin()) served += 1;
    assert.ok(served > 20 && served < 160, `${served} connections`);
    if (transport === 'uws') {
      // Nobody listens, so nothing is looked at in vain.
      const [error] = await once(connect(port, '127.0.0.1'), 'error');
      assert.equal((error as NodeJS.ErrnoException).code, 'ECONNREFUSED');
      assert.match(server.output(), /too few file descriptors: new connections of buyers are refused/);
    }
    for (const socket of sockets.splice(0)) socket.destroy();
    await eventually('a connection is served', begin);
    assert.equal(await server.stop(), 0, server.output());
  });
}

test('without a file descriptor for the supplier: PURCHASE_FAILED, nothing charged, and the node goes on', async (t: TestContext) => {
  const folder = await createTemporaryFolder('descriptors');
  t.after(() => folder.remove());
  const nodeBinary = await limitedNode(folder.path, descriptors);
  const supplier = await ReferenceSupplier.start('a secret of the supplier');
  t.after(() => supplier.stop());
  // Long enough that all wait at once.
  supplier.lateMs = 2_000;
  const server = await startPurser({
    dataDir: join(folder.path, 'data'),
    nodeBinary,
    flags: ['--log-level', 'error'],
  });
  t.after(() => server.kill());
  const operator = new CheckedOperatorClient(server.operatorUrl, server.operatorToken);
  const buyers = new BuyerClient(server.buyerUrl, { maxSockets: purchases });

  const { accountId = 0 } = await ok(operator.createAccount({ name: 'buyer', rateLimitPerMinute: null }));
  await ok(operator.credit(accountId, startUsdt, 'start'));
  const { apiKey = '' } = await ok(operator.issueKey(accountId));
  const { url, secret } = supplier;
  const { supplierId = 0 } = await ok(operator.createSupplier({ name: 'Codes', url, secret }));
  const product = { name: 'Card', description: '', instructions: '', type: 'standard', priceUsdt: 1 };
  const { productId = 0 } = await ok(operator.createProduct({ ...product, supplierId, supplierSku: 'late' }));
  const buy = (key: string) => buyers.purchase(apiKey, key, { productId, expectedPriceUsdt: 1 });

  const answers = await Promise.all(Array.from({ length: purchases }, (_, index) => buy(`key-${index}`)));
  // Makes room for what is asked next.
  buyers.close();
  const delivered = answers.filter(({ status }) => status === 201);
  const failed = answers.filter(({ status, body }) => status === 502 && body.error === 'PURCHASE_FAILED');
  assert.equal(delivered.length + failed.length, purchases, answers.map(({ text }) => text).join('\n'));
  assert.ok(failed.length > 0, 'the limit was reached');
  const items = delivered.flatMap(({ body }) => body.delivery?.items ?? []);
  assert.equal(new Set(items).size, delivered.length);
  const { balanceUsdt, heldUsdt } = await ok(operator.getAccount(accountId));
  assert.deepEqual([balanceUsdt, heldUsdt], [startUsdt - delivered.length, 0]);
  assert.deepEqual((await ok(operator.listSupplierPurchases())).supplierPurchases, []);
  assert.equal(await server.stop(), 0, server.output());
});
