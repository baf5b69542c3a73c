/** SPEC.md §2, §3 and §4: POST /orders of items from own stock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal, assertSuccess } from '../reply-assertions.ts';
import { casesOf, known } from '../scene.ts';

const tiers = [
  { minQuantity: 5, priceUsdt: 2.99 },
  { minQuantity: 10, priceUsdt: 1.01 },
  { minQuantity: 1_000_000, priceUsdt: 0.01 },
];

/** Unit price 3.50 and the tiers above: quantity and total. */
const tierTable = ['1 3.5', '4 14', '5 14.95', '9 26.91', '10 10.1', '33 33.33'].map(numbers);

/** Products of floats that aren't the total: it is counted in millionths, and rounded half up to cents. */
const totalTable = [
  ...[
    '0.1 3 0.3',
    '0.07 3 0.21',
    '4.35 100 435',
    '1.15 3 3.45',
    '8.41 7 58.87',
    '0.125 5 0.63',
    '0.125 6 0.75',
  ],
  ...['0.001 5 0.01', '0.0349 10 0.35', '0.333333 3 1', '1.005 3 3.02', '0.014999 10 0.15'],
].map(numbers);

function numbers(row: string): [number, number, number] {
  const [first = 0, second = 0, third = 0] = row.split(' ').map(Number);
  return [first, second, third];
}

export const purchase = casesOf('purchase', (scene) => {
  test('§2 a purchase answers 201 with the order, its items and the balance after it', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 20 });
    const productId = await scene.product({ stock: ['first', 'second', 'third'] });
    const startedAtMs = Date.now();
    const reply = await scene.buy(buyer, productId, 2, 7);
    assertSuccess(reply, 201);
    const { orderId, createdAt, requestId } = reply.body;
    assert.deepEqual(reply.body, {
      success: true,
      orderId,
      status: 'completed',
      productId,
      quantity: 2,
      totalPriceUsdt: 7,
      createdAt,
      delivery: { items: ['first', 'second'] },
      balanceAfterUsdt: 13,
      requestId,
    });
    assert.ok(Number.isSafeInteger(orderId) && known(orderId) > 0);
    assert.ok(Number.isSafeInteger(createdAt));
    assert.ok(known(createdAt) >= startedAtMs - 1000 && known(createdAt) <= Date.now() + 1000);
    assert.equal(reply.headers['idempotent-replayed'], undefined);
    assert.equal(await scene.balanceUsdt(buyer), 13);
    assert.equal(await scene.available(productId), 1);
  });

  test('§1 items are delivered first in, first out, each once, as they were put in', async () => {
    const buyer = await scene.buyer();
    const items = ['user:pass', 'two words', 'Ünïcode 🎁', '{"json": true}', 'a,b;c\td', '\\"quoted\\"'];
    const productId = await scene.product({ stock: items, priceUsdt: 1 });
    const delivered: string[] = [];
    for (const quantity of [1, 2, 3]) {
      const reply = await scene.buy(buyer, productId, quantity, quantity);
      assertSuccess(reply, 201);
      delivered.push(...known(reply.body.delivery?.items));
    }
    assert.deepEqual(delivered, items);
  });

  test('§2 volume pricing: the unit price of the whole quantity is the tier’s it reaches', async () => {
    for (const [quantity, totalUsdt] of tierTable) {
      const buyer = await scene.buyer();
      const productId = await scene.product({ priceTiers: tiers, stock: 40 });
      const refused = await scene.buy(buyer, productId, quantity, totalUsdt + 0.01);
      assertRefusal(refused, 409, 'PRICE_CHANGED');
      assert.equal(refused.body.currentPriceUsdt, totalUsdt);
      const bought = await scene.buy(buyer, productId, quantity, totalUsdt);
      assertSuccess(bought, 201);
      assert.equal(bought.body.totalPriceUsdt, totalUsdt);
      assert.equal(await scene.balanceUsdt(buyer), Math.round((100 - totalUsdt) * 100) / 100);
    }
  });

  test('§1, §2 totals are exact, and rounded half up where a tier is finer than a cent', async () => {
    for (const [priceUsdt, quantity, totalUsdt] of totalTable) {
      const buyer = await scene.buyer({ balanceUsdt: 500 });
      const isTier = quantity > 1 && !Number.isInteger(Math.round(priceUsdt * 1e6) / 1e4);
      const price = isTier ? { priceTiers: [{ minQuantity: quantity, priceUsdt }] } : { priceUsdt };
      const productId = await scene.product({ ...price, stock: quantity });
      const bought = await scene.buy(buyer, productId, quantity, totalUsdt);
      assertSuccess(bought, 201);
      assert.ok(bought.text.includes(`"totalPriceUsdt":${totalUsdt},`), bought.text);
      assert.equal(bought.body.balanceAfterUsdt, Math.round((500 - totalUsdt) * 100) / 100);
    }
  });

  test('§4 not enough stock is 409 OUT_OF_STOCK, and nothing is charged or taken', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 2 });
    const refused = await scene.buy(buyer, productId, 3, 10.5);
    assertRefusal(refused, 409, 'OUT_OF_STOCK');
    assert.equal('currentPriceUsdt' in refused.body, false);
    assert.equal(await scene.balanceUsdt(buyer), 100);
    const [one, all] = [await scene.buy(buyer, productId, 1, 3.5), await scene.buy(buyer, productId, 1, 3.5)];
    for (const reply of [one, all]) assertSuccess(reply, 201);
    assertRefusal(await scene.buy(buyer, productId, 1, 3.5), 409, 'OUT_OF_STOCK');
  });

  test('§4 a balance too low is 402 INSUFFICIENT_BALANCE, and nothing is taken', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 3.49 });
    const productId = await scene.product({ stock: 1 });
    assertRefusal(await scene.buy(buyer, productId, 1, 3.5), 402, 'INSUFFICIENT_BALANCE');
    assert.equal(await scene.balanceUsdt(buyer), 3.49);
    assert.equal(await scene.available(productId), 1);
    await scene.operator.credit(buyer.accountId, 0.01, 'just enough');
    assert.equal((await scene.buy(buyer, productId, 1, 3.5)).body.balanceAfterUsdt, 0);
  });

  test('§1 thirty buyers at once for ten items: ten get one each, twenty are told it is out of stock', async () => {
    const productId = await scene.product({ stock: 10 });
    const buyers = await Promise.all(Array.from({ length: 30 }, () => scene.buyer({ balanceUsdt: 3.5 })));
    const replies = await Promise.all(buyers.map((buyer) => scene.buy(buyer, productId, 1, 3.5)));
    const sold = replies.filter((reply) => reply.status === 201);
    for (const reply of replies) {
      if (reply.status !== 201) assertRefusal(reply, 409, 'OUT_OF_STOCK');
    }
    assert.equal(sold.length, 10);
    assert.equal(new Set(sold.flatMap((reply) => known(reply.body.delivery?.items))).size, 10);
    assert.equal(new Set(sold.map((reply) => reply.body.orderId)).size, 10);
    const balances = await Promise.all(buyers.map((buyer) => scene.balanceUsdt(buyer)));
    assert.equal(balances.filter((balance) => balance === 0).length, 10);
    assert.equal(balances.filter((balance) => balance === 3.5).length, 20);
  });

  test('§1 ten purchases at once from a wallet for three: three succeed, seven are 402', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 11 });
    const products = await Promise.all([scene.product({ stock: 10 }), scene.product({ stock: 10 })]);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => scene.buy(buyer, known(products[index % 2]), 1, 3.5)),
    );
    const sold = replies.filter((reply) => reply.status === 201);
    assert.equal(sold.length, 3);
    for (const reply of replies) {
      if (reply.status !== 201) assertRefusal(reply, 402, 'INSUFFICIENT_BALANCE');
    }
    assert.deepEqual(sold.map((reply) => reply.body.balanceAfterUsdt).sort(), [0.5, 4, 7.5]);
    assert.equal(await scene.balanceUsdt(buyer), 0.5);
  });
});
