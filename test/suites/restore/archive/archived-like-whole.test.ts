/**
 * A shop that is archived at random moments answers as one that isn't. The same shop is asked twice: as it is, and after
 * its facts were brought back from the archive; and a copy that was never archived is verified to be the same history.
 * `PURSER_TEST_SEED` repeats the choices.
 */
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { bringBack } from '../../../../src/archive/bringing-back.ts';
import { openArchive } from '../../../../src/archive/open-archive.ts';
import { QuietNode } from '../../../support/quiet-node.ts';
import { Random, randomFromEnvironment, roundsOr } from '../../../support/random.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { RandomShop } from '../random-shop.ts';
import { archiveNow, baselinesIn, expectSound, journalFiles } from './archived-shop.ts';

const SHOPS = roundsOr(3);
const ROUNDS = 4;

/** What operators read of a shop, without what differs from one request to the next. */
async function answersOf(node: QuietNode, orders: number): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const ask = async (path: string, body?: object) => {
    const { status, text } = await node.operator.json(body === undefined ? 'GET' : 'POST', path, body);
    const told = JSON.parse(text) as Record<string, unknown>;
    delete told.requestId;
    // Of an archived fact the place is told where the archive ends; a timeline lacks what is there.
    delete told.position;
    answers.set(`${path} ${JSON.stringify(body)}`, `${status} ${JSON.stringify(told)}`);
    return told;
  };
  const { accounts = [] } = (await ask('/accounts')) as { accounts?: { accountId: number }[] };
  for (const { accountId } of accounts) {
    await ask(`/accounts/${accountId}`);
    await ask(`/accounts/${accountId}/statement`);
    await ask(`/orders?accountId=${accountId}&limit=1000`);
  }
  const { products = [] } = (await ask('/products')) as { products?: { productId: number }[] };
  for (const { productId } of products) {
    await ask(`/products/${productId}`);
    const { lots = [] } = (await ask(`/products/${productId}/lots`)) as { lots?: { lotId: number }[] };
    for (const { lotId } of lots) await ask(`/lots/${lotId}`);
  }
  for (const status of ['completed', 'pending_delivery', 'refunded', 'failed'])
    await ask(`/orders?status=${status}&limit=1000`);
  for (let orderId = 1; orderId <= orders; orderId += 1) await ask(`/orders/${orderId}`);
  await ask('/reports/money?by=product');
  await ask('/reports/money?by=account');
  return answers;
}

/** What a search for each of these texts finds. It is recorded, so both shops are asked the same. */
async function searchesOf({ operator }: QuietNode): Promise<string[]> {
  const found: string[] = [];
  for (let number = 1; number <= 20; number += 1) {
    const { text } = await operator.json('POST', '/items/search', { text: `text ${number}` });
    found.push(JSON.stringify((JSON.parse(text) as { items?: unknown }).items));
  }
  return found;
}

function copyOf(folder: string, to: string): void {
  cpSync(folder, to, { recursive: true, filter: (name) => !/(^|[./-])lock/.test(basename(name)) });
}

for (let shop = 0; shop < SHOPS; shop += 1) {
  const { seed } = randomFromEnvironment();
  test(`shop ${shop}, seed ${seed}`, { timeout: 300_000 }, async () => {
    const random = new Random(seed + shop);
    const folder = await createTemporaryFolder('archived');
    const target = join(folder.path, 'archive');
    const lively = await RandomShop.open(random);
    const { node } = lively;
    const data = node.folder.path;
    for (let round = 0; round < ROUNDS; round += 1) {
      await lively.live(random.between(5, 40));
      await lively.rush(10);
      if (random.chance(0.3)) await node.restart();
      if (round > 0 && random.chance(0.3)) continue;
      const { state, error } = await archiveNow(node, target);
      assert.equal(state, 'complete', error);
    }
    await lively.live(10);
    await node.stop();
    assert.equal(baselinesIn(data).length, 1);
    await expectSound(data);
    await expectSound(data, target);
    const whole = join(folder.path, 'whole');
    copyOf(data, whole);
    const archive = openArchive({ folder: whole, target, env: {}, onTrouble: assert.fail });
    assert.ok((await bringBack(whole, archive.store)) > 0);
    assert.deepEqual([journalFiles(whole)[0], baselinesIn(whole)], [1, []]);
    await expectSound(whole);
    await node.start();
    const wholeNode = await QuietNode.start({
      path: whole,
      remove: async () => rmSync(whole, { recursive: true }),
    });
    const { text: status } = await node.operator.json('GET', '/status');
    const { orders = 0 } = JSON.parse(status) as { orders?: number };
    const expected = await answersOf(wholeNode, orders);
    assert.ok(expected.size > 20);
    assert.deepEqual(await answersOf(node, orders), expected);
    assert.deepEqual(await searchesOf(node), await searchesOf(wholeNode));
    await wholeNode.close();
    await node.close();
    await folder.remove();
  });
}
