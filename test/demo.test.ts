/** What a newcomer pastes works: the program that the demo prints, and the one in the documentation. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type PurserProcess, startPurser } from './support/purser-process.ts';
import { repositoryRoot } from './support/repository-root.ts';
import { createTemporaryFolder, type TemporaryFolder } from './support/temporary-folder.ts';

const ROOT = repositoryRoot();

describe('with a demo running', { timeout: 60_000 }, () => {
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

  for (const name of ['README.md', 'docs/client.md']) {
    test(`the program in ${name} buys`, () => {
      const text = readFileSync(join(ROOT, name), 'utf8');
      const [, block] = /```js\n(import \{ PurserClient \}[^`]*)```/.exec(text) ?? [];
      assert.ok(block, `${name} shows a program`);
      const [apiKey] = /pk_live_\w+/.exec(server.output()) ?? [];
      assert.ok(apiKey);
      const program = block.replace(/http:[^']*/, server.buyerUrl).replace(/pk_live_\w+/, apiKey);
      const args = ['--input-type=module', '-e', program];
      assert.match(execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' }), /GAME10-/);
    });
  }
});
