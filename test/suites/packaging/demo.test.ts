/**
 * Programs that a newcomer pastes work: the one that the demo prints, and the one in the documentation; and the demo
 * has a product of every kind, also after a restart.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PurserClient } from 'purser/client';
import { type PurserProcess, startPurser } from '../../support/nodes/purser-process.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const ROOT = repositoryRoot();

describe('with a demo running', { timeout: 120_000 }, () => {
  let folder: TemporaryFolder;
  let server: PurserProcess;

  before(async () => {
    folder = await createTemporaryFolder('demo');
    server = await startPurser({ dataDir: folder.path, flags: ['--demo'] });
  });

  after(async () => {
    await server.stop();
    await folder.remove();
  });

  test('the printed program buys', () => {
    const [command] = /^node --input-type=module -e '[^']*'$/m.exec(server.output()) ?? [];
    assert.ok(command, server.output());
    const printed = execFileSync('/bin/sh', ['-c', command], { cwd: ROOT, encoding: 'utf8' });
    assert.match(printed, /to be stored before it is sent: [\da-f-]{36}\n/);
    assert.match(printed, /GAME10-/);
  });

  test('the printed address is that of the console, and the printed command opens it', async () => {
    const [, address = ''] = /^The operators' console is at (\S+)\. /m.exec(server.output()) ?? [];
    assert.match(await (await fetch(address)).text(), /<!doctype html>/i);
    const [, command = ''] = /^npx purser (console --data '[^']*')$/m.exec(server.output()) ?? [];
    // The harness gives the token by the environment, so the folder has none.
    const env = { ...process.env, PURSER_OPERATOR_TOKEN: server.operatorToken };
    const printed = execFileSync('/bin/sh', ['-c', `node bin/purser.cjs ${command}`], { cwd: ROOT, env });
    assert.match(String(printed), /^http.*\/console/m);
  });

  for (const name of ['README.md', 'docs/client.md']) {
    test(`the program in ${name} buys`, () => {
      const text = readFileSync(join(ROOT, name), 'utf8');
      const [, block] = /```js\n(import \{ PurserClient \}[^`]*)```/.exec(text) ?? [];
      assert.ok(block, `${name} shows a program`);
      const program = block.replace(/http:[^']*/, server.buyerUrl).replace(/pk_live_\w+/, keyOf(server));
      const args = ['--input-type=module', '-e', program];
      assert.match(execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' }), /GAME10-/);
    });
  }

  test('each kind of product is bought, and what was promised arrives after a restart', async () => {
    const first = new PurserClient({ baseUrl: server.buyerUrl, apiKey: keyOf(server) });
    const ofSuppliers = async () =>
      (await first.products()).products.slice(4).map(({ availableStock }) => availableStock);
    assert.deepEqual(await ofSuppliers(), [250, 250, 250]);
    const buy = async (productId: number, expectedPriceUsdt: number, more: object = {}) =>
      await first.purchase({ productId, expectedPriceUsdt, ...more }).send();
    assert.match(firstItem(await buy(2, 39.9, { quantity: 10 })), /STREAM-/);
    assert.match((await buy(3, 2)).delivery?.downloadUrl ?? '', /download$/);
    assert.equal((await buy(4, 25)).status, 'pending_delivery');
    assert.match(firstItem(await buy(5, 5)), /code 1$/);
    const recipient = { username: '@some_one' };
    assert.match(firstItem(await buy(7, 3, { recipient })), /^@some_one topped up/);
    const promised = await buy(6, 12);
    assert.equal(promised.status, 'pending_delivery');
    assert.deepEqual(await ofSuppliers(), [250, 250, 250]);

    assert.equal(await server.stop(), 0);
    server = await startPurser({ dataDir: folder.path, flags: ['--demo'] });
    const again = new PurserClient({ baseUrl: server.buyerUrl, apiKey: keyOf(server) });
    const delivered = await again.waitForOrder(promised.orderId);
    assert.equal(delivered.status, 'completed');
    const { status } = await again.purchase({ productId: 5, expectedPriceUsdt: 5 }).send();
    assert.equal(status, 'completed', 'the supplier runs again, elsewhere');
  });
});

function keyOf(server: PurserProcess): string {
  const [apiKey] = /pk_live_\w+/.exec(server.output()) ?? [];
  assert.ok(apiKey, server.output());
  return apiKey;
}

function firstItem({ delivery }: { delivery?: { items?: readonly string[] } }): string {
  return delivery?.items?.[0] ?? '';
}
