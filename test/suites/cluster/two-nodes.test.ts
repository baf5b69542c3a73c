/**
 * Two nodes as an operator runs them: one sells, the other joins it meanwhile and follows, and sells on when the first one
 * stops or hands over. How a leader dies is shop-faults.test.ts's.
 *
 * On a busy machine the lead may move at any time, so each test asks who leads.
 */
import assert from 'node:assert/strict';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import { CleanEndMark } from '../../../src/backup/clean-end/clean-end-mark.ts';
import type { BuyerReply } from '../../support/buyer-client.ts';
import { eventually } from '../../support/eventually.ts';
import { parseMetrics } from '../../support/metrics-text.ts';
import { ClusterShop } from '../../support/nodes/cluster-shop.ts';
import { runCommand } from '../../support/nodes/purser-command.ts';
import { OPERATOR_TOKEN } from '../../support/nodes/purser-process.ts';
import { ok } from '../../support/operator-client.ts';
import { PostgresRig, whyNoRig } from '../../support/servers/postgres-rig.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

/** How often the lead may move while a test needs it where it is. */
const TRIES = 3;

describe('two nodes of a cluster', { skip: (await whyNoRig()) ?? false }, () => {
  let rig: PostgresRig;
  let place: TemporaryFolder;
  let shop: ClusterShop;
  /** The target of the backup. */
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
    const { accountId = 0 } = await ok(operator.createAccount({ name: 'buyer', rateLimitPerMinute: null }));
    apiKey = String((await ok(operator.issueKey(accountId))).apiKey);
    await ok(operator.credit(accountId, 1_000, 'first'));
    productId = Number((await ok(operator.createProduct({ name: 'Code', priceUsdt: 1 }))).productId);
    await stock('before', 900);
    await buy();
    await shop.stop('a');
    assert.ok(cleanEndOf('a').isSet);
    await shop.init('a');
    assert.ok(!cleanEndOf('a').isSet, 'who joins may lead first, and does not know of it');
    await shop.start('a');
  });
  after(async () => {
    await shop?.close();
    await Promise.all([rig?.close(), place?.remove()]);
  });

  const cleanEndOf = (node: string) => new CleanEndMark(shop.folderOf(node));

  async function stock(name: string, count: number): Promise<void> {
    const texts = Array.from({ length: count }, (_, index) => `${name}-${index}`);
    await ok(shop.askLeader((leader) => shop.operator(leader).addStock(productId, texts)));
  }

  const oneCode = () => ({ productId, expectedPriceUsdt: 1 });

  async function buy(key = `key-${bought.size}`): Promise<void> {
    const reply = await shop.purchase(apiKey, key, oneCode());
    assert.equal(reply.status, 201, reply.text);
    bought.set(key, reply);
  }

  /** Each key is answered as it was, and no item was sold twice. */
  async function checkAll(): Promise<void> {
    const sold = new Set<string>();
    for (const [key, { body }] of bought) {
      const replay = await shop.purchase(apiKey, key, oneCode());
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

  /** Once one node leads, and the other one follows it and has all its facts. */
  async function roles(): Promise<{ leader: string; follower: string; term: number }> {
    let [leader, follower, term] = ['', '', 0];
    await eventually('one node leads the other one', async () => {
      leader = await shop.leader();
      follower = leader === 'a' ? 'b' : 'a';
      const [leading, following] = await Promise.all([shop.statusOf(leader), shop.statusOf(follower)]);
      term = leading.term;
      const isFollowed = following.term === term && following.leader !== null;
      return leading.role === 'leader' && isFollowed && following.position >= leading.position;
    });
    return { leader, follower, term };
  }

  /** Again when the lead has moved meanwhile. */
  async function whileLed(check: (leader: string, follower: string) => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const { leader, follower, term } = await roles();
      try {
        return await check(leader, follower);
      } catch (error) {
        if (tries === TRIES || (await roles()).term === term) throw error;
      }
    }
  }

  /** By asking the follower. Again when the leader has lost the lead before it could hand over. */
  async function handOver(reason: string) {
    for (let tries = 1; ; tries += 1) {
      const { leader, follower } = await roles();
      cleanEndOf(follower).set(target);
      const ending = await shop.letEnd(leader);
      const asking = shop.operator(follower).json('POST', '/cluster/handover', { reason });
      const { text } = await asking;
      const isEnding = () => ending.output().includes('stopping: ');
      await eventually(`the leader ends, who was asked for it: ${text}`, isEnding);
      assert.equal((await ending.exited).code, 1);
      if (/stopping: an operator wants another node to lead/.test(ending.output()))
        return { follower, asked: await ok(asking) };
      assert.ok(tries < TRIES, ending.output());
      await shop.start(leader);
    }
  }

  /** All nodes have the same target; the one that leads goes on where the one before it was. */
  async function expectShipped(): Promise<void> {
    const { position } = await shop.statusOf(await shop.leader());
    await eventually('the leader ships', async () => {
      const { error, fenced, position: shipped } = await shop.ask(await shop.leader(), '/backups/status');
      if (error === 'NOT_LEADING') return false;
      assert.equal(fenced, false);
      return Number((shipped as { readonly seq: number } | null)?.seq) >= position;
    });
  }

  test('a node joins while the shop sells, from a base that a running node has made', async () => {
    let isSelling = true;
    const selling = (async () => {
      for (; isSelling; await delay(50)) await buy();
    })();
    await rig.ask(0, `UPDATE purser_log SET at = now() - interval '8 days'`);
    // The node tells others each second how far it is, and one that has lost the lead meanwhile trims nothing.
    let said = '';
    await eventually('entries are removed', async () => {
      const url = shop.running.get(await shop.leader())?.operatorUrl ?? '';
      const trim = ['cluster', 'trim', '--json', '--operator', url, '--token', OPERATOR_TOKEN];
      const { code, stdout, stderr } = await runCommand(trim);
      said = stdout + stderr;
      return code === 0 && Number(JSON.parse(stdout).removed) > 0;
    }).catch(() => assert.fail(said));
    await shop.join('b');
    await shop.start('b');
    isSelling = false;
    await selling;
    await shop.level();
    assert.equal((await shop.statusOf('b')).orders, bought.size);
  });

  test('the follower has what the leader sold, and answers buyers with who leads', async () => {
    await buy();
    await whileLed(async (leader, follower) => {
      const [leading, following] = await Promise.all([shop.statusOf(leader), shop.statusOf(follower)]);
      assert.deepEqual([leading.role, following.role], ['leader', 'follower']);
      assert.deepEqual(
        [following.orders, following.leader, following.term],
        [leading.orders, leading.leader, leading.term],
      );
      const refused = await shop.purchaseAt(follower, apiKey, 'to-a-follower', oneCode());
      assert.deepEqual([refused.status, refused.body.error], [503, 'NOT_LEADING']);
      assert.equal(refused.headers['retry-after'], '1');
      assert.deepEqual((await shop.ask(follower, '/ready')).leader, leading.leader);
      await eventually('the table of nodes is read', async () => {
        return (await shop.ask(follower, '/cluster')).leader === leader;
      });
      assert.equal((await shop.operator(follower).json('GET', '/live')).status, 200);
      assert.equal((await shop.operator(follower).json('GET', '/orders')).status, 503);
      for (const node of [leader, follower]) {
        const shown = parseMetrics((await shop.operator(node).request('GET', '/metrics', {})).text);
        const value = (name: string) => Number(shown.get(`purser_cluster_${name}`)?.samples[0]?.value);
        assert.deepEqual([value('leading'), value('term')], [node === leader ? 1 : 0, leading.term]);
        assert.ok(value('applied_entry') > 0 && value('confirmed_entry') >= value('applied_entry'), node);
      }
    });
  });

  test('the follower has the console’s page, opens no session, and answers no foreign page', async () => {
    await whileLed(async (_, follower) => {
      const operator = shop.operator(follower);
      const { status, body } = await operator.json('POST', '/sessions', {});
      assert.deepEqual([status, body.error], [503, 'NOT_LEADING']);
      const { origin } = new URL(shop.running.get(follower)?.operatorUrl ?? '');
      assert.notEqual((await fetch(`${origin}/console`)).status, 503);
      for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }]) {
        const foreign = await operator.request('GET', '/status', headers);
        assert.deepEqual([foreign.status, foreign.body.error], [403, 'FORBIDDEN']);
      }
    });
  });

  test('when the leader is stopped, the follower sells on, and every key replays', async () => {
    const { leader, follower } = await roles();
    const code = shop.stop(leader);
    assert.equal(await shop.leader(), follower);
    assert.equal(await code, 0);
    await buy();
    await checkAll();
    await expectShipped();
    await shop.start(leader);
  });

  test('an operator has another node lead, by asking any of them, also while the target of the backup is away', async () => {
    // Who leads waits for no target, also where a power cut has brought the mark of a clean end back.
    renameSync(target, `${target}-away`);
    writeFileSync(target, '');
    const { follower, asked } = await handOver('an upgrade');
    assert.equal(await shop.leader(), follower);
    await buy();
    await checkAll();
    const audit = await ok(shop.askLeader((leader) => shop.operator(leader).json('GET', '/audit')));
    const [last] = (audit as object as { readonly entries: readonly Record<string, unknown>[] }).entries;
    const { operator, action, reason, requestId } = last ?? {};
    assert.deepEqual([operator, action, reason], ['root', 'LeadHandedOver', 'an upgrade']);
    assert.equal(requestId, asked.requestId, 'of the node that was asked');
    assert.ok(cleanEndOf(follower).isSet);
    rmSync(target);
    renameSync(`${target}-away`, target);
    await expectShipped();
    assert.ok(!cleanEndOf(follower).isSet);
  });

  test('a hand-over waits for what a supplier is asked for, though who bought has gone', async (t) => {
    const supplier = await ReferenceSupplier.start('a secret of the supplier');
    t.after(() => supplier.stop());
    supplier.lateMs = 60_000;
    for (const node of ['a', 'b']) if (!shop.running.has(node)) await shop.start(node);
    const { url, secret } = supplier;
    const operate = (method: string, path: string, body?: object) =>
      shop.askLeader((leader) => shop.operator(leader).json(method, path, body));
    const { supplierId = 0 } = await ok(operate('POST', '/suppliers', { name: 'Codes', url, secret }));
    const late = { name: 'Late', priceUsdt: 1, supplierId, supplierSku: 'late' };
    const { productId: lateId } = await ok(operate('POST', '/products', late));
    const { leader, follower } = await roles();
    const gone = new AbortController();
    const buying = fetch(`${shop.running.get(leader)?.buyerUrl}/orders`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'idempotency-key': 'gone', 'content-type': 'application/json' },
      body: JSON.stringify({ productId: lateId, expectedPriceUsdt: 1 }),
      signal: gone.signal,
    });
    await eventually('the purchase', () => supplier.purchases.size === 1);
    gone.abort();
    await assert.rejects(buying);
    const ending = await shop.letEnd(leader);
    await ok(shop.operator(follower).json('POST', '/cluster/handover', {}));
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    const isRetired = async () => (await fetch(`${ending.operatorUrl}/orders`, { headers })).status === 503;
    await eventually('the leader answers nobody', isRetired);
    supplier.answerLate();
    await ending.exited;
    const orders = (await ok(operate('GET', `/orders?productId=${lateId}`))).orders ?? [];
    assert.deepEqual(
      orders.map(({ status }) => status),
      ['completed'],
    );
    await shop.start(leader);
  });
});
