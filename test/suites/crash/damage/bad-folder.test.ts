/** Data folders that a server must not serve: each is refused with one line for the operator that says what is wrong. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { assertRefuses, startServer } from '../shop/server-under-test.ts';
import { openAccount } from '../shop/stage.ts';
import { filesBelow } from './damage.ts';

describe('a data folder that can’t be used', { timeout: 600_000 }, () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await createTemporaryFolder('unusable');
  });
  after(() => folder.remove());

  test('one that another server uses is refused, and that server goes on; killed, it is free at once', async () => {
    // With a path that is longer than a socket's may be.
    const dataDir = join(folder.path, ...Array.from({ length: 3 }, () => 'long'.repeat(50)));
    await (await startServer({ dataDir })).kill();
    const server = await startServer({ dataDir });
    try {
      await assertRefuses({ dataDir });
      await openAccount(server, 'another');
    } finally {
      await server.kill();
    }
    await (await startServer({ dataDir })).stop();
  });

  test('one of a format that this version doesn’t know is refused, and left as it is', async () => {
    const dataDir = join(folder.path, 'newer');
    await (await startServer({ dataDir })).stop();
    const format = join(dataDir, 'format');
    writeFileSync(format, readFileSync(format, 'utf8').replace(/\d+/, '999'));
    const had = filesBelow(dataDir);
    assert.match(await assertRefuses({ dataDir }), /999/);
    assert.deepEqual(filesBelow(dataDir), had);
  });

  test('one that holds somebody else’s files is refused, and left as it is', async () => {
    const dataDir = join(folder.path, 'letters');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'letter.txt'), 'dear');
    assert.match(await assertRefuses({ dataDir }), /holds other files \(letter\.txt\).*letters\/purser/);
    assert.deepEqual(filesBelow(dataDir), ['letter.txt']);
  });
});
