/**
 * A node whose old facts are in an archive: it answers as ever, a retry of an archived key buys nothing, and its folder is
 * proved from the baseline on, or with the archive from the first fact. Nothing is removed that is not proved elsewhere.
 */
import assert from 'node:assert/strict';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ArchivingOptions, archive as archiveFolder } from '../../../../src/archive/archiving.ts';
import { logExtents } from '../../../../src/persistence/journal/open-log.ts';
import { verifyDataFolder } from '../../../../src/persistence/verify.ts';
import { purser } from '../../../cli/fake-operator.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { flipByte } from '../../crash/damage.ts';
import { sellCodes } from '../random-shop.ts';

const PURCHASE = { productId: 1, quantity: 2, expectedPriceUsdt: 2 };

/** The first fact of each file of a folder's journal. */
function journalFiles(folder: string): number[] {
  return logExtents(folder).map(({ firstSequence }) => firstSequence);
}

function flipInChunk(target: string): void {
  const chunks = join(target, 'archive', '000001');
  flipByte(join(chunks, readdirSync(chunks)[0] ?? ''), 200, 1);
}

describe('a node whose old facts are archived', () => {
  let targets: TemporaryFolder;
  let node: QuietNode;
  let apiKey = '';
  let archived = 0;
  const target = () => join(targets.path, 'old');
  const data = () => node.folder.path;
  const buy = async (key: string) => {
    const { status, body, text } = await node.buyers.purchase(apiKey, key, PURCHASE);
    assert.equal(status, 201, text);
    return body.delivery?.items;
  };

  before(async () => {
    targets = await createTemporaryFolder('archive-targets');
    node = await QuietNode.start('archived-node');
    apiKey = await sellCodes(node);
    await buy('old');
    await node.operator.adjustOrder(1, 'refund', { amountUsdt: 1 }, 'half');
  });
  after(async () => {
    await node.close();
    await targets.remove();
  });

  test('its journal begins later, and everything before is at the target', async () => {
    const command = ['archive', target(), '--data', data(), '--before', String(Date.now()), '--json'];
    const { exitCode, stdout, stderr } = await purser(command);
    assert.equal(exitCode, 0, stderr);
    const { state, facts, position } = JSON.parse(stdout);
    archived = position.seq;
    assert.deepEqual([state, facts, journalFiles(data())], ['complete', archived, [archived + 1]]);
  });

  test('a retry of an archived key never buys twice, and orders and money are as they were', async () => {
    assert.deepEqual(await buy('old'), ['a', 'b']);
    assert.deepEqual((await node.buyers.order(apiKey, 1)).body.delivery, { items: ['a', 'b'] });
    assert.equal((await node.buyers.balance(apiKey)).body.balanceUsdt, 99);
    const ask = async (path: string) => JSON.parse((await node.operator.json('GET', path)).text);
    const { error, oldestAfter } = await ask('/feed?after=0');
    assert.deepEqual([error, oldestAfter], ['FACTS_GONE', archived]);
    const { closingUsdt, movements } = await ask('/accounts/1/statement');
    assert.deepEqual([closingUsdt, movements.length], [99, 3]);
  });

  test('verify begins at the baseline, with the archive at the first fact; a flipped byte there is found', async () => {
    await buy('new');
    await node.stop();
    const verify = (...more: string[]) => purser(['verify', '--data', data(), ...more]);
    const short = await verify();
    assert.equal(short.exitCode, 0, short.stdout);
    assert.match(short.stdout, new RegExp(`journal: facts ${archived + 1} to \\d+ in one chain, 2 orders`));
    const long = await verify('--archive', target());
    assert.equal(long.exitCode, 0, long.stdout);
    assert.match(long.stdout, /journal: \d+ facts in one chain, 2 orders/);
    flipInChunk(target());
    const flipped = await verify('--archive', target());
    assert.equal(flipped.exitCode, 1);
    assert.match(flipped.stdout, /ERROR: .*\.chunk at .* is damaged .*: put a copy of it back/);
    flipInChunk(target());
  });

  test('fetch brings the facts back', async () => {
    const { exitCode, stderr } = await purser(['archive', 'fetch', target(), '--data', data()]);
    assert.equal(exitCode, 0, stderr);
    assert.equal(journalFiles(data())[0], 1);
    const lines: string[] = [];
    assert.ok(await verifyDataFolder(data(), (line) => lines.push(line)), lines.join('\n'));
  });

  test('broken off before its fact, or with another byte at the target, it removes nothing', async () => {
    const folder = join(targets.path, 'saved');
    cpSync(data(), folder, { recursive: true, filter: (name) => !name.includes('lock.') });
    const files = journalFiles(folder);
    const options: ArchivingOptions = {
      folder,
      target: join(targets.path, 'flipped'),
      masterKey: undefined,
      beforeMs: Date.now(),
      through: (files.at(-1) ?? 0) - 1,
      baseline: null,
      epoch: 1,
      signal: new AbortController().signal,
      record: () => Promise.reject(new Error('killed')),
      expectRead: async () => {},
    };
    await assert.rejects(archiveFolder(options), /killed/);
    assert.deepEqual(journalFiles(folder), files);
    flipInChunk(options.target);
    await assert.rejects(
      archiveFolder(options),
      /is not what was sent .*: nothing was removed; move it away/,
    );
    assert.deepEqual(journalFiles(folder), files);
  });
});
