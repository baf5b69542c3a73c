/** A node whose old facts are in an archive, over HTTP: it answers as ever, and says what it no longer has. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ok } from '../../../support/operator-client.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { archiveNow, archivesOf, baselinesIn, journalFiles, strayLocks, verified } from './archived-shop.ts';

const PURCHASE = { productId: 1, quantity: 2, expectedPriceUsdt: 2 };

describe('a node whose old facts are archived', () => {
  let targets: TemporaryFolder;
  let node: QuietNode;
  let apiKey = '';
  const target = () => join(targets.path, 'old');

  before(async () => {
    targets = await createTemporaryFolder('archive-targets');
    node = await QuietNode.start('archived-node');
    await ok(node.operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }));
    await ok(node.operator.addStock(1, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']));
    await ok(node.operator.createAccount({ name: 'a buyer', rateLimitPerMinute: null }));
    await ok(node.operator.credit(1, 100, 'deposit'));
    apiKey = (await ok(node.operator.issueKey(1))).apiKey ?? '';
    assert.equal((await node.buyers.purchase(apiKey, 'old', PURCHASE)).status, 201);
    await ok(node.operator.adjustOrder(1, 'refund', { amountUsdt: 1 }, 'half'));
  });
  after(async () => {
    await node.close();
    await targets.remove();
  });

  test('its journal begins later, and everything before is at the target', async () => {
    const { state, position, facts, error } = await archiveNow(node, target());
    assert.equal(state, 'complete', error);
    const { seq = 0 } = position ?? {};
    assert.ok(seq > 0 && facts === seq);
    assert.deepEqual([journalFiles(node.folder.path), strayLocks(node.folder.path)], [[seq + 1], []]);
    const names = readdirSync(join(target(), 'archive', '000001'));
    assert.deepEqual(names, [`${'1'.padStart(16, '0')}-${String(seq).padStart(16, '0')}.chunk`]);
    const { baseline } = await archivesOf(node);
    assert.deepEqual([baseline?.seq, baseline?.archive], [seq, target()]);
    assert.equal(baselinesIn(node.folder.path).length, 1);
  });

  test('a retry of an archived key never buys twice, and orders are as they were', async () => {
    const again = await node.buyers.purchase(apiKey, 'old', PURCHASE);
    assert.equal(again.status, 201);
    assert.deepEqual(again.body.delivery, { items: ['a', 'b'] });
    const order = await node.buyers.order(apiKey, 1);
    assert.deepEqual(order.body.delivery, { items: ['a', 'b'] });
    const balance = await node.buyers.balance(apiKey);
    assert.match(balance.text, /99/);
  });

  test('the feed says what is gone, and where to go on', async () => {
    const { seq = 0 } = (await archivesOf(node)).baseline ?? {};
    const gone = await node.operator.json('GET', '/feed?after=0');
    assert.equal(gone.status, 410, gone.text);
    assert.equal(gone.body.error, 'FACTS_GONE');
    assert.equal(JSON.parse(gone.text).oldestAfter, seq);
  });

  test('a statement reaches back through the baseline', async () => {
    const { seq = 0 } = (await archivesOf(node)).baseline ?? {};
    const { status, text } = await node.operator.json('GET', '/accounts/1/statement');
    assert.equal(status, 200, text);
    const statement = JSON.parse(text);
    assert.equal(statement.closingUsdt, 99);
    assert.equal(statement.movements.length, 3);
    assert.equal(statement.position.seq, seq);
  });

  test('a timeline says how many of its facts are in the archive', async () => {
    const { status, text } = await node.operator.json('GET', '/orders/1/timeline');
    assert.equal(status, 200, text);
    assert.equal(JSON.parse(text).omitted, 1);
  });

  test('metrics tell how far the journal is archived', async () => {
    const { seq = 0 } = (await archivesOf(node)).baseline ?? {};
    const { text } = await node.operator.json('GET', '/metrics');
    assert.match(text, new RegExp(`^purser_archived_position ${seq}$`, 'm'));
  });

  test('who archived is in the audit', async () => {
    const { text } = await node.operator.json('GET', '/audit');
    const { entries } = JSON.parse(text) as { entries: readonly { action: string; reason?: string }[] };
    assert.equal(entries.find(({ action }) => action === 'ArchiveBegun')?.reason, 'test');
  });

  test('verify begins at the baseline and says so, and with the archive at the first fact', async () => {
    assert.equal((await node.buyers.purchase(apiKey, 'new', PURCHASE)).status, 201);
    const { seq = 0 } = (await archivesOf(node)).baseline ?? {};
    await node.stop();
    const short = await verified(node.folder.path);
    assert.ok(short.isSound, short.text);
    assert.match(short.text, new RegExp(`baseline-0*${seq}\\.mdb: verified from here on`));
    assert.match(short.text, new RegExp(`journal: facts ${seq + 1} to \\d+ in one chain, 2 orders`));
    const long = await verified(node.folder.path, target());
    assert.ok(long.isSound, long.text);
    assert.match(long.text, new RegExp(`archive: facts 1 to ${seq} are read from`));
    assert.match(long.text, /journal: \d+ facts in one chain, 2 orders/);
    await node.start();
  });

  test('archived again, it goes on from the baseline before', async () => {
    const { seq: before = 0 } = (await archivesOf(node)).baseline ?? {};
    const { state, position, facts, error } = await archiveNow(node, target());
    assert.equal(state, 'complete', error);
    const { seq = 0 } = position ?? {};
    assert.equal(facts, seq - before);
    assert.deepEqual(journalFiles(node.folder.path), [seq + 1]);
    assert.equal(baselinesIn(node.folder.path).length, 1);
    assert.equal((await node.buyers.purchase(apiKey, 'old', PURCHASE)).status, 201);
    assert.equal((await node.buyers.purchase(apiKey, 'new', PURCHASE)).status, 201);
    await node.restart();
    assert.deepEqual((await node.buyers.purchase(apiKey, 'new', PURCHASE)).body.delivery, {
      items: ['c', 'd'],
    });
    await node.stop();
    for (const archive of [undefined, target()]) {
      const { isSound, text } = await verified(node.folder.path, archive);
      assert.ok(isSound, text);
    }
    await node.start();
  });

  test('at another place it is refused, as nobody could read a history from two', async () => {
    const files = journalFiles(node.folder.path);
    const { state, error = '' } = await archiveNow(node, join(targets.path, 'elsewhere'));
    assert.equal(state, 'failed');
    assert.match(error, /elsewhere lacks the facts up to \d+, which are at .*: archive there, or bring/);
    assert.deepEqual(journalFiles(node.folder.path).slice(0, files.length), files);
  });

  test('facts that are younger stay', async () => {
    const before = journalFiles(node.folder.path);
    const begun = await node.operator.json('POST', '/archives', { before: '2020-01-01', target: target() });
    assert.equal(begun.status, 202, begun.text);
    assert.deepEqual(journalFiles(node.folder.path), before);
  });

  test('what cannot be a target, or a moment, is refused', async () => {
    const inside = join(node.folder.path, 'old');
    const refused = [
      [{ before: Date.now() + 60_000, target: target() }, /Before must not be in the future/],
      [{ before: 'yesterday', target: target() }, /Before must be a date like/],
      [{ before: 0, target: 'old' }, /Name the folder by its whole path/],
      [{ before: 0, target: inside }, /lies in the data folder/],
      [{ before: 0, target: 'ftp://old' }, /is no target/],
    ] as const;
    for (const [body, message] of refused) {
      const answer = await node.operator.json('POST', '/archives', body);
      assert.equal(answer.status, 400, answer.text);
      assert.match(String(answer.body.message), message);
    }
  });

  test('a flipped byte in the archive is found by verify --archive', async () => {
    await node.stop();
    const folder = join(target(), 'archive', '000001');
    const name = join(folder, readdirSync(folder)[0] ?? '');
    const bytes = readFileSync(name);
    const flipped = Buffer.from(bytes);
    flipped[flipped.length >> 1] = (flipped[flipped.length >> 1] ?? 0) ^ 1;
    writeFileSync(name, flipped);
    const { isSound, text } = await verified(node.folder.path, target());
    assert.ok(!isSound, text);
    assert.match(text, /ERROR: .*\.chunk at .* is damaged .*: put a copy of it back/);
    writeFileSync(name, bytes);
    await node.start();
  });
});
