/**
 * Lots, from the upload to the recall; what a dry run says; and where a text is found. A recalled text is never for sale
 * again, in whatever order uploads, withdrawals and the recall come.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { assertDone, assertRefused } from '../../contract/operator-reply.ts';
import { eventually } from '../../support/eventually.ts';
import { openUpload } from '../../support/open-upload.ts';
import { ok } from '../../support/operator-client.ts';
import type { Json, OperatorCases, OperatorScene } from './operator-scene.ts';

/** Whatever is found under it. */
const TEXT = 'FIND-ME-0815';

const ONE = { items: ['q'] };
const REFUSED: [call: string, body: unknown, status: number][] = [
  ['GET /lots/999999', undefined, 404],
  ['GET /products/999999/lots', undefined, 404],
  ['GET /products/1/lots?cursor=999999', undefined, 400],
  ['POST /products/1/stock?costUsdt=cheap', ONE, 400],
  ['POST /items/search', { text: ' ' }, 400],
  ['POST /items/search', { text: 'a', productId: 999999 }, 404],
  ['POST /items/search?text=a', { text: 'a' }, 400],
];

export const lots: OperatorCases = {
  title: 'lots',
  define(scene: OperatorScene) {
    const recall = (lotId: number, body?: unknown) => scene.json('POST', `/lots/${lotId}/recall`, body);
    /** Assertions that must hold after a restart, too: one for all cases. */
    const afterwards: (() => Promise<void>)[] = [];
    /** All that can still be sold, which is none then. */
    const forSale = async (productId: number) =>
      (await ok(scene.node.operator.withdrawStock(productId, 10_000))).items ?? [];

    test('an upload is a lot, which says what became of its items; one that adds nothing is none', async () => {
      const productId = await scene.product();
      const label = '?source=Codes%20Ltd&costUsdt=0.25&reference=invoice%209';
      const first = await scene.upload(productId, ['a', 'b', 'c', 'd'], label);
      const second = await scene.upload(productId, ['e', 'a']);
      assert.equal(second, first + 1);
      assert.equal(
        'lotId' in (await scene.json('POST', `/products/${productId}/stock`, { items: ['a'] })),
        false,
      );
      await scene.buy(productId);
      await scene.node.operator.withdrawStock(productId, 2);
      const said = await scene.json('GET', `/lots/${first}`);
      const { at, ...lot } = said;
      assert.ok(Math.abs(Number(at) - Date.now()) < 60_000);
      const labelled = { source: 'Codes Ltd', costUsdt: 0.25, reference: 'invoice 9' };
      const counts = { added: 4, available: 1, sold: 1, withdrawn: 2 };
      assert.deepEqual(lot, { lotId: first, productId, ...labelled, ...counts });
      const path = `/products/${productId}/lots`;
      const { lots } = await scene.json('GET', path);
      assert.deepEqual(lots, [await scene.json('GET', `/lots/${second}`), said]);
      afterwards.push(async () => assert.deepEqual(await scene.json('GET', path), { lots }));
      const [newer, older] = lots as Json[];
      assert.deepEqual(await scene.json('GET', `${path}?limit=1`), {
        lots: [newer],
        nextCursor: `${second}`,
      });
      assert.deepEqual(await scene.json('GET', `${path}?cursor=${second}`), { lots: [older] });
      assert.deepEqual(await scene.json('GET', `${path}?to=2020-01-01`), { lots: [] });
    });

    test('a recall takes what is unsold, tells who has the rest, and says the same again', async () => {
      const productId = await scene.product();
      await scene.upload(productId, ['e1', 'e2']);
      const bad = await scene.upload(productId, ['x1', 'x2', 'x3', 'x4', 'x5']);
      await scene.upload(productId, ['l1', 'l2', 'l3']);
      const orders = [await scene.buy(productId, 3), await scene.buy(productId, 2)];
      const recalled = await recall(bad, { reason: 'they are used' });
      const { sold, recalledAt, ...rest } = recalled;
      assert.deepEqual(rest, { lotId: bad, productId, added: 5, withdrawn: 2 });
      const rows = sold as Json[];
      const { accountId } = scene;
      assert.deepEqual(
        rows.map(({ at, ...row }) => row),
        orders.map(({ orderId }) => ({ orderId, accountId })),
      );
      assert.deepEqual((await scene.buy(productId, 2)).items, ['l1', 'l2']);
      assert.deepEqual(await recall(bad), recalled);
      afterwards.push(async () => assert.deepEqual(await recall(bad), recalled));
      const lot = await scene.json('GET', `/lots/${bad}`);
      assert.deepEqual([lot.available, lot.sold, lot.withdrawn, lot.recalledAt], [0, 3, 2, recalledAt]);
      const page = await scene.json('GET', `/lots/${bad}/sold?limit=1`);
      assert.deepEqual(page.sold, rows.slice(0, 1));
      const next = await scene.json('GET', `/lots/${bad}/sold?cursor=${page.nextCursor}`);
      assert.deepEqual(next, { sold: rows.slice(1) });
      const at = Number(rows[0]?.at);
      assert.deepEqual(await scene.json('GET', `/lots/${bad}/sold?from=${at}`), { sold });
      assert.deepEqual(await scene.json('GET', `/lots/${bad}/sold?to=${at}`), { sold: [] });
    });

    test('a recall whose operator has hung up is carried out before the node stops', async () => {
      const productId = await scene.product();
      const items = Array.from({ length: 1_500 }, (_, item) => `copy ${item}`);
      const lotId = await scene.upload(productId, items);
      await scene.upload(productId, items, '?allowDuplicates=true');
      const gone = new AbortController();
      const url = `${scene.node.operatorUrl}/lots/${lotId}/recall`;
      const headers = { authorization: `Bearer ${scene.node.operatorToken}` };
      const recalling = fetch(url, { method: 'POST', headers, signal: gone.signal });
      const isRecalled = async () => (await scene.json('GET', `/lots/${lotId}`)).recalledAt !== undefined;
      await eventually('the recall', isRecalled);
      gone.abort();
      await recalling.catch(() => undefined);
      await scene.node.restart();
      assert.deepEqual(await forSale(productId), []);
    });

    test('recalled texts never come again, whatever else is allowed, the sold ones of the lot neither', async () => {
      const productId = await scene.product();
      const lotId = await scene.upload(productId, ['r1', 'r2', 'r3']);
      await scene.buy(productId);
      await recall(lotId);
      for (const query of ['', '?allowDuplicates=true']) {
        const items = ['r1', 'r2', 'r2', `new${query}`];
        const added = await scene.json('POST', `/products/${productId}/stock${query}`, { items });
        assert.deepEqual([added.added, added.duplicates, added.recalled], [1, 3, 3]);
      }
      const elsewhere = `/products/${await scene.product({ allowDuplicates: true })}/stock`;
      for (const items of [['r2'], ['r2 '], ['r1\u200b']])
        assert.equal((await scene.json('POST', elsewhere, { items })).recalled, 1);
      assert.equal((await scene.json('POST', elsewhere, { items: ['R2'] })).added, 1, 'case may be meant');
    });

    test('one that was withdrawn and uploaded again goes off sale with its first lot, and that is said', async () => {
      const productId = await scene.product();
      const first = await scene.upload(productId, ['wa', 'wb', 'wc', 'wd']);
      await scene.node.operator.withdrawStock(productId, 2);
      const second = await scene.upload(productId, ['new 1', 'wb', 'wa', 'new 2']);
      const other = await scene.product();
      await scene.upload(other, ['wc ', 'new 3', 'wa', 'WB'], '?allowDuplicates=true');
      const { withdrawn, copiesWithdrawn } = await recall(first);
      assert.deepEqual([withdrawn, copiesWithdrawn], [2, 4]);
      const lot = await scene.json('GET', `/lots/${second}`);
      assert.deepEqual([lot.available, lot.withdrawn, lot.recalledAt], [2, 2, undefined]);
      assert.equal('copiesWithdrawn' in (await recall(first)), false);
      const [, copies, own] = await scene.rows('/audit?limit=3', 'entries');
      assert.deepEqual([copies?.action, own?.action], ['StockWithdrawn', 'LotRecalled']);
      assert.equal(copies?.requestId, own?.requestId, 'both are of one call');
      afterwards.push(async () => assert.deepEqual(await forSale(productId), ['new 1', 'new 2']));
      afterwards.push(async () => assert.deepEqual(await forSale(other), ['new 3', 'WB']));
    });

    for (const query of ['', '?allowDuplicates=true']) {
      for (const [when, steps] of [
        ['before the upload', ['recall', 'begin', 'end']],
        ['while the upload is under way', ['begin', 'recall', 'end']],
        ['after the upload', ['begin', 'end', 'recall']],
      ] as const) {
        test(`a recall ${when} keeps the text off sale (${query === '' ? 'withdrawn' : 'a duplicate'})`, async () => {
          const productId = await scene.product();
          const text = `text ${productId}`;
          const lotId = await scene.upload(productId, [text, `other ${productId}`]);
          const path = `/products/${productId}/stock${query}`;
          if (query === '') await scene.node.operator.withdrawStock(productId, 1);
          let uploading: ReturnType<typeof openUpload> | undefined;
          for (const step of steps) {
            if (step === 'recall') await recall(lotId);
            else if (step === 'begin') {
              uploading = openUpload(scene.node.operator, 'POST', path, `${text}\n`);
              await delay(20);
            } else {
              const { status, body } = await (uploading?.end(`good ${text}\n`) ?? assert.fail());
              if (status === 400) assert.match(body.message ?? '', /A lot was recalled meanwhile/);
              else assert.equal(status, 201);
            }
          }
          assert.ok(!(await forSale(productId)).includes(text));
        });
      }
    }

    test('a dry run tells what would come of an upload, and adds nothing', async () => {
      const productId = await scene.product();
      await scene.upload(productId, ['old']);
      const before = await scene.json('GET', `/products/${productId}/lots`);
      const path = `/products/${productId}/stock?dryRun=true`;
      const lines = `dry 1\r\nold\ndry 2\n\nbad \u0001\ndry 1\n${'x'.repeat(100_000)}\ndry 3`;
      const type = { 'content-type': 'text/plain' };
      const reply = await scene.node.operator.request('POST', path, type, lines);
      assertDone(reply, 200);
      const { success: _success, requestId: _requestId, ...said } = JSON.parse(reply.text) as Json;
      const duplicates = { duplicateLineCount: 2, duplicateLines: [2, 6] };
      const bad = { badLineCount: 2, badLines: [5, 7] };
      const { badLineReasons, duplicatesOf, lookAlikes, lookAlikeCount, sample, encoding, ...counts } = said;
      assert.equal(encoding, 'utf-8');
      assert.deepEqual(counts, { productId, wouldAdd: 3, ...duplicates, ...bad });
      const lines26 = [2, 6].map((line) => ({ first: line, last: line }));
      assert.deepEqual(duplicatesOf, [{ productId, count: 2, lines: lines26 }]);
      assert.deepEqual([lookAlikeCount, lookAlikes, sample], [0, [], ['dry 1', 'dry 2', 'dry 3']]);
      assert.equal((badLineReasons as Json[]).length, 2);
      assert.deepEqual(await scene.json('GET', `/products/${productId}/lots`), before);
    });

    test('what can’t be done is refused', async () => {
      for (const [call, body, status] of REFUSED) {
        const [method = '', path = ''] = call.split(' ');
        const code = status === 404 ? 'NOT_FOUND' : 'BAD_REQUEST';
        assertRefused(await scene.node.operator.json(method, path, body), status, code);
      }
    });

    test('a text is found wherever it is or went: shelf, order, operator, by hand, in every product', async () => {
      scene.secrets.push(TEXT);
      const find = async (productId?: number) => {
        const { items } = await scene.json('POST', '/items/search', { text: TEXT, productId });
        return (items as Json[]).map(({ at, exact, ...row }) => {
          assert.equal(exact, true);
          assert.equal(at === undefined, row.orderId === undefined);
          return row;
        });
      };
      assert.deepEqual(await find(), []);
      const { accountId } = scene;
      const asAlike = '?allowDuplicates=true';
      const shelf = await scene.product();
      const onShelf = await scene.upload(shelf, ['other', TEXT]);

      const sold = await scene.product();
      const lotId = await scene.upload(sold, ['first', TEXT, 'last'], asAlike);
      const { orderId } = await scene.buy(sold, 2);
      const inOrder = { productId: sold, lotId, state: 'sold', orderId, accountId };
      assert.deepEqual(await find(sold), [inOrder]);

      const back = await scene.product();
      const given = await scene.upload(back, [TEXT], asAlike);
      await scene.node.operator.withdrawStock(back, 1);
      const again = await scene.upload(back, [TEXT], asAlike);

      const manual = await scene.product({ type: 'manual' });
      const byHand = await scene.buy(manual);
      await ok(scene.node.operator.moveOrder(byHand.orderId, 'complete', { items: ['x', TEXT] }));

      const twice = await scene.product({ allowDuplicates: true });
      const copies = await scene.upload(twice, [TEXT, 'between', TEXT], asAlike);
      const first = await scene.buy(twice);
      const found = [
        { productId: shelf, lotId: onShelf, state: 'available' },
        inOrder,
        { productId: back, lotId: given, state: 'withdrawn' },
        { productId: back, lotId: again, state: 'available' },
        { productId: manual, state: 'sold', orderId: byHand.orderId, accountId },
        { productId: twice, lotId: copies, state: 'sold', orderId: first.orderId, accountId },
        { productId: twice, lotId: copies, state: 'available' },
      ];
      assert.deepEqual(await find(), found);
      afterwards.push(async () => assert.deepEqual(await find(), found));
      const [search] = await scene.rows('/audit', 'entries');
      const orderIds = [orderId, byHand.orderId, first.orderId];
      assert.deepEqual([search?.action, search?.orderIds], ['ItemsSearched', orderIds]);
    });

    test('after a restart all of it is as it was', async () => {
      await scene.node.restart();
      assert.equal(afterwards.length, 5);
      for (const isAsItWas of afterwards) await isAsItWas();
    });
  },
};
