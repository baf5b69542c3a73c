/** The counts of requests and sales in GET /metrics. `operator/metrics.test.ts` has their names, types and labels. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumOf } from '../support/metrics-text.ts';
import { casesOf, freshIdempotencyKey } from './scene.ts';

const REQUESTS = 'purser_http_requests_total';
const DURATIONS = 'purser_http_request_duration_seconds_count';
const PURCHASE = { listener: 'buyer', method: 'POST', route: '/api/v1/buyer/orders' };

export const metrics = casesOf('metrics', (scene) => {
  const text = async () => (await scene.operator.request('GET', '/metrics', {})).text;

  /** By how much a metric grows meanwhile. */
  async function growth(name: string, labels: Record<string, string>, act: () => Promise<unknown>) {
    const before = sumOf(await text(), name, labels);
    await act();
    return sumOf(await text(), name, labels) - before;
  }

  test('requests are counted by the pattern of their route and the class of their status, on their listener', async () => {
    const { apiKey } = await scene.buyer({ balanceUsdt: 4 });
    const productId = await scene.product({ stock: 5 });
    const buy = (expectedPriceUsdt: number) =>
      scene.buyers.purchase(apiKey, freshIdempotencyKey(), { productId, expectedPriceUsdt });
    assert.equal(await growth(REQUESTS, { ...PURCHASE, status: '2xx' }, () => buy(3.5)), 1);
    assert.equal(await growth(REQUESTS, { ...PURCHASE, status: '4xx' }, () => buy(3.5)), 1);
    assert.equal(await growth(DURATIONS, PURCHASE, () => buy(1)), 1);
    const route = { listener: 'operator', method: 'GET', route: '/operator/v1/products/{id}', status: '4xx' };
    assert.equal(await growth(REQUESTS, route, () => scene.operator.getProduct(999_999)), 1);
  });

  test('paths that are no routes have one series, whatever clients send', async () => {
    const unknown = { listener: 'buyer', method: 'any', route: 'none', status: '4xx' };
    const ask = async () => {
      for (const path of ['/nothing', '/%22%5C%0a%7B%7D', `/${'x'.repeat(500)}`]) {
        await scene.buyers.raw('GET', path);
      }
    };
    assert.equal(await growth(REQUESTS, unknown, ask), 3);
    assert.doesNotMatch(await text(), /nothing|xxxxx/);
  });

  test('a sale counts units and USDT of its product and in all; only what can run out has stock, and is active', async () => {
    const { apiKey } = await scene.buyer();
    const productId = await scene.product({ stock: 5, priceUsdt: 0.07 });
    const [manual, retired] = [
      await scene.product({ type: 'manual' }),
      await scene.product({ stock: 2, active: false }),
    ];
    const product = { product: String(productId) };
    const buy = () => scene.buy({ apiKey }, productId, 3, 0.21);
    const allUnits = sumOf(await text(), 'purser_sold_units_total');
    assert.equal(await growth('purser_product_stock', product, buy), -3);
    const shown = await text();
    assert.equal(sumOf(shown, 'purser_product_sold_units_total', product), 3);
    assert.equal(sumOf(shown, 'purser_product_sold_usdt_total', product), 0.21);
    assert.equal(sumOf(shown, 'purser_sold_units_total'), allUnits + 3);
    assert.match(shown, new RegExp(`purser_product_sold_units_total\\{product="${manual}"\\} 0`));
    assert.doesNotMatch(
      shown,
      new RegExp(`purser_product_stock\\{product="${manual}"\\}|product="${retired}"`),
    );
  });
});
