/**
 * A shop that is put back to an earlier moment, and the receipts of what it sold since: orders, items, money and keys are
 * there again, and nothing is sold twice.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { KeyRing } from '../../src/persistence/keys/key-ring.ts';
import { signJws } from '../../src/receipts/compact-jws.ts';
import { RECEIPT_TYPE, type ReceiptClaims } from '../../src/receipts/receipt-claims.ts';
import { SigningKey } from '../../src/receipts/signing-key.ts';
import { DocumentedAnswers } from '../contract/openapi/documented-answers.ts';
import { FeedConnection } from '../feed/feed-connection.ts';
import { beginEpoch, repair } from '../persistence/restored-folder.ts';
import type { BuyerBody } from '../support/buyer-client.ts';
import type { QuietNode } from '../support/nodes/quiet-node.ts';
import { ok } from '../support/operator-client.ts';
import { patternBytes } from '../support/pattern-bytes.ts';
import { assertFound } from './found-order.ts';
import { type Buyer, GapScene } from './gap-scene.ts';

const CODES = Array.from({ length: 30 }, (_, index) => `code ${index}`);

describe('receipts after a restore', () => {
  let scene: GapScene;
  let restored: QuietNode;
  let rich: Buyer;
  let poor: Buyer;
  let [codes, late, richBalance] = [0, 0, 0];
  /** The last line of both epochs. */
  let fork = 0;

  /** Acts before the copy, and in the gap. */
  before(async () => {
    scene = await GapScene.start('lost-shop');
    const { lost } = scene;
    rich = await scene.newBuyer('rich');
    poor = await scene.newBuyer('poor', 1);
    const refunded = await scene.newBuyer('refunded', 2);
    codes = await scene.newProduct({}, CODES);
    late = await scene.newProduct({}, ['early 0', 'early 1']);
    const manual = await scene.newProduct({ type: 'manual' });
    const files = await scene.newProduct({ type: 'file' });
    await ok(lost.operator.setFile(files, patternBytes(100, 1)));
    await scene.buy('known', rich, codes);
    await scene.buy('known and refunded in the gap', rich, codes, 2);
    await scene.buy('known, and it fails', refunded, manual);
    const bot = { accountId: rich.accountId, productId: codes };
    const { orderId: unpaid = 0 } = await ok(lost.operator.openOrder(bot));
    await lost.stop();
    const copy = await scene.copy();
    fork = await beginEpoch(copy.path, 2);
    // Some of what was sold: the items of the first orders of the gap.
    await repair(copy.path, () => [{ kind: 'QuarantineItems', productId: codes, count: 8 }]);
    await lost.restart();

    const { operator } = lost;
    const { orderId } = scene.of('known and refunded in the gap');
    await ok(operator.adjustOrder(orderId, 'refund', { items: [0] }, 'r'));
    await scene.buy('three codes', rich, codes, 3);
    await ok(operator.withdrawStock(codes, 1));
    const order = (await ok(operator.moveOrder(unpaid, 'pay', {}))) as unknown as BuyerBody;
    const body = { productId: codes, expectedPriceUsdt: 1 };
    const paid = { buyer: rich, key: '', body, orderId: unpaid, receipts: [], order, items: [] };
    scene.sold.set('paid in the gap', paid);
    const replaced = await scene.buy('replaced and refunded', rich, codes, 2);
    await ok(operator.adjustOrder(replaced, 'replace', { items: [0] }, 'dead'));
    await ok(operator.adjustOrder(replaced, 'refund', { items: [1] }, 'late'));
    await ok(operator.moveOrder(await scene.buy('refunded', rich, codes), 'refund', {}));
    await scene.buy('a file', rich, files);
    await scene.buy('pending', rich, manual);
    const byHand = await scene.buy('by hand', rich, manual);
    await ok(operator.moveOrder(byHand, 'complete', { items: ['made by hand'] }));
    await ok(operator.setFile(files, patternBytes(100, 2)));
    await scene.buy('a file of the gap', rich, files);
    await ok(operator.credit(poor.accountId, 100, 'lost credit'));
    await scene.buy('from a lost credit', poor, codes, 4);
    await ok(operator.credit(refunded.accountId, 100, 'lost credit'));
    await scene.buy('paid by what comes back', refunded, manual, 2);
    await ok(operator.addStock(late, ['late 0', 'late 1', 'late 2', 'late 3']));
    await scene.buy('of a lost upload', rich, late, 3);
    await scene.buy('of a half lost upload', rich, late, 2);
    await scene.buy('of an upload that stays lost', rich, late);
    await scene.buy('of a lost product', rich, await scene.newProduct({}, ['x']));
    for (const name of scene.sold.keys()) await scene.keepReceipt(name);
    richBalance = (await lost.buyers.balance(rich.apiKey)).body.balanceUsdt ?? 0;
    await scene.restore(copy);
    ({ restored } = scene);
    // The operator has found his upload again, but not all of it, and puts it in behind another.
    await ok(restored.operator.addStock(late, ['new']));
    await ok(restored.operator.addStock(late, ['late 1', 'late 0']));
  });
  after(() => scene.close());

  const EXACT = ['three codes', 'replaced and refunded', 'refunded', 'a file', 'pending', 'of a lost upload'];
  const PENDING = ['by hand', 'a file of the gap', 'of a half lost upload', 'of an upload that stays lost'];

  test('what isn’t a receipt of this shop is listed, and changes nothing', async () => {
    const { signingSeed, shop } = KeyRing.read(scene.lost.folder.path, undefined);
    const own = SigningKey.fromSeed(signingSeed);
    const [receipt = ''] = scene.of('three codes').receipts;
    const [, payload = ''] = receipt.split('.');
    const claims: ReceiptClaims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const signed = (changed: Partial<ReceiptClaims>, key = own, type = RECEIPT_TYPE) =>
      signJws(key, type, JSON.stringify({ ...claims, ...changed }));
    const known = scene.of('known').orderId;
    const cases: readonly (readonly [receipt: string, reason: RegExp])[] = [
      ['hello', /not a compact JWS/],
      [receipt.slice(0, -20), /not a compact JWS|signature is wrong/],
      [`${receipt.slice(0, 200)}A${receipt.slice(201)}`, /signature is wrong|not a compact JWS/],
      [signed({}, SigningKey.fromSeed(Buffer.alloc(32, 1))), /key that is not this shop’s/],
      [signed({}, own, 'purser-other+jws'), /type is not/],
      [signed({ shop: '0'.repeat(32) }), /of another shop/],
      [signed({ orderId: known }), /contradicts order/],
      [signed({ orderId: 900_000_000 }), /not of a gap/],
      [signed({ accountId: 77 }), /(account|product) \d+ is not there: create it again/],
      [signed({ idempotencyKey: scene.of('known').key }), new RegExp(`order ${known} has its key`)],
      [
        scene.of('of a lost product').receipts[0] ?? '',
        /(account|product) \d+ is not there: create it again/,
      ],
      ['x'.repeat(5 * 1024 * 1024), /longer than any receipt/],
    ];
    assert.match(shop, /^[0-9a-f]{32}$/);
    const before = await stateOf();
    const taken = await scene.takeIn(`\n${cases.map(([text]) => text).join('\r\n')}\n\n`);
    assert.deepEqual([taken.receipts, taken.recovered, taken.invalidCount], [cases.length, 0, cases.length]);
    for (const [index, [, reason]] of cases.entries()) {
      assert.equal(taken.invalid[index]?.line, index + 2);
      assert.match(taken.invalid[index]?.reason ?? '', reason);
    }
    assert.deepEqual(await stateOf(), before);
  });

  async function stateOf(): Promise<object> {
    const { accounts } = await ok(restored.operator.json('GET', '/accounts'));
    const { availableStock } = await ok(restored.operator.getProduct(codes));
    return { accounts: accounts?.map(({ balanceUsdt }) => balanceUsdt), availableStock };
  }

  test('each proves an order: it is there again, with its items, its money and its key', async () => {
    const names = [...EXACT, ...PENDING, 'from a lost credit', 'paid in the gap'];
    const { pending, ...taken } = await scene.takeIn(...scene.receiptsOf(...names));
    const { receipts, recovered, repeated, waiting, pendingCount, invalid } = taken;
    assert.deepEqual([receipts, recovered, repeated, waiting], [names.length, names.length, 0, 1]);
    assert.deepEqual([pendingCount, invalid], [PENDING.length + 1, []]);
    assert.deepEqual(
      pending.map(({ orderId }) => orderId),
      ['pending', ...PENDING].map((name) => scene.of(name).orderId),
    );
    const [promised, byHand, file, half, upload] = pending;
    assert.match(promised?.reason ?? '', /^it was not delivered yet: complete it by hand, or fail it$/);
    assert.match(byHand?.reason ?? '', /^1 of its 1 items were not found: they were delivered by hand/);
    assert.match(file?.reason ?? '', /^its file is not in the data folder$/);
    assert.match(half?.reason ?? '', /^1 of its 2 items were not found/);
    assert.match(upload?.reason ?? '', /^1 of its 1 items were not found/);
    await scene.assertAsItWas(...EXACT, 'from a lost credit', 'paid in the gap');
    for (const name of PENDING) {
      const { status, delivery } = await scene.now(name);
      assert.deepEqual([status, delivery], ['pending_delivery', undefined], name);
    }
  });

  test('a receipt of an order that was there before the gap changes nothing, but what came back in the gap does', async () => {
    const taken = await scene.takeIn(...scene.receiptsOf('known', 'known and refunded in the gap'));
    assert.deepEqual([taken.recovered, taken.repeated, taken.invalidCount], [0, 2, 0]);
    const { refundedUsdt } = await ok(
      restored.operator.getOrder(scene.of('known and refunded in the gap').orderId),
    );
    assert.equal(refundedUsdt, 1);
  });

  test('each key is answered as before, and refused with another request; balances are what they were', async () => {
    const balance = async ({ apiKey }: Buyer) => (await restored.buyers.balance(apiKey)).body.balanceUsdt;
    // But for the credit and the product that were lost.
    assert.deepEqual([await balance(rich), await balance(poor)], [richBalance + 1, 1]);
    const wanted = { productId: codes, expectedPriceUsdt: 1 };
    const fresh = await restored.buyers.purchase(rich.apiKey, 'a new key', wanted);
    assert.deepEqual([fresh.status, fresh.body.error], [503, 'SALES_CLOSED']);
    const document = await restored.buyers.raw('GET', '/openapi.json');
    new DocumentedAnswers(document.text).check('POST', '/orders', fresh);
    assert.match(fresh.body.message ?? '', /Nothing was charged\. Try again later, with the same key\./);
    for (const name of [...EXACT, 'from a lost credit']) {
      const { buyer, key, body, order } = scene.of(name);
      const again = await restored.buyers.purchase(buyer.apiKey, key, body);
      assert.equal(again.status, 201, again.text);
      assert.equal(again.headers['idempotent-replayed'], 'true');
      const { requestId: _, balanceAfterUsdt, ...found } = again.body;
      const { requestId: __, ...expected } = order;
      assert.deepEqual(found, expected, name);
      assert.equal(typeof balanceAfterUsdt, 'number');
      const other = await restored.buyers.purchase(buyer.apiKey, key, { ...body, quantity: 9 });
      assert.equal(other.body.error, 'IDEMPOTENCY_CONFLICT');
    }
  });

  test('what was sold in the gap is off the shelf, also what stood in an order for a while', async () => {
    const had = [...scene.sold.values()].flatMap(({ order }) => order.delivery?.items ?? []);
    const { items: left = [] } = await ok(restored.operator.withdrawStock(codes, 1_000));
    const { items: leftLate = [] } = await ok(restored.operator.withdrawStock(late, 1_000));
    assert.deepEqual(
      left.filter((text) => had.includes(text)),
      [],
    );
    assert.deepEqual(leftLate, ['new']);
    // In quarantine is what the gap withdrew, alone: the rest of the eight was claimed. One was replaced, and one refunded.
    const ofOrders = had.filter((text) => text.startsWith('code')).length;
    assert.equal(left.length, CODES.length - ofOrders - 3);
  });

  test('what buyers have of recovered orders, and what was replaced, can’t be uploaded again; nobody is given it', async () => {
    const { delivery } = scene.of('three codes').order;
    const again = await ok(restored.operator.addStock(codes, delivery?.items ?? []));
    assert.deepEqual([again.added, again.duplicates], [0, 3]);
    const [replaced = ''] = scene.of('replaced and refunded').items ?? [];
    const { item: half = '' } = { item: scene.of('of a half lost upload').order.delivery?.items?.[0] };
    assert.deepEqual([replaced.slice(0, 4), half], ['code', 'late 1']);
    for (const [productId, text, name] of [
      [codes, replaced, 'replaced and refunded'],
      [late, half, 'of a half lost upload'],
    ] as const) {
      const path = `/products/${productId}/stock/withdrawn`;
      const { items = [] } = await ok(restored.operator.json('GET', path));
      assert.ok(!JSON.stringify(items).includes(JSON.stringify(text)), text);
      const { added, duplicates } = await ok(restored.operator.addStock(productId, [text]));
      assert.deepEqual([added, duplicates], [0, 1], text);
      const { body } = await restored.operator.json('POST', '/items/search', { text, productId });
      const found = (body.items ?? []) as unknown as { state: string; orderId: number }[];
      assert.deepEqual(
        found.map(({ state, orderId }) => [state, orderId]),
        [['sold', scene.of(name).orderId]],
      );
    }
  });

  test('what waited for a lost credit is debited when the credit is entered again', async () => {
    await ok(restored.operator.credit(poor.accountId, 100, 'lost credit'));
    assert.equal((await restored.buyers.balance(poor.apiKey)).body.balanceUsdt, 97);
    const statement = await ok(restored.operator.json('GET', `/accounts/${poor.accountId}/statement`));
    const { movements } = statement as unknown as { movements: { orderId?: number; balanceUsdt: number }[] };
    assert.deepEqual(
      movements.map(({ orderId, balanceUsdt }) => [orderId, balanceUsdt]),
      [
        [undefined, 1],
        [undefined, 101],
        [scene.of('from a lost credit').orderId, 97],
      ],
    );
    assert.equal((await scene.takeIn(...scene.receiptsOf('from a lost credit'))).waiting, 0);
  });

  test('a recovered order has a receipt of the new epoch, which takes nothing from anybody', async () => {
    const { buyer, orderId } = scene.of('three codes');
    const { receipt = '' } = (await restored.buyers.receipt(buyer.apiKey, orderId)).body;
    const claims: ReceiptClaims = JSON.parse(
      Buffer.from(receipt.split('.')[1] ?? '', 'base64url').toString(),
    );
    assert.deepEqual(
      [claims.epoch, claims.orderId, claims.itemHashes.length, claims.items],
      [2, orderId, 3, []],
    );
    const taken = await scene.takeIn(receipt);
    assert.deepEqual([taken.repeated, taken.invalidCount], [1, 0]);
  });

  test('operators find recovered orders, and the feed says of which epoch a line is', async () => {
    await assertFound(scene, poor);
    const reader = { name: 'reader', role: 'viewer' };
    const { token = '' } = await ok(restored.operator.json('POST', '/operators', reader));
    const feed = await FeedConnection.after({ operatorUrl: restored.operatorUrl, operatorToken: token }, 0);
    const lines = await feed.through(fork + 4);
    feed.close();
    for (const { seq, epoch } of lines) assert.equal(epoch, seq <= fork ? 1 : 2, `line ${seq}`);
    assert.equal(lines.find(({ type }) => type === 'EpochBegun')?.seq, fork + 1);
    const { status, body } = await restored.operator.json('GET', `/feed?after=${fork + 1}&epoch=1`);
    assert.deepEqual([status, body.error], [409, 'OTHER_EPOCH']);
    assert.equal((body as unknown as { forkAfter: number }).forkAfter, fork);
  });

  test('when sales are opened, an order has a number that nobody had, and an item that nobody has', async () => {
    await ok(restored.operator.addStock(codes, ['fresh']));
    await ok(restored.operator.json('POST', '/restore/open', { all: 'keep' }));
    const wanted = { productId: codes, expectedPriceUsdt: 1 };
    const { body } = await restored.buyers.purchase(rich.apiKey, 'a new key', wanted);
    assert.deepEqual(body.delivery?.items, ['fresh']);
    assert.ok([...scene.sold.values()].every(({ orderId }) => orderId < Number(body.orderId)));
  });

  test('all of it is there after another start, and the folder is sound', async () => {
    await restored.restart();
    await assertFound(scene, poor);
    const before = await stateOf();
    const all = scene.receiptsOf(...EXACT, ...PENDING, 'paid in the gap', 'known');
    assert.equal((await scene.takeIn(...all, ...all)).repeated, 2 * all.length);
    assert.deepEqual(await stateOf(), before, 'also twice in one file');
    await scene.assertSound(/, [1-9]\d* kept with orders that receipts put back, no text missing$/m);
  });
});
