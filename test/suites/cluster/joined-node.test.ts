/** A node that joins while the shop sells, from a base that a running node has made, and then leads. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ok } from '../../support/operator-client.ts';
import { PostgresRig, whyNoRig } from '../../support/postgres-rig.ts';
import { runCommand } from '../../support/purser-command.ts';
import { OPERATOR_TOKEN } from '../../support/purser-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { ClusterShop } from './cluster-shop.ts';

const MASTER_KEY = { PURSER_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };

describe('a node that joins a running cluster', { skip: (await whyNoRig()) ?? false }, () => {
  let rig: PostgresRig;
  let place: TemporaryFolder;
  let shop: ClusterShop;

  before(async () => {
    [rig, place] = await Promise.all([PostgresRig.start(), createTemporaryFolder('joined-node')]);
    shop = new ClusterShop({ folder: place.path, url: rig.url });
    await shop.start('a', true);
  });
  after(async () => {
    await shop?.close();
    await Promise.all([rig?.close(), place?.remove()]);
  });

  test('it has everything, and its folder proves the same as the others', async () => {
    const operator = shop.operator('a');
    const { accountId = 0 } = await ok(operator.createAccount({ name: 'buyer', rateLimitPerMinute: null }));
    const { apiKey = '' } = await ok(operator.issueKey(accountId));
    await ok(operator.credit(accountId, 1_000, 'first'));
    const { productId = 0 } = await ok(operator.createProduct({ name: 'Code', priceUsdt: 1 }));
    await shop.stop('a');
    await shop.init('a');
    await shop.start('a');
    const texts = Array.from({ length: 900 }, (_, index) => `text ${index}`);
    await ok(shop.askLeader((leader) => shop.operator(leader).addStock(productId, texts)));

    const body = { productId, expectedPriceUsdt: 1 };
    let sold = 0;
    let isSelling = true;
    const selling = (async () => {
      for (; isSelling; sold += 1) {
        const reply = await shop.purchase(apiKey, `key ${sold}`, body);
        assert.equal(reply.status, 201, reply.text);
      }
    })();
    await rig.ask(0, `UPDATE purser_log SET at = now() - interval '8 days'`);
    // The node tells others each second how far it is.
    let removed = 0;
    let said = '';
    for (let tries = 0; removed === 0 && tries < 5; tries += 1) {
      const url = shop.running.get(await shop.leader())?.operatorUrl ?? '';
      const trim = ['cluster', 'trim', '--json', '--operator', url, '--token', OPERATOR_TOKEN];
      const { code, stdout, stderr } = await runCommand(trim);
      said = stdout + stderr;
      // One that has lost the lead meanwhile trims nothing.
      if (code === 0) removed = Number(JSON.parse(stdout).removed);
    }
    assert.ok(removed > 0, said);
    await shop.join('b');
    await shop.start('b');
    isSelling = false;
    await selling;
    await shop.level();
    assert.deepEqual((await shop.statusOf('b')).orders, sold);

    await shop.stop('a');
    assert.equal(await shop.leader(), 'b');
    for (const key of [0, Math.floor(sold / 2), sold - 1]) {
      const replay = await shop.purchase(apiKey, `key ${key}`, body);
      assert.equal(replay.headers['idempotent-replayed'], 'true', replay.text);
      assert.equal(replay.body.delivery?.items?.length, 1);
    }
    // Nothing has happened since the first one stopped.
    await shop.stop('b');
    const digests: (string | undefined)[] = [];
    for (const node of ['a', 'b']) {
      const folder = shop.folderOf(node);
      const { code, stdout } = await runCommand(['verify', '--data', folder, '--log', rig.url], MASTER_KEY);
      assert.equal(code, 0, stdout);
      digests.push(/digest: .*/.exec(stdout)?.[0]);
    }
    assert.ok(digests[0] !== undefined);
    assert.equal(digests[1], digests[0]);
  });
});
