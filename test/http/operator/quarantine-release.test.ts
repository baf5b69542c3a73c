/**
 * Items that were set aside: released while sales are closed they stand where they were, and the next quarantine has
 * them again; released later they are new items, in lots that say what theirs said.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { beginEpoch } from '../../persistence/restored-folder.ts';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { ok } from '../../support/operator-client.ts';

type Row = Readonly<Record<string, unknown>>;

const CHEAP = { source: 'Codes Ltd', costUsdt: 0.25, reference: '00123' };
const DEAR = { source: 'Other Ltd', costUsdt: 0.5, reference: '1E5' };

let node: QuietNode;
let productId = 0;
let apiKey = '';
let keys = 0;

const json = async (method: string, path: string, body?: unknown): Promise<Row> =>
  (await ok(node.operator.json(method, path, body))) as unknown as Row;
const quarantine = (count: number) => json('POST', '/restore/quarantine', { count, productId });
const release = () => json('POST', '/restore/release', {});
const shelf = async () => {
  const { lots } = await json('GET', `/products/${productId}/lots`);
  return (lots as Row[]).map(({ lotId: _, productId: __, at: ___, ...lot }) => lot).reverse();
};
const buy = async (quantity: number) => {
  keys += 1;
  const body = { productId, quantity, expectedPriceUsdt: quantity };
  const reply = await node.buyers.purchase(apiKey, `key ${keys}`, body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body.delivery?.items;
};

/** Six items of a lot and four of another, of which one was sold; restored to there. */
describe('a release from quarantine', () => {
  before(async () => {
    node = await QuietNode.start('quarantine');
    const { accountId = 0 } = await ok(node.operator.createAccount({ name: 'Buyer' }));
    apiKey = (await ok(node.operator.issueKey(accountId))).apiKey ?? '';
    await ok(node.operator.credit(accountId, 100, 'start'));
    productId = (await ok(node.operator.createProduct({ name: 'Codes', priceUsdt: 1 }))).productId ?? 0;
    for (const [label, from, to] of [
      [CHEAP, 0, 6],
      [DEAR, 6, 10],
    ] as const) {
      const query = new URLSearchParams({ ...label, costUsdt: `${label.costUsdt}` });
      const items = Array.from({ length: to - from }, (_, index) => `code ${from + index}`);
      await json('POST', `/products/${productId}/stock?${query}`, { items });
    }
    assert.deepEqual(await buy(1), ['code 0']);
    await node.stop();
    await beginEpoch(node.folder.path, 2);
    await node.start();
  });
  after(() => node.close());

  test('what is released while sales are closed is where it was, and the next quarantine has it again', async () => {
    const before = await shelf();
    await quarantine(3);
    assert.deepEqual((await release()).products, [{ productId, released: 3, withdrawn: 0 }]);
    assert.deepEqual(await shelf(), before, 'no lot is new, and each has what it had');
    const { products } = await quarantine(500);
    assert.deepEqual(products, [{ productId, setAside: 9, quarantined: 9 }]);
    await release();
    // The gap had sold these.
    await quarantine(5);
    await json('POST', '/restore/withdraw', {});
    await quarantine(3);
    await node.restart();
    await json('POST', '/restore/open', { all: 'keep' });
    assert.deepEqual(await buy(1), ['code 9']);
  });

  test('what is released when sales are open is in new lots, which say what the lots said that it came from', async () => {
    await json('POST', `/products/${productId}/stock`, { items: ['late'] });
    assert.deepEqual((await release()).products, [{ productId, released: 3, withdrawn: 0 }]);
    const counts = { sold: 0, withdrawn: 0 };
    assert.deepEqual((await shelf()).slice(2), [
      { ...counts, added: 1, available: 1 },
      { ...counts, ...DEAR, added: 3, available: 3 },
    ]);
    assert.deepEqual(await buy(4), ['late', 'code 6', 'code 7', 'code 8']);
    await node.stop();
    const lines: string[] = [];
    assert.ok(await verifyDataFolder(node.folder.path, (line) => lines.push(line)), lines.join('\n'));
  });
});
