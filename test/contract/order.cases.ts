/** SPEC.md §2 and §4: GET /orders/{id}. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal, assertSuccess } from './reply-assertions.ts';
import { type Buyer, casesOf, known } from './scene.ts';

/** `ID` stands for the id of an order that is the caller's. */
const idsOfNothing = [
  ...'0 -1 -ID +ID 0ID ID.0 IDe0 1e3 0x1 abc IDabc ID%20 %20ID ID,ID %00 null __proto__'.split(' '),
  ...['9007199254740991', '9223372036854775808', '1'.repeat(400)],
];

export const order = casesOf('GET /orders/{id}', (scene) => {
  async function orderOf(buyer: Buyer) {
    const productId = await scene.product({ stock: ['first', 'second'] });
    return scene.buy(buyer, productId, 2);
  }

  test('§2 it is the purchase’s answer without the balance after it', async () => {
    const buyer = await scene.buyer();
    const bought = await orderOf(buyer);
    const { balanceAfterUsdt, requestId: _, ...order } = bought.body;
    assert.equal(balanceAfterUsdt, 93);
    const reply = await scene.buyers.order(buyer.apiKey, known(order.orderId));
    assertSuccess(reply, 200);
    const { requestId, ...fetched } = reply.body;
    assert.notEqual(requestId, bought.body.requestId);
    assert.deepEqual(fetched, order);
  });

  test('§4 an order of another account is 404, like one that doesn’t exist', async () => {
    const owner = await scene.buyer();
    const stranger = await scene.buyer();
    const orderId = known((await orderOf(owner)).body.orderId);
    assertRefusal(await scene.buyers.order(stranger.apiKey, orderId), 404, 'NOT_FOUND');
    assertRefusal(await scene.buyers.order(stranger.apiKey, orderId + 1_000_000), 404, 'NOT_FOUND');
    assertSuccess(await scene.buyers.order(owner.apiKey, orderId), 200);
  });

  test('§4 anything but the decimal form of its id names no order', async () => {
    const buyer = await scene.buyer();
    const orderId = known((await orderOf(buyer)).body.orderId);
    for (const id of idsOfNothing) {
      const asked = id.replaceAll('ID', String(orderId));
      assertRefusal(await scene.buyers.order(buyer.apiKey, asked), 404, 'NOT_FOUND');
    }
  });
});
