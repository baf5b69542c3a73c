/** COMMERCE.md §2: spend limits, as operators set them and as buyers and the bot meet them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { BuyerReply } from '../../support/buyer-client.ts';
import { ok } from '../../support/operator-client.ts';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { assertRefusal, assertSuccess } from '../reply-assertions.ts';
import { type Buyer, casesOf, freshIdempotencyKey, known } from '../scene.ts';

const DAY_SECONDS = 86_400;

/** Values that are no limits, and the field that the message names. */
const BAD_LIMITS: readonly (readonly [limits: unknown, named: RegExp])[] = [
  [null, /spendLimits/],
  [[{ windowHours: 0, amountUsdt: 1 }], /windowHours/],
  [[{ windowHours: 745, amountUsdt: 1 }], /windowHours/],
  [[{ windowHours: 1.5, amountUsdt: 1 }], /windowHours/],
  [[{ windowHours: 1 }], /amountUsdt/],
  [[{ windowHours: 1, amountUsdt: -1 }], /spendLimits\.0\.amountUsdt/],
  [[{ windowHours: 1, amountUsdt: 0.0000001 }], /spendLimits\.0\.amountUsdt/],
  [[{ windowHours: 1, amountUsdt: 1, more: true }], /more/],
  [Array(5).fill({ windowHours: 1, amountUsdt: 1 }), /spendLimits/],
];

export const spendLimits = casesOf('spend limits', (scene) => {
  const limit = async ({ accountId }: Pick<Buyer, 'accountId'>, ...limits: unknown[]) =>
    assertDone(await scene.operator.json('PATCH', `/accounts/${accountId}`, { spendLimits: limits }), 200);

  /** A refusal by a limit, which names it; its wait is at most this long. */
  function assertBeyond(reply: BuyerReply, names: RegExp, mostSeconds: number): void {
    assertRefusal(reply, 429, 'RATE_LIMITED');
    assert.match(String(reply.body.message), names);
    const seconds = Number(reply.headers['retry-after']);
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= mostSeconds, `${seconds}`);
  }

  test('are shown as they were set, on a new account and an old one, and none is []', async () => {
    const spends = [
      { windowHours: 1, amountUsdt: 20.5 },
      { windowHours: 744, amountUsdt: 0 },
    ];
    const made = await scene.operator.json('POST', '/accounts', { name: 'Limited', spendLimits: spends });
    assert.equal(made.status, 201);
    const { accountId, spendLimits: shown } = JSON.parse(made.text);
    assert.deepEqual(shown, spends);
    const path = `/accounts/${accountId}`;
    const patch = async (body: unknown) => JSON.parse((await scene.operator.json('PATCH', path, body)).text);
    assert.deepEqual((await patch({ name: 'Still limited' })).spendLimits, spends);
    assert.deepEqual((await patch({ spendLimits: [] })).spendLimits, []);
    assert.deepEqual(JSON.parse((await scene.operator.getAccount(accountId)).text).spendLimits, []);
    for (const [bad, named] of BAD_LIMITS) {
      for (const [method, to] of [
        ['PATCH', path],
        ['POST', '/accounts'],
      ] as const) {
        const reply = await scene.operator.json(method, to, { name: 'Bad', spendLimits: bad });
        assertRefused(reply, 400, 'BAD_REQUEST');
        assert.match(reply.text, named);
      }
    }
  });

  test('who changed them, from what to what, is in the feed', async () => {
    const { accountId } = await scene.buyer();
    await limit({ accountId }, { windowHours: 2, amountUsdt: 7 });
    const audit = JSON.parse(
      (await scene.operator.json('GET', `/audit?accountId=${accountId}&limit=1`)).text,
    );
    const to = [{ windowHours: 2, amountUsdt: 7 }];
    assert.deepEqual(audit.entries[0].changes, [{ field: 'spendLimits', from: [], to }]);
  });

  test('what was bought before counts; beyond it is 429, which charges nothing and leaves the key free', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 10 });
    assertSuccess(await scene.buy(buyer, productId, 2), 201);
    await limit(buyer, { windowHours: 1, amountUsdt: 10.5 }, { windowHours: 24, amountUsdt: 1_000 });
    const key = freshIdempotencyKey();
    const refused = await scene.buy(buyer, productId, 2, 7, key);
    assertBeyond(refused, /10\.5 USDT in any hour.*bought for 7, and this costs 7/, 3_660);
    assert.deepEqual([await scene.balanceUsdt(buyer), await scene.available(productId)], [93, 8]);
    assertSuccess(await scene.buy(buyer, productId, 1), 201);
    // What fits is bought up to the limit itself, and not a cent more.
    assertBeyond(await scene.buy(buyer, productId, 1), /hour/, 3_660);
    await limit(buyer);
    assertSuccess(await scene.buy(buyer, productId, 2, 7, key), 201);
  });

  test('a purchase beyond the limit alone waits a day, and of several limits the longest wait is said', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 10 });
    await limit(buyer, { windowHours: 1, amountUsdt: 3.5 }, { windowHours: 744, amountUsdt: 7 });
    const alone = await scene.buy(buyer, productId, 3);
    assertBeyond(alone, /any hour/, DAY_SECONDS);
    assert.equal(alone.headers['retry-after'], String(DAY_SECONDS));
    assertSuccess(await scene.buy(buyer, productId), 201);
    assertBeyond(await scene.buy(buyer, productId), /any hour/, 3_660);
    await limit(buyer, { windowHours: 1, amountUsdt: 5 }, { windowHours: 744, amountUsdt: 6 });
    assertBeyond(await scene.buy(buyer, productId), /744 hours/, DAY_SECONDS);
  });

  test('an earlier answer of the key comes before a limit, and other refusals, too', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 3 });
    const key = freshIdempotencyKey();
    assertSuccess(await scene.buy(buyer, productId, 1, 3.5, key), 201);
    await limit(buyer, { windowHours: 1, amountUsdt: 0 });
    assertSuccess(await scene.buy(buyer, productId, 1, 3.5, key), 201);
    assertRefusal(await scene.buy(buyer, productId, 1, 3.4), 409, 'PRICE_CHANGED');
    assertRefusal(await scene.buy(buyer, productId, 4), 409, 'OUT_OF_STOCK');
    assertBeyond(await scene.buy(buyer, productId), /hour/, DAY_SECONDS);
  });

  test('forty purchases at once never exceed one', async () => {
    const buyer = await scene.buyer({ balanceUsdt: 1_000 });
    const productId = await scene.product({ stock: 60 });
    await limit(buyer, { windowHours: 24, amountUsdt: 45 });
    const replies = await Promise.all(Array.from({ length: 40 }, () => scene.buy(buyer, productId)));
    assert.deepEqual(
      [201, 429].map((status) => replies.filter((reply) => reply.status === status).length),
      [12, 28],
    );
    assert.equal(await scene.balanceUsdt(buyer), 958);
  });

  test('a refund gives back, in part and in whole', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 10 });
    await limit(buyer, { windowHours: 1, amountUsdt: 7 });
    const bought = await scene.buy(buyer, productId, 2);
    assertSuccess(bought, 201);
    assertBeyond(await scene.buy(buyer, productId), /hour/, 3_660);
    const refund = (body: object) =>
      scene.operator.adjustOrder(known(bought.body.orderId), 'refund', body, randomUUID());
    assert.equal((await refund({ amountUsdt: 3 })).status, 200);
    assertBeyond(await scene.buy(buyer, productId), /hour/, 3_660);
    assert.equal((await refund({})).status, 200);
    assertSuccess(await scene.buy(buyer, productId, 2), 201);
  });

  test('an order from the bot counts when it is paid: beyond a limit it is 429, and still processing', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 10 });
    await limit(buyer, { windowHours: 1, amountUsdt: 7 });
    const { accountId } = buyer;
    const open = async () => known((await ok(scene.operator.openOrder({ accountId, productId }))).orderId);
    const ids = [await open(), await open(), await open()] as const;
    assertDone(await scene.operator.moveOrder(ids[0], 'pay'), 200);
    assertDone(await scene.operator.moveOrder(ids[1], 'pay'), 200);
    const refused = await scene.operator.moveOrder(ids[2], 'pay');
    assertRefused(refused, 429, 'RATE_LIMITED');
    assert.match(refused.text, /7 USDT in any hour/);
    const { status } = (await scene.buyers.order(buyer.apiKey, ids[2])).body;
    assert.deepEqual([status, await scene.balanceUsdt(buyer)], ['processing', 93]);
    assertBeyond(await scene.buy(buyer, productId), /hour/, 3_660);
    assertDone(await scene.operator.moveOrder(ids[0], 'refund'), 200);
    assertDone(await scene.operator.moveOrder(ids[2], 'pay'), 200);
  });
});
