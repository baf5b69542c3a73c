/** What GET /metrics counts of requests and sales, on either transport. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
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

  test('requests are counted by the pattern of their route, and by the class of their status', async () => {
    const { apiKey } = await scene.buyer({ balanceUsdt: 4 });
    const productId = await scene.product({ stock: 5 });
    const buy = (expectedPriceUsdt: number) =>
      scene.buyers.purchase(apiKey, freshIdempotencyKey(), { productId, expectedPriceUsdt });
    // Other cases buy at the same time.
    assert.ok((await growth(REQUESTS, { ...PURCHASE, status: '2xx' }, () => buy(3.5))) >= 1);
    assert.ok((await growth(REQUESTS, { ...PURCHASE, status: '4xx' }, () => buy(3.5))) >= 1);
    assert.ok((await growth(DURATIONS, PURCHASE, () => buy(1))) >= 1);
    const order = { listener: 'buyer', method: 'GET', route: '/api/v1/buyer/orders/{id}', status: '4xx' };
    const ask = async () => {
      for (const id of [999_999_990, 999_999_991]) await scene.buyers.order(apiKey, id);
    };
    assert.equal(await growth(REQUESTS, order, ask), 2);
  });

  test('paths that are no routes have one series, whatever clients send', async () => {
    const unknown = { listener: 'buyer', method: 'any', route: 'none', status: '4xx' };
    const ask = async () => {
      for (const path of ['/nothing', '/"\\\n{}'.replace('\n', '%0a'), `/${'x'.repeat(500)}`]) {
        await scene.buyers.raw('GET', encodeURI(path));
      }
    };
    const before = (await text()).split('\n').length;
    assert.equal(await growth(REQUESTS, unknown, ask), 3);
    const after = (await text()).split('\n').length;
    assert.ok(after - before < 100, 'the first answer without a route adds a histogram, others add nothing');
    assert.doesNotMatch(await text(), /nothing|xxxxx/);
  });

  test('operators’ requests are counted on their listener', async () => {
    const route = { listener: 'operator', method: 'GET', route: '/operator/v1/products/{id}' };
    assert.equal(
      await growth(REQUESTS, { ...route, status: '4xx' }, () => scene.operator.getProduct(999_999)),
      1,
    );
  });

  test('a sale counts units and USDT, of its product and in all, and takes from its stock', async () => {
    const { apiKey } = await scene.buyer();
    const productId = await scene.product({ stock: 5, priceUsdt: 0.07 });
    const product = { product: String(productId) };
    const body = { productId, quantity: 3, expectedPriceUsdt: 0.21 };
    const buy = () => scene.buyers.purchase(apiKey, freshIdempotencyKey(), body);
    const allUnits = sumOf(await text(), 'purser_sold_units_total');
    assert.equal(await growth('purser_product_stock', product, buy), -3);
    const shown = await text();
    assert.equal(sumOf(shown, 'purser_product_sold_units_total', product), 3);
    assert.equal(sumOf(shown, 'purser_product_sold_usdt_total', product), 0.21);
    assert.ok(sumOf(shown, 'purser_sold_units_total') >= allUnits + 3);
    assert.ok(sumOf(shown, 'purser_sold_usdt_total') > 0.2);
  });

  test('what can’t run out has no stock, and what isn’t active has no series', async () => {
    const manual = await scene.product({ type: 'manual' });
    const retired = await scene.product({ stock: 2, active: false });
    const shown = await text();
    assert.match(shown, new RegExp(`purser_product_sold_units_total\\{product="${manual}"\\} 0`));
    assert.doesNotMatch(shown, new RegExp(`purser_product_stock\\{product="${manual}"\\}`));
    assert.doesNotMatch(shown, new RegExp(`product="${retired}"`));
  });

  test('the journal’s groups, the disk and the event loop have figures, and the node is ready', async () => {
    const shown = await text();
    const groups = sumOf(shown, 'purser_journal_groups_total');
    assert.ok(groups > 0);
    assert.ok(sumOf(shown, 'purser_journal_sync_duration_seconds_count') >= groups);
    const facts = sumOf(shown, 'purser_journal_facts_total');
    assert.ok(sumOf(shown, 'purser_journal_group_facts_sum') >= facts);
    await eventually('the disk was looked at', async () => sumOf(await text(), 'purser_disk_free_bytes') > 0);
    await eventually(
      'the event loop was looked at',
      async () => sumOf(await text(), 'purser_event_loop_delay_seconds_count') > 0,
    );
    assert.equal(sumOf(shown, 'purser_ready'), 1);
    assert.equal(sumOf(shown, 'purser_build_info', { transport: scene.transport }), 1);
  });
});
