/** The lines for adapters of other payment services in docs/shop.md, as they stand: what they say is paid is credited. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startPurser } from '../../support/nodes/purser-process.ts';
import { OperatorClient, ok } from '../../support/operator-client.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

test('docs/shop.md: an adapter’s lines of curl', async (context) => {
  const folder = await createTemporaryFolder('deposit-guide');
  const flags = ['--deposit-address', 'mypay=shop'];
  const node = await startPurser({ dataDir: folder.path, flags });
  context.after(async () => {
    await node.kill();
    await folder.remove();
  });
  const { operatorUrl, operatorToken } = node;
  const operator = new OperatorClient(operatorUrl, operatorToken);
  for (let number = 1; number <= 7; number += 1) await ok(operator.createAccount({ name: 'Chat' }));
  const [, page = ''] = readFileSync(join(repositoryRoot(), 'docs', 'shop.md'), 'utf8').split(
    '### Other chains and payment services\n',
  );
  const [section = ''] = page.split(/^## /m);
  const blocks = Array.from(section.matchAll(/^```sh\n(.*?)^```/gms), ([, block = '']) => block);
  const fails = 'set -e\ncurl() { command curl --fail-with-body "$@"; echo; }\n';
  const env = { ...process.env, PURSER_OPERATOR_URL: operatorUrl, PURSER_OPERATOR_TOKEN: operatorToken };
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', fails + blocks.join('')], { env });
  const [opened, observed, credited] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual([opened.payUsdt, opened.address, opened.state], [50.00792, 'shop', 'waiting']);
  assert.deepEqual([observed.state, observed.accountId], ['credited', 7]);
  assert.equal(credited.balanceUsdt, 100.00792);
});
