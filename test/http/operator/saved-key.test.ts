/** The master key that its owner has saved: it opens the folder without its file, and no log has it. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertRefused } from '../../contract/operator-reply.ts';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { type InProcessOptions, startInProcess } from '../../support/nodes/node-in-process.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

test('the saved key opens the folder from the environment, where there is nothing to save', async (context) => {
  const folder = await createTemporaryFolder('saved-key');
  context.after(() => folder.remove());
  const data = join(folder.path, 'data');
  const accessLog = join(folder.path, 'access.log');
  const lines: string[] = [];
  const withNode = async (
    options: InProcessOptions,
    use: (operator: CheckedOperatorClient) => Promise<void>,
  ) => {
    const node = await startInProcess(
      { data, accessLog },
      { ...options, onLine: (line) => lines.push(line) },
    );
    try {
      await use(new CheckedOperatorClient(node.operatorUrl, node.operatorToken));
    } finally {
      await node.stop();
    }
  };
  const save = (operator: CheckedOperatorClient) => operator.json('POST', '/rekey/save', { reason: 'safe' });

  let masterKey = '';
  await withNode({}, async (operator) => {
    const { status, text } = await save(operator);
    assert.equal(status, 200, text);
    ({ masterKey } = JSON.parse(text));
  });
  rmSync(join(data, 'master-key'));
  await withNode({ env: { PURSER_MASTER_KEY: masterKey } }, async (operator) => {
    const refused = await save(operator);
    assertRefused(refused, 409, 'TRANSITION_NOT_ALLOWED');
    assert.match(String(refused.body.message), /from PURSER_MASTER_KEY.*nothing to save/);
    const { masterKeyFrom, masterKeySaved } = JSON.parse((await operator.json('GET', '/rekey')).text);
    assert.deepEqual([masterKeyFrom, masterKeySaved], ['environment', undefined]);
    assert.equal((await operator.json('GET', '/audit')).text.split('MasterKeyShown').length, 2);
  });
  const accesses = readFileSync(accessLog, 'utf8');
  assert.match(accesses, /rekey\/save/);
  assert.match(lines.join(''), /the master key was given to an operator/);
  assert.ok(!`${accesses}${lines.join('')}`.includes(masterKey));
});
