/** The program as an image of a container has it: it starts from its folder alone, and sells. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { PurserClient } from 'purser/client';
import { startPurser } from '../../support/purser-process.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

it('is laid out in a folder, and sells there', async (context) => {
  const folder = await createTemporaryFolder('installation');
  context.after(() => folder.remove());
  const target = join(folder.path, 'opt');
  const script = pathToFileURL(join(repositoryRoot(), 'packaging', 'installation.mjs')).href;
  const code = `import { layOut } from '${script}'; layOut(${JSON.stringify(target)});`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', code]);
  const entry = join(target, 'purser', 'bin', 'purser.cjs');
  assert.equal(statSync(entry).mode & 0o777, 0o755);
  const server = await startPurser({ dataDir: join(folder.path, 'data'), entry, flags: ['--demo'] });
  context.after(() => server.kill());
  const [apiKey] = /pk_live_\w+/.exec(server.output()) ?? assert.fail(server.output());
  const client = new PurserClient({ baseUrl: server.buyerUrl, apiKey });
  const order = await client.purchase({ productId: 1, quantity: 1, expectedPriceUsdt: 9.5 }).send();
  assert.equal(order.delivery?.items?.length, 1);
  assert.equal(await server.stop(), 0);
});
