/** The folder that was lost turns up after a restore: the shop goes on with it, and nothing is lost. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { FORMAT_VERSION } from '../../../../src/persistence/folder/folder-format.ts';
import { keyOf, makeImported } from '../../../../src/restore/import/import-making.ts';
import { takePlace } from '../../../../src/restore/import/taking-place.ts';
import { ok } from '../../../support/operator-client.ts';
import { runCommand } from '../../../support/purser-command.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { LostShop } from './lost-shop.ts';

describe('import of the folder that was lost, by a folder that no node has', () => {
  let shop: LostShop;
  let folder: string;

  before(async () => {
    shop = await LostShop.make();
    folder = shop.node.folder.path;
  });
  after(() => shop.close());

  const importing = (from: string, ...more: string[]) =>
    runCommand(['restore', 'import', from, '--data', folder, ...more]);
  /** A folder that has not taken the place of `data` yet. */
  const madeOf = (from: string, data: string) => {
    const { position, hash } = shop.fork;
    return makeImported({
      folder: data,
      from,
      key: keyOf(shop.lost, undefined),
      begun: { epoch: 2, position, hash: hash.toString('hex') },
      isComplete: false,
      origin: { operatorId: 0 },
      nowMs: Date.now(),
    });
  };

  test('what was entered since the restore is dropped only if that is wanted', async () => {
    await shop.node.start();
    await shop.expectRestored();
    await ok(shop.node.operator.createAccount({ name: 'entered since' }));
    for (const name of ['one', 'other']) await ok(shop.node.operator.createProduct({ name, priceUsdt: 1 }));
    await shop.node.stop();
    const { code, stderr } = await importing(shop.lost);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /does not have, from fact \d+ on: 1 AccountCreated, 2 ProductCreated; an import drops all of it: add --discard/,
    );
  });

  test('an older copy of it is refused when a receipt proves an order that it lacks', async () => {
    await shop.node.start();
    const type = { 'content-type': 'text/plain' };
    const taken = await shop.node.operator.request('POST', '/restore/receipts', type, shop.receipt);
    assert.equal(JSON.parse(taken.text).recovered, 1, taken.text);
    await shop.node.stop();
    const { code, stderr } = await importing(shop.older, '--discard', '--complete');
    assert.equal(code, 1, stderr);
    assert.match(
      stderr,
      /is an older copy of the one that was lost: a receipt proves .* of order 2; import the/,
    );
    assert.ok(!existsSync(join(folder, 'migrating')));
  });

  test('a folder that was written to since it was read does not take the place', async () => {
    const running = shop.path('running');
    cpSync(shop.lost, running, { recursive: true });
    const data = shop.path('not replaced');
    await shop.restore(data);
    const { facts } = await madeOf(running, data);
    const node = await QuietNode.start({ path: running, remove: async () => {} });
    await ok(node.operator.createAccount({ name: 'still at work' }));
    const { position } = shop.fork;
    await assert.rejects(takePlace(data, running, position + facts), /in use by another running purser/);
    await node.stop();
    await assert.rejects(takePlace(data, running, position + facts), /a node has written to .*running while/);
    assert.ok(existsSync(join(data, 'migrating')) && !existsSync(join(data, `restored-${FORMAT_VERSION}`)));
  });

  test('clean ends of two backups are refused: the next start could take back one of them only', async () => {
    const marks = [folder, shop.lost].map((of) => join(of, 'clean-end'));
    for (const [index, mark] of marks.entries()) writeFileSync(mark, `/backup/${index}\n`);
    const { code, stderr } = await importing(shop.lost, '--discard');
    assert.equal(code, 1);
    assert.match(stderr, /\/backup\/0 and at \/backup\/1 both have a clean end, .* remove clean-end in/);
    for (const mark of marks) rmSync(mark);
  });

  test('the shop is as it was when it was lost, in the next epoch, with sales open as nothing is missing', async () => {
    // What an upgrade has left is in nobody's way.
    mkdirSync(join(folder, `before-${FORMAT_VERSION}`));
    // A clean end that isn't taken back yet goes along, or the node would sell behind it.
    const mark = join(folder, 'clean-end');
    writeFileSync(mark, '/backup/of-the-restored\n');
    const more = ['--discard', '--complete', '--json', '--reason', 'the disk was readable'];
    const outcome = await importing(shop.lost, ...more);
    assert.equal(outcome.code, 0, outcome.stderr);
    const { epoch, orders, sales, kept } = JSON.parse(outcome.stdout);
    assert.deepEqual([epoch, orders, sales], [3, 2, 'open']);
    assert.ok(existsSync(kept));
    assert.equal(readFileSync(mark, 'utf8'), '/backup/of-the-restored\n');
    rmSync(mark);
    await shop.node.start();
    await shop.expectImported();
    const { entries } = JSON.parse((await shop.node.operator.json('GET', '/audit')).text);
    const entry = entries.find(({ action }: { action: string }) => action === 'EpochBegun');
    assert.deepEqual([entry.operator, entry.reason], ['root', 'the disk was readable']);
  });
});
