/** Two nodes as an operator runs them: one sells, the other follows, and sells on when the first one dies or stops. */
import assert from 'node:assert/strict';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CleanEndMark } from '../../src/backup/clean-end-mark.ts';
import { BuyerClient, type BuyerReply } from '../support/buyer-client.ts';
import { ClusterShop } from '../support/cluster-shop.ts';
import { eventually } from '../support/eventually.ts';
import { parseMetrics } from '../support/metrics-text.ts';
import { ok } from '../support/operator-client.ts';
import { PostgresRig, whyNoRig } from '../support/postgres-rig.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const CLUSTER_METRICS = ['leading', 'term', 'applied_entry', 'confirmed_entry'].map(
  (name) => `purser_cluster_${name}`,
);

describe('two nodes of a cluster', { skip: (await whyNoRig()) ?? false }, () => {
  let rig: PostgresRig;
  let place: TemporaryFolder;
  let shop: ClusterShop;
  /** Of the backup. */
  let target: string;
  let apiKey: string;
  let productId: number;
  /** Every purchase that was answered, by its key. */
  const bought = new Map<string, BuyerReply>();

  before(async () => {
    [rig, place] = await Promise.all([PostgresRig.start(), createTemporaryFolder('two-nodes')]);
    target = join(place.path, 'backup');
    const backup = ['--backup', target, '--backup-interval', '100ms'];
    shop = new ClusterShop({ folder: place.path, url: rig.url, flags: backup });
    await shop.start('a', true);
    const operator = shop.operator('a');
    const account = await ok(operator.createAccount({ name: 'buyer' }));
    const accountId = Number(account.accountId);
    apiKey = String((await ok(operator.issueKey(accountId))).apiKey);
    await ok(operator.credit(accountId, 1_000, 'first'));
    const product = await ok(operator.createProduct({ name: 'Code', priceUsdt: 1 }));
    productId = Number(product.productId);
    await stock('before', 20);
    await buy('a');
    await shop.stop('a');
    assert.ok(cleanEndOf('a').isSet);
    await shop.init('a');
    assert.ok(!cleanEndOf('a').isSet, 'who joins may lead first, and does not know of it');
    await shop.start('a');
    await shop.join('b');
    await shop.start('b');
    assert.equal(await shop.leader(), 'a');
  });
  after(async () => {
    await shop?.close();
    await Promise.all([rig?.close(), place?.remove()]);
  });

  const cleanEndOf = (node: string) => new CleanEndMark(shop.folderOf(node));

  async function stock(name: string, count: number): Promise<void> {
    const texts = Array.from({ length: count }, (_, index) => `${name}-${index}`);
    const leader = await shop.leader();
    await ok(shop.operator(leader).addStock(productId, texts));
  }

  async function send(node: string, key: string): Promise<BuyerReply> {
    const buyers = new BuyerClient(shop.running.get(node)?.buyerUrl ?? '');
    try {
      return await buyers.purchase(apiKey, key, { productId, expectedPriceUsdt: 1 });
    } finally {
      buyers.close();
    }
  }

  /** A busy node may lose the lead that it has just got, and gets it again: the key is sent until it is answered. */
  async function buy(node: string, key = `key-${bought.size}`): Promise<void> {
    let reply = await send(node, key);
    await eventually(`${node} leads`, async () => {
      if (reply.body.error !== 'NOT_LEADING') return true;
      reply = await send(node, key);
      return false;
    });
    assert.equal(reply.status, 201, reply.text);
    bought.set(key, reply);
  }

  /** Each key is answered as it was, and no item was sold twice. */
  async function checkAll(node: string): Promise<void> {
    const sold = new Set<string>();
    for (const [key, { body }] of bought) {
      const replay = await send(node, key);
      assert.equal(replay.headers['idempotent-replayed'], 'true', replay.text);
      assert.equal(replay.body.orderId, body.orderId);
      assert.deepEqual(replay.body.delivery, body.delivery);
      for (const item of body.delivery?.items ?? []) {
        assert.ok(!sold.has(item), `${item} was sold twice`);
        sold.add(item);
      }
    }
    assert.equal(sold.size, bought.size);
  }

  /** All nodes have the same target; the one that leads goes on where the one before it was. */
  async function expectShipped(node: string): Promise<void> {
    const { position } = await shop.statusOf(node);
    await eventually(`${node} ships`, async () => {
      const { fenced, position: shipped } = await shop.ask(node, '/backups/status');
      assert.equal(fenced, false);
      return Number((shipped as { readonly seq: number } | null)?.seq) >= position;
    });
  }

  test('the follower has what the leader sold, and answers buyers with who leads', async () => {
    await stock('while-it-follows', 20);
    await buy('a');
    await buy('a');
    await shop.level();
    const [a, b] = await Promise.all([shop.statusOf('a'), shop.statusOf('b')]);
    assert.deepEqual([a.role, b.role, b.orders], ['leader', 'follower', a.orders]);
    assert.deepEqual(b.leader, a.leader);
    const refused = await send('b', 'to-a-follower');
    assert.deepEqual([refused.status, refused.body.error], [503, 'NOT_LEADING']);
    assert.equal(refused.headers['retry-after'], '1');
    const [ready, cluster] = await Promise.all([shop.ask('b', '/ready'), shop.ask('b', '/cluster')]);
    assert.deepEqual(ready.leader, a.leader);
    assert.equal(cluster.leader, 'a');
    assert.equal((await shop.operator('b').json('GET', '/live')).status, 200);
    assert.equal((await shop.operator('b').json('GET', '/orders')).status, 503);
    assert.doesNotMatch(shop.running.get('b')?.output() ?? '', /NOT_LEADING/, 'to follow is no failure');
    for (const [node, isLeading] of [
      ['a', 1],
      ['b', 0],
    ] as const) {
      const shown = parseMetrics((await shop.operator(node).request('GET', '/metrics', {})).text);
      const [leading, term, applied, confirmed] = CLUSTER_METRICS.map(
        (name) => shown.get(name)?.samples[0]?.value,
      );
      assert.deepEqual([leading, term], [isLeading, a.term]);
      assert.ok(Number(applied) > 0 && Number(confirmed) >= Number(applied), node);
    }
  });

  test('no node archives: folders of a cluster have all facts', async () => {
    const body = { before: Date.now(), target: join(place.path, 'archive') };
    const refused = await shop.operator('a').json('POST', '/archives', body);
    assert.deepEqual([refused.status, refused.body.error], [400, 'BAD_REQUEST'], refused.text);
    assert.match(String(refused.body.message), /cluster archives nothing.*purser cluster trim/);
    assert.equal((await shop.operator('b').json('POST', '/archives', body)).status, 503);
    const { archives, baseline, daily } = await shop.ask('a', '/archives');
    assert.deepEqual({ archives, baseline, daily }, { archives: [], baseline: null, daily: null });
    assert.equal(existsSync(body.target), false);
    const { entries } = await shop.ask('a', '/audit');
    assert.doesNotMatch(JSON.stringify(entries), /ArchiveBegun/);
  });

  test('the follower has the console’s page, tells it who leads, and answers no foreign page', async () => {
    const operator = shop.operator('b');
    const leader = (await shop.statusOf('a')).leader;
    for (const path of ['/sessions', '/console-codes']) {
      const { status, body } = await operator.json('POST', path, {});
      assert.deepEqual(
        [status, body.error, (body as { leader?: unknown }).leader],
        [503, 'NOT_LEADING', leader],
      );
    }
    const { origin } = new URL(shop.running.get('b')?.operatorUrl ?? '');
    assert.notEqual((await fetch(`${origin}/console`)).status, 503);
    for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }]) {
      for (const path of ['/live', '/status', '/orders']) {
        const { status, body } = await operator.request('GET', path, headers);
        assert.deepEqual([status, body.error], [403, 'FORBIDDEN'], path);
      }
    }
  });

  test('when the leader is killed, the follower sells on, and every key replays', async () => {
    await shop.kill('a');
    assert.equal(await shop.leader(), 'b');
    await buy('b');
    await checkAll('b');
    await stock('after-the-kill', 5);
    await expectShipped('b');
  });

  test('the node that was killed comes back as a follower, and leads when the other one is stopped', async () => {
    await shop.start('a');
    await shop.level();
    assert.equal((await shop.statusOf('a')).role, 'follower');
    const code = shop.stop('b');
    assert.equal(await shop.leader(), 'a');
    assert.equal(await code, 0);
    await buy('a');
    await checkAll('a');
    await expectShipped('a');
  });

  test('an operator has another node lead, by asking any of them, also while the target of the backup is away', async () => {
    await shop.start('b');
    await shop.level();
    const before = shop.running.get('a');
    // Who leads waits for no target, also where a power cut has brought the mark of a clean end back.
    renameSync(target, `${target}-away`);
    writeFileSync(target, '');
    cleanEndOf('b').set(target);
    const asked = await ok(shop.operator('b').json('POST', '/cluster/handover', { reason: 'an upgrade' }));
    const { code } = (await before?.exited) ?? {};
    assert.equal(code, 1);
    assert.match(before?.output() ?? '', /stopping: an operator wants another node to lead/);
    shop.running.delete('a');
    assert.equal(await shop.leader(), 'b');
    await buy('b');
    await checkAll('b');
    const [last] = (await shop.ask('b', '/audit')).entries as readonly Record<string, unknown>[];
    const { operator, action, reason, requestId } = last ?? {};
    assert.deepEqual([operator, action, reason], ['root', 'LeadHandedOver', 'an upgrade']);
    assert.equal(requestId, asked.requestId, 'of the node that was asked');
    assert.ok(cleanEndOf('b').isSet);
    rmSync(target);
    renameSync(`${target}-away`, target);
    await expectShipped('b');
    assert.ok(!cleanEndOf('b').isSet);
  });

  test('without PostgreSQL the leader answers nobody, and a start names the hosts', async () => {
    const leading = shop.running.get('b');
    await rig.kill(0);
    await eventually('the leader ends', () => leading?.output().includes('stopping: PostgreSQL') === true);
    assert.equal((await leading?.exited)?.code, 1);
    shop.running.delete('b');
    await assert.rejects(shop.start('b'), /127\.0\.0\.1/);
  });
});
