/**
 * Lots by HTTP, from the upload to the recall; what a dry run says; and where a text is found. One node for all, which
 * starts anew in the middle, and whose folder is proved at the end.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { MAX_LISTED_LINES } from '../../../src/persistence/stock/intake/line-numbers.ts';
import { verifyDataFolder } from '../../../src/persistence/verify.ts';
import { assertDone, assertRefused } from '../../contract/operator-reply.ts';
import { ok } from '../../support/operator-client.ts';
import { QuietNode } from '../../support/quiet-node.ts';

type Json = Readonly<Record<string, unknown>>;

describe('lots', () => {
  let node: QuietNode;
  let accountId = 0;
  let apiKey = '';
  let keys = 0;

  before(async () => {
    node = await QuietNode.start('lots');
    const { operator } = node;
    ({ accountId = 0 } = await ok(operator.createAccount({ name: 'Buyer', rateLimitPerMinute: null })));
    ({ apiKey = '' } = await ok(operator.issueKey(accountId)));
    await ok(operator.credit(accountId, 1_000, 'start'));
  });
  after(() => node.close());

  async function json(method: string, path: string, body?: unknown): Promise<Json> {
    const reply = await node.operator.json(method, path, body);
    assert.ok(reply.status < 300, reply.text);
    const { success: _success, requestId: _requestId, ...fields } = JSON.parse(reply.text) as Json;
    return fields;
  }

  async function product(more: Json = {}): Promise<number> {
    const { productId } = await json('POST', '/products', { name: 'Codes', priceUsdt: 1, ...more });
    return Number(productId);
  }

  /** Answers the lot's id. */
  async function upload(productId: number, items: readonly string[], query = ''): Promise<number> {
    return Number((await json('POST', `/products/${productId}/stock${query}`, { items })).lotId);
  }

  async function buy(productId: number, quantity: number) {
    keys += 1;
    const body = { productId, quantity, expectedPriceUsdt: quantity };
    const reply = await node.buyers.purchase(apiKey, `key-${keys}`, body);
    assert.equal(reply.status, 201, reply.text);
    const { orderId = 0, delivery } = reply.body;
    return { orderId, items: delivery?.items };
  }

  test('an upload is a lot, which says what became of its items', async () => {
    const productId = await product();
    const label = '?source=Codes%20Ltd&costUsdt=0.25&reference=invoice%209';
    const first = await upload(productId, ['a', 'b', 'c', 'd'], label);
    const second = await upload(productId, ['e', 'a']);
    assert.equal(second, first + 1);
    await buy(productId, 1);
    await node.operator.withdrawStock(productId, 2);
    const said = await json('GET', `/lots/${first}`);
    const { at, ...lot } = said;
    assert.ok(Math.abs(Number(at) - Date.now()) < 60_000);
    assert.deepEqual(lot, {
      lotId: first,
      source: 'Codes Ltd',
      costUsdt: 0.25,
      reference: 'invoice 9',
      productId,
      added: 4,
      available: 1,
      sold: 1,
      withdrawn: 2,
    });
    const { lots } = await json('GET', `/products/${productId}/lots`);
    assert.deepEqual(lots, [await json('GET', `/lots/${second}`), said]);
    await node.restart();
    assert.deepEqual(await json('GET', `/products/${productId}/lots`), { lots });
    const page = await json('GET', `/products/${productId}/lots?limit=1`);
    assert.deepEqual(page, { lots: (lots as Json[]).slice(0, 1), nextCursor: String(second) });
    assert.deepEqual(await json('GET', `/products/${productId}/lots?cursor=${second}`), {
      lots: (lots as Json[]).slice(1),
    });
    assert.deepEqual(await json('GET', `/products/${productId}/lots?to=2020-01-01`), { lots: [] });
  });

  test('a lot that adds nothing is none', async () => {
    const productId = await product();
    await upload(productId, ['a']);
    const reply = await node.operator.addStock(productId, ['a']);
    assertDone(reply, 201);
    assert.equal('lotId' in reply.body, false);
  });

  test('a recall takes what is unsold, tells who has the rest, and says the same again', async () => {
    const productId = await product();
    const early = await upload(productId, ['e1', 'e2']);
    const bad = await upload(productId, ['x1', 'x2', 'x3', 'x4', 'x5']);
    await upload(productId, ['l1', 'l2', 'l3']);
    const orders = [await buy(productId, 3), await buy(productId, 2)];
    assert.deepEqual(
      orders.map(({ items }) => items),
      [
        ['e1', 'e2', 'x1'],
        ['x2', 'x3'],
      ],
    );
    const recalled = await json('POST', `/lots/${bad}/recall`, { reason: 'they are used' });
    const { sold, recalledAt, ...rest } = recalled;
    assert.deepEqual(rest, { lotId: bad, productId, added: 5, withdrawn: 2 });
    const buyers = (sold as Json[]).map(({ at, ...row }) => {
      assert.ok(Math.abs(Number(at) - Date.now()) < 60_000);
      return row;
    });
    assert.deepEqual(
      buyers,
      orders.map(({ orderId }) => ({ orderId, accountId })),
    );
    assert.equal((await json('GET', `/products/${productId}`)).availableStock, 3);
    assert.deepEqual((await buy(productId, 2)).items, ['l1', 'l2']);
    assert.deepEqual(await json('POST', `/lots/${bad}/recall`), recalled);
    await node.restart();
    assert.deepEqual(await json('POST', `/lots/${bad}/recall`), recalled);
    const lot = await json('GET', `/lots/${bad}`);
    assert.deepEqual([lot.available, lot.sold, lot.withdrawn, lot.recalledAt], [0, 3, 2, recalledAt]);
    assert.equal((await json('GET', `/lots/${early}`)).sold, 2);
    const page = await json('GET', `/lots/${bad}/sold?limit=1`);
    assert.deepEqual(page.sold, (sold as Json[]).slice(0, 1));
    assert.deepEqual(await json('GET', `/lots/${bad}/sold?cursor=${page.nextCursor}`), {
      sold: (sold as Json[]).slice(1),
    });
    const [first] = sold as Json[];
    const at = Number(first?.at);
    assert.deepEqual(await json('GET', `/lots/${bad}/sold?from=${at}`), { sold });
    assert.deepEqual(await json('GET', `/lots/${bad}/sold?to=${at}`), { sold: [] });
  });

  test('an order has one row of a lot, also when its items were replaced by others of it, and on every page', async () => {
    const productId = await product();
    const early = await upload(productId, ['e1', 'e2']);
    const bad = await upload(productId, ['b1', 'b2', 'b3', 'b4', 'b5', 'b6']);
    const orders = [await buy(productId, 1), await buy(productId, 2), await buy(productId, 1)];
    const [first, second, third] = orders.map(({ orderId }) => orderId);
    const replace = async (orderId: number | undefined, items: number[]) => {
      const reply = await node.operator.adjustOrder(
        orderId ?? 0,
        'replace',
        { items },
        `r-${orderId}-${items}`,
      );
      assertDone(reply, 200);
    };
    // b1 is the second's, b2 the third's: then the first gets b3, and the second b4 for e2, and b5 and b6 for both.
    await replace(first, [0]);
    await replace(second, [0]);
    await replace(second, [0, 1]);
    const rows: unknown[] = [];
    let pages = 0;
    for (let cursor: unknown = ''; cursor !== undefined; pages += 1) {
      const page = await json('GET', `/lots/${bad}/sold?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
      rows.push(...(page.sold as Json[]).map(({ orderId }) => orderId));
      cursor = page.nextCursor;
    }
    assert.deepEqual(rows, [second, third, first]);
    assert.equal(pages, 6, 'a page of an order that was told of is empty');
    const whole = await json('POST', `/lots/${bad}/recall`);
    assert.deepEqual(
      (whole.sold as Json[]).map(({ orderId }) => orderId),
      [second, third, first],
    );
    const { sold } = await json('GET', `/lots/${early}/sold`);
    assert.deepEqual(
      (sold as Json[]).map(({ orderId }) => orderId),
      [first, second],
    );
  });

  test('a recall of items that are not next leaves a gap, which orders and withdrawals pass over', async () => {
    const productId = await product();
    await upload(productId, ['a1', 'a2', 'a3']);
    const bad = await upload(productId, ['b1', 'b2']);
    await upload(productId, ['c1', 'c2', 'c3']);
    assert.equal((await json('POST', `/lots/${bad}/recall`)).withdrawn, 2);
    const { orderId, items } = await buy(productId, 4);
    assert.deepEqual(items, ['a1', 'a2', 'a3', 'c1']);
    const shown = await json('GET', `/orders/${orderId}`);
    assert.deepEqual((shown.delivery as Json).items, items);
    await node.restart();
    assert.deepEqual((await ok(node.operator.getOrder(orderId))).delivery?.items, items);
    assert.deepEqual((await ok(node.operator.withdrawStock(productId, 9))).items, ['c2', 'c3']);
    assert.equal((await json('GET', `/products/${productId}`)).availableStock, 0);
  });

  test('recalled texts never come again, whatever else is allowed, the sold ones of the lot neither', async () => {
    const productId = await product();
    const lotId = await upload(productId, ['r1', 'r2', 'r3']);
    await buy(productId, 1);
    await json('POST', `/lots/${lotId}/recall`);
    for (const query of ['', '?allowDuplicates=true']) {
      const path = `/products/${productId}/stock${query}`;
      const added = await json('POST', path, { items: ['r1', 'r2', 'r2', `new${query}`] });
      assert.deepEqual([added.added, added.duplicates, added.recalled], [1, 3, 3]);
    }
    const other = await product();
    assert.equal((await json('POST', `/products/${other}/stock`, { items: ['r2'] })).added, 1);
  });

  const dryRuns: [how: string, body: string | string[], expected: Json][] = [
    [
      'lines',
      'new 1\r\nold\nnew 2\n\nbad \u0001\nnew 1\nnew 3',
      { wouldAdd: 3, duplicateLineCount: 2, duplicateLines: [2, 6], badLineCount: 1, badLines: [5] },
    ],
    [
      'a list',
      ['old', 'new 1', '', 'new 1', ' '],
      { wouldAdd: 1, duplicateLineCount: 2, duplicateLines: [1, 4], badLineCount: 2, badLines: [3, 5] },
    ],
    [
      'a line that is far too long',
      `new 1\n${'x'.repeat(100_000)}\nold\nnew 2`,
      { wouldAdd: 2, duplicateLineCount: 1, duplicateLines: [3], badLineCount: 1, badLines: [2] },
    ],
    [
      'more lines than are listed',
      'old\n'.repeat(MAX_LISTED_LINES + 5),
      {
        wouldAdd: 0,
        duplicateLineCount: MAX_LISTED_LINES + 5,
        duplicateLines: Array.from({ length: MAX_LISTED_LINES }, (_, index) => index + 1),
        badLineCount: 0,
        badLines: [],
      },
    ],
  ];
  for (const [how, body, expected] of dryRuns) {
    test(`a dry run tells of ${how} what would come of it, and adds nothing`, async () => {
      const productId = await product();
      await upload(productId, ['old']);
      const before = await json('GET', `/products/${productId}/lots`);
      const path = `/products/${productId}/stock?dryRun=true`;
      const reply =
        typeof body === 'string'
          ? await node.operator.request('POST', path, { 'content-type': 'text/plain' }, body)
          : await node.operator.json('POST', path, { items: body });
      assertDone(reply, 200);
      const { success: _success, requestId: _requestId, ...said } = JSON.parse(reply.text) as Json;
      assert.deepEqual(said, { productId, ...expected });
      assert.deepEqual(await json('GET', `/products/${productId}/lots`), before);
      assert.equal((await json('POST', path.replace('?dryRun=true', ''), { items: ['new 1'] })).added, 1);
    });
  }

  const refused: [why: string, method: string, path: string, body: unknown, status: number, code: string][] =
    [
      ['a lot that is none', 'GET', '/lots/999999', undefined, 404, 'NOT_FOUND'],
      ['the recall of none', 'POST', '/lots/999999/recall', {}, 404, 'NOT_FOUND'],
      ['who bought of none', 'GET', '/lots/999999/sold', undefined, 404, 'NOT_FOUND'],
      ['who bought in no time', 'GET', '/lots/1/sold?from=soon', undefined, 400, 'BAD_REQUEST'],
      ['lots of no product', 'GET', '/products/999999/lots', undefined, 404, 'NOT_FOUND'],
      ['a cursor of no lot', 'GET', '/products/1/lots?cursor=999999', undefined, 400, 'BAD_REQUEST'],
      ['a period of no time', 'GET', '/products/1/lots?from=soon', undefined, 400, 'BAD_REQUEST'],
      [
        'a cost with a word',
        'POST',
        '/products/1/stock?costUsdt=cheap',
        { items: ['q'] },
        400,
        'BAD_REQUEST',
      ],
      ['a cost below 0', 'POST', '/products/1/stock?costUsdt=-1', { items: ['q'] }, 400, 'BAD_REQUEST'],
      ['an empty source', 'POST', '/products/1/stock?source=', { items: ['q'] }, 400, 'BAD_REQUEST'],
      [
        'a long reference',
        'POST',
        `/products/1/stock?reference=${'x'.repeat(201)}`,
        { items: ['q'] },
        400,
        'BAD_REQUEST',
      ],
      ['dryRun=maybe', 'POST', '/products/1/stock?dryRun=maybe', { items: ['q'] }, 400, 'BAD_REQUEST'],
      ['a search for nothing', 'POST', '/items/search', { text: ' ' }, 400, 'BAD_REQUEST'],
      ['a search without a text', 'POST', '/items/search', {}, 400, 'BAD_REQUEST'],
      ['a search in no product', 'POST', '/items/search', { text: 'a', productId: 999999 }, 404, 'NOT_FOUND'],
      ['a text in the query', 'POST', '/items/search?text=a', { text: 'a' }, 400, 'BAD_REQUEST'],
    ];
  for (const [why, method, path, body, status, code] of refused) {
    test(`${why} is refused`, async () => {
      assertRefused(await node.operator.json(method, path, body), status, code);
    });
  }

  test('a text is found wherever it is or went: shelf, order, operator, by hand, in every product', async () => {
    const text = 'FIND-ME-0815';
    const find = async (productId?: number) => {
      const { items } = await json('POST', '/items/search', { text, productId });
      return (items as Json[]).map(({ at, ...row }) => {
        assert.equal(at === undefined, row.orderId === undefined);
        return row;
      });
    };
    assert.deepEqual(await find(), []);
    const shelf = await product();
    const onShelf = await upload(shelf, ['other', text]);
    assert.deepEqual(await find(), [{ productId: shelf, lotId: onShelf, state: 'available' }]);

    const sold = await product();
    const lotId = await upload(sold, ['first', text, 'last']);
    const { orderId } = await buy(sold, 2);
    const inOrder = { productId: sold, lotId, state: 'sold', orderId, accountId };
    assert.deepEqual(await find(sold), [inOrder]);

    const back = await product();
    const given = await upload(back, [text]);
    await node.operator.withdrawStock(back, 1);
    const again = await upload(back, [text]);
    const inBack = [
      { productId: back, lotId: again, state: 'available' },
      { productId: back, lotId: given, state: 'withdrawn' },
    ];
    assert.deepEqual(await find(back), inBack);

    const manual = await product({ type: 'manual' });
    const byHand = await buy(manual, 1);
    await ok(node.operator.moveOrder(byHand.orderId, 'complete', { items: ['x', text] }));
    const inHand = { productId: manual, state: 'sold', orderId: byHand.orderId, accountId };
    assert.deepEqual(await find(manual), [inHand]);

    const twice = await product({ allowDuplicates: true });
    const copies = await upload(twice, [text, 'between', text]);
    const first = await buy(twice, 1);
    const inTwice = [
      { productId: twice, lotId: copies, state: 'sold', orderId: first.orderId, accountId },
      { productId: twice, lotId: copies, state: 'available' },
    ];
    assert.deepEqual(await find(twice), inTwice);
    await node.restart();
    const [first1, ...rest] = await find();
    const found = [
      { productId: shelf, lotId: onShelf, state: 'available' },
      inOrder,
      ...inBack,
      inHand,
      ...inTwice,
    ];
    assert.deepEqual([first1, ...rest], found);
    const { entries } = JSON.parse((await node.operator.json('GET', '/audit')).text);
    const orderIds = [...new Set(found.flatMap((one) => ('orderId' in one ? [one.orderId] : [])))];
    assert.deepEqual([entries[0].action, entries[0].orderIds], ['ItemsSearched', orderIds]);
    const upload1 = entries.find(({ lotId }: { lotId?: number }) => lotId === copies);
    assert.deepEqual([upload1.action, upload1.productId], ['StockAdded', twice]);
  });

  test('who searches is on record, and what for is nowhere: support and stock may, viewers may not', async () => {
    const text = 'NOBODY-HAS-THIS-4711';
    for (const role of ['support', 'stock']) {
      const operator = await node.operatorWith(role);
      assertDone(await operator.json('POST', '/items/search', { text, reason: 'a buyer asked' }), 200);
    }
    const viewer = await node.operatorWith('viewer');
    assertRefused(await viewer.json('POST', '/items/search', { text }), 403, 'FORBIDDEN');
    await node.stop();
    let searches = 0;
    for (const file of readdirSync(node.folder.path, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const bytes = readFileSync(join(file.parentPath, file.name));
      assert.equal(bytes.includes(text), false, file.name);
      assert.equal(bytes.includes('FIND-ME-0815'), false, file.name);
      if (bytes.includes('ItemsSearched')) searches += 1;
    }
    assert.ok(searches > 0);
    const lines: string[] = [];
    assert.ok(await verifyDataFolder(node.folder.path, (line) => lines.push(line)), lines.join('\n'));
  });
});
