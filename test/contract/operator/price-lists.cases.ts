/** COMMERCE.md §3: price lists, own prices, and what an account pays. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { OperatorReply } from '../../support/operator-client.ts';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { type Buyer, casesOf, known, type ProductOptions } from '../scene.ts';

type Fields = Readonly<Record<string, unknown>>;

const tier = (minQuantity: number, priceUsdt: number) => ({ minQuantity, priceUsdt });

export const priceLists = casesOf('operator API: price lists and prices', (scene) => {
  async function call(method: string, path: string, body?: object): Promise<Fields> {
    const reply = await scene.operator.json(method, path, body);
    assert.ok(reply.status === 200 || reply.status === 201, `${method} ${path}: ${reply.text}`);
    return fieldsOf(reply);
  }

  function fieldsOf(reply: OperatorReply): Fields {
    const {
      success: _success,
      requestId: _id,
      ...fields
    } = JSON.parse(reply.text) as Record<string, unknown>;
    return fields;
  }

  async function list(percent?: number | null): Promise<number> {
    const { priceListId } = await call('POST', '/price-lists', { name: 'Gold', percent });
    return priceListId as number;
  }

  async function give({ accountId }: Buyer, priceListId: number | null): Promise<void> {
    await call('PATCH', `/accounts/${accountId}`, { priceListId });
  }

  async function priceOf({ accountId }: Buyer, productId: number, quantity = 1): Promise<Fields> {
    const path = `/accounts/${accountId}/price?productId=${productId}&quantity=${quantity}`;
    const { accountId: _a, productId: _p, quantity: _q, ...fields } = await call('GET', path);
    return fields;
  }

  async function entryOf({ apiKey }: Buyer, productId: number): Promise<Fields | undefined> {
    const { body } = await scene.buyers.products(apiKey);
    const entry = known(body.products).find(({ id }) => id === productId);
    return entry && { priceUsdt: entry.priceUsdt, priceTiers: entry.priceTiers };
  }

  async function staged(product: ProductOptions = { stock: 9 }) {
    const [buyer, other, productId] = await Promise.all([
      scene.buyer(),
      scene.buyer(),
      scene.product(product),
    ]);
    return { buyer, other, productId };
  }

  test('a list is made, read, changed and deleted, with counts of its accounts and prices', async () => {
    const { buyer, productId } = await staged();
    const made = await call('POST', '/price-lists', { name: 'Gold', percent: -12.5 });
    const { priceListId } = made;
    const { createdAt: _, ...counted } = made;
    assert.deepEqual(counted, { priceListId, name: 'Gold', percent: -12.5, accounts: 0, prices: 0 });
    await give(buyer, priceListId as number);
    const price = { priceUsdt: 2, priceTiers: [tier(10, 1.123456)] };
    const set = await call('PUT', `/price-lists/${priceListId}/prices/${productId}`, price);
    assert.deepEqual(set, { priceListId, productId, ...price });
    const read = await call('GET', `/price-lists/${priceListId}`);
    const head = { ...made, accounts: 1 };
    assert.deepEqual(read, { ...head, prices: [{ productId, ...price }] });
    const changed = await call('PATCH', `/price-lists/${priceListId}`, { name: 'Silver', percent: null });
    assert.deepEqual(changed, { ...head, prices: 1, name: 'Silver', percent: null });
    assertRefused(
      await scene.operator.json('DELETE', `/price-lists/${priceListId}`),
      409,
      'TRANSITION_NOT_ALLOWED',
    );
    await give(buyer, null);
    assert.deepEqual(await call('DELETE', `/price-lists/${priceListId}`), { priceListId });
    assertRefused(await scene.operator.json('GET', `/price-lists/${priceListId}`), 404, 'NOT_FOUND');
  });

  test('lists and prices come in pages', async () => {
    const [first, second] = [await list(), await list(5)];
    const page = await call('GET', `/price-lists?cursor=${first - 1}&limit=1`);
    assert.deepEqual(
      (page.priceLists as Fields[]).map(({ priceListId }) => priceListId),
      [first],
    );
    assert.equal(page.nextCursor, String(first));
    const products = [await scene.product(), await scene.product()];
    for (const productId of products.toReversed())
      await call('PUT', `/price-lists/${second}/prices/${productId}`, { priceUsdt: 1 });
    const some = await call('GET', `/price-lists/${second}?limit=1`);
    assert.deepEqual(
      [some.prices, some.nextCursor],
      [[{ productId: products[0], priceUsdt: 1, priceTiers: [] }], String(products[0])],
    );
    const rest = await call('GET', `/price-lists/${second}?limit=1&cursor=${some.nextCursor}`);
    assert.deepEqual(rest.prices, [{ productId: products[1], priceUsdt: 1, priceTiers: [] }]);
    assert.equal(rest.nextCursor, undefined);
  });

  test('what can be no list or price is refused with its name, and changes nothing', async () => {
    const { buyer, productId } = await staged();
    const priceListId = await list();
    const lists = [{ name: '' }, { name: 'two\nlines' }, { percent: -99.01 }, { percent: 1000.5 }];
    for (const bad of [...lists, { percent: 1.005 }, { percent: '5' }, { naem: 'x' }]) {
      const [field] = Object.keys(bad);
      for (const reply of [
        await scene.operator.json('POST', '/price-lists', { name: 'Gold', ...bad }),
        await scene.operator.json('PATCH', `/price-lists/${priceListId}`, bad),
      ]) {
        assertRefused(reply, 400, 'BAD_REQUEST');
        assert.match(reply.body.message ?? '', new RegExp(known(field)));
      }
    }
    const tiers = [[tier(1, 1)], [tier(5, 1), tier(5, 2)], [tier(2, -1)]];
    const prices = [{}, { priceUsdt: -1 }, { priceUsdt: 1.005 }, { priceUsdt: null }];
    for (const bad of [...prices, ...tiers.map((priceTiers) => ({ priceUsdt: 1, priceTiers }))]) {
      for (const path of [`/price-lists/${priceListId}`, `/accounts/${buyer.accountId}`]) {
        const reply = await scene.operator.json('PUT', `${path}/prices/${productId}`, bad);
        assertRefused(reply, 400, 'BAD_REQUEST');
      }
    }
    const one = { priceUsdt: 1 };
    for (const path of [
      `/price-lists/${priceListId}/prices/999999999`,
      `/price-lists/${priceListId}/prices/none`,
      `/price-lists/999999999/prices/${productId}`,
      `/accounts/999999999/prices/${productId}`,
    ]) {
      assertRefused(await scene.operator.json('PUT', path, one), 404, 'NOT_FOUND');
      assertRefused(await scene.operator.json('DELETE', path), 404, 'NOT_FOUND');
    }
    for (const priceList of [999_999_999, '1', 0])
      assertRefused(
        await scene.operator.json('PATCH', `/accounts/${buyer.accountId}`, { priceListId: priceList }),
        400,
        'BAD_REQUEST',
      );
    for (const query of ['', '?productId=x', `?productId=${productId}&quantity=0`])
      assertRefused(
        await scene.operator.json('GET', `/accounts/${buyer.accountId}/price${query}`),
        400,
        'BAD_REQUEST',
      );
    assert.deepEqual((await call('GET', `/price-lists/${priceListId}`)).prices, []);
    assert.deepEqual(await priceOf(buyer, productId), {
      totalUsdt: 3.5,
      unitUsdt: 3.5,
      rule: 'product',
      visible: true,
    });
  });

  test('the first rule that there is holds: own price, list price, percent, product; its tiers replace the others', async () => {
    const { buyer, other, productId } = await staged({ stock: 50, priceTiers: [tier(10, 3)] });
    const priceListId = await list(10);
    const seen = async () => [await priceOf(buyer, productId), await priceOf(buyer, productId, 10)];
    const product = { rule: 'product', visible: true };
    assert.deepEqual(await seen(), [
      { totalUsdt: 3.5, unitUsdt: 3.5, ...product },
      { totalUsdt: 30, unitUsdt: 3, ...product },
    ]);
    await give(buyer, priceListId);
    const percent = { rule: 'percent', priceListId, visible: true };
    assert.deepEqual(await seen(), [
      { totalUsdt: 3.85, unitUsdt: 3.85, ...percent },
      { totalUsdt: 33, unitUsdt: 3.3, ...percent },
    ]);
    assert.deepEqual(await entryOf(buyer, productId), { priceUsdt: 3.85, priceTiers: [tier(10, 3.3)] });
    await call('PUT', `/price-lists/${priceListId}/prices/${productId}`, { priceUsdt: 3.2 });
    const ofList = { rule: 'list', priceListId, visible: true };
    assert.deepEqual(await seen(), [
      { totalUsdt: 3.2, unitUsdt: 3.2, ...ofList },
      { totalUsdt: 32, unitUsdt: 3.2, ...ofList },
    ]);
    assert.deepEqual(await entryOf(buyer, productId), { priceUsdt: 3.2, priceTiers: [] });
    const own = { priceUsdt: 5, priceTiers: [tier(2, 0.333333)] };
    const path = `/accounts/${buyer.accountId}/prices/${productId}`;
    assert.deepEqual(await call('PUT', path, own), { accountId: buyer.accountId, productId, ...own });
    const account = { rule: 'account', visible: true };
    assert.deepEqual(await seen(), [
      { totalUsdt: 5, unitUsdt: 5, ...account },
      { totalUsdt: 3.33, unitUsdt: 0.333333, ...account },
    ]);
    assert.deepEqual(await entryOf(buyer, productId), own);
    assert.deepEqual((await call('GET', `/accounts/${buyer.accountId}/prices`)).prices, [
      { productId, ...own },
    ]);
    assert.deepEqual(await entryOf(other, productId), { priceUsdt: 3.5, priceTiers: [tier(10, 3)] });
    const removed = { accountId: buyer.accountId, productId };
    assert.deepEqual(await call('DELETE', path), removed);
    assert.deepEqual(await call('DELETE', path), removed);
    assert.deepEqual((await seen())[0], { totalUsdt: 3.2, unitUsdt: 3.2, ...ofList });
  });

  test('a purchase is held to the own total, keeps its rule, and is repeated as it was', async () => {
    const { buyer, productId } = await staged();
    const priceListId = await list(0);
    await give(buyer, priceListId);
    const free = randomUUID();
    const first = await scene.buy(buyer, productId, 1, 3.5, free);
    assert.equal(first.status, 201, first.text);
    await call('PATCH', `/price-lists/${priceListId}`, { percent: -33.33 });
    const changed = await scene.buy(buyer, productId, 2, 7);
    assert.deepEqual([changed.status, changed.body.error], [409, 'PRICE_CHANGED']);
    assert.equal(changed.body.currentPriceUsdt, 4.67);
    const second = await scene.buy(buyer, productId, 2, 4.67);
    assert.deepEqual([second.status, second.body.totalPriceUsdt], [201, 4.67]);
    const again = await scene.buy(buyer, productId, 1, 3.5, free);
    assert.deepEqual(
      [again.status, again.body.orderId, again.body.totalPriceUsdt],
      [201, first.body.orderId, 3.5],
    );
    await call('PUT', `/accounts/${buyer.accountId}/prices/${productId}`, { priceUsdt: 1 });
    const third = await scene.buy(buyer, productId, 1, 1);
    const rules = [];
    for (const { body } of [first, second, third]) {
      const order = await call('GET', `/orders/${body.orderId}`);
      rules.push([order.priceRule, order.priceListId]);
    }
    assert.deepEqual(rules, [
      ['percent', priceListId],
      ['percent', priceListId],
      ['account', undefined],
    ]);
    assert.equal(JSON.parse(first.text).priceRule, undefined);
  });

  test('a listed product is there for those whose own prices or list name it, and 404 for others', async () => {
    const { buyer, other, productId } = await staged();
    await call('PATCH', `/products/${productId}`, { visibility: 'listed' });
    const priceListId = await list(-50);
    await give(buyer, priceListId);
    assert.equal(await entryOf(buyer, productId), undefined);
    assert.equal((await priceOf(buyer, productId)).visible, false);
    const hidden = await scene.buy(buyer, productId, 1, 1.75);
    assert.deepEqual([hidden.status, hidden.body.error], [404, 'NOT_FOUND']);
    const bot = { accountId: buyer.accountId, productId };
    assertRefused(await scene.operator.json('POST', '/orders', bot), 404, 'NOT_FOUND');
    await call('PUT', `/price-lists/${priceListId}/prices/${productId}`, { priceUsdt: 3 });
    assert.deepEqual(await entryOf(buyer, productId), { priceUsdt: 3, priceTiers: [] });
    assert.equal((await scene.buy(buyer, productId, 1, 3)).status, 201);
    assert.equal(await entryOf(other, productId), undefined);
    await call('PUT', `/accounts/${other.accountId}/prices/${productId}`, { priceUsdt: 2 });
    assert.equal((await priceOf(other, productId)).visible, true);
    assert.equal((await scene.buy(other, productId, 1, 2)).status, 201);
  });

  test('an order from the bot is priced when it is paid', async () => {
    const { buyer, productId } = await staged();
    const { accountId } = buyer;
    const opened = await call('POST', '/orders', { accountId, productId, quantity: 2 });
    assert.deepEqual([opened.totalPriceUsdt, opened.priceRule], [7, 'product']);
    const priceListId = await list();
    await call('PUT', `/price-lists/${priceListId}/prices/${productId}`, { priceUsdt: 3 });
    await give(buyer, priceListId);
    const paid = await call('POST', `/orders/${opened.orderId}/pay`, {});
    assert.deepEqual([paid.totalPriceUsdt, paid.priceRule, paid.priceListId], [6, 'list', priceListId]);
  });

  test('POST /price-lists with a key makes one list, also when that one was deleted since', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = (body: object = { name: 'Once', percent: 7.25 }) =>
      scene.operator.json('POST', '/price-lists', body, headers);
    const first = await send();
    assertDone(first, 201);
    const again = await send();
    assertDone(again, 200);
    assert.deepEqual(fieldsOf(again), { ...fieldsOf(first), repeated: true });
    const { priceListId } = fieldsOf(first);
    await call('DELETE', `/price-lists/${priceListId}`);
    const late = fieldsOf(await send());
    const { createdAt: _, ...made } = fieldsOf(first);
    assert.deepEqual(late, { ...made, repeated: true });
    const other = await send({ name: 'Other' });
    assertRefused(other, 409, 'IDEMPOTENCY_CONFLICT');
  });

  test('feed and audit say who changed which price from what to what', async () => {
    const { buyer, productId } = await staged();
    const { accountId } = buyer;
    const path = `/accounts/${accountId}/prices/${productId}`;
    await call('PUT', path, { priceUsdt: 3, reason: 'a good customer' });
    await call('PUT', path, { priceUsdt: 2.5 });
    const { entries } = await call('GET', `/audit?accountId=${accountId}&limit=2`);
    const told = (entries as Fields[]).map(({ action, operator, reason, changes, ...entry }) => {
      assert.deepEqual([entry.accountId, entry.productId], [accountId, productId]);
      return [action, operator, reason, (changes as Fields[])[0]];
    });
    const price = { productId, field: 'priceUsdt' };
    assert.deepEqual(told, [
      ['PricesChanged', 'root', undefined, { ...price, from: 3, to: 2.5 }],
      ['PricesChanged', 'root', 'a good customer', { ...price, from: null, to: 3 }],
    ]);
  });
});
