/** The screens Orders, order and To deliver, in a real browser with a real node. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ok } from '../support/operator-client.ts';
import { act, assertWellShown, consoleForTests, IN_BROWSER, settled } from './console-under-test.ts';

const HOSTILE = '<b>CODE</b>-"1"';
const PRICE_USDT = 2;

describe('orders in the console', IN_BROWSER, () => {
  const shop = consoleForTests();
  before(async () => {
    const { operator } = shop;
    await ok(operator.createAccount({ name: 'A reseller' }));
    await ok(operator.credit(1, 1_000, 'paid'));
    await ok(operator.createProduct({ name: 'Code', priceUsdt: PRICE_USDT }));
    await ok(operator.createProduct({ name: 'By hand', type: 'manual', priceUsdt: 5 }));
    await ok(operator.addStock(1, [HOSTILE, 'CODE-2', 'CODE-3', 'CODE-4', 'CODE-5']));
    await bought(1, 2);
    await bought(1, 1);
    for (let waiting = 0; waiting < 3; waiting += 1) await bought(2, 1);
  });

  async function bought(productId: number, quantity: number): Promise<void> {
    const { orderId = 0 } = await ok(shop.operator.openOrder({ accountId: 1, productId, quantity }));
    await ok(shop.operator.moveOrder(orderId, 'pay', {}));
  }

  it('are listed, the newest first, and by status, which is in the address', async () => {
    const page = await shop.tab({ hash: '#/orders' });
    const newest = page.getByRole('row').nth(1);
    await newest.getByRole('link', { name: '5', exact: true }).waitFor();
    await page.getByLabel('Status').selectOption('completed');
    await page.waitForURL(/#\/orders\?status=completed$/);
    await newest.getByRole('link', { name: '2', exact: true }).waitFor();
    await page.goBack();
    await newest.getByRole('link', { name: '5', exact: true }).waitFor();
  });

  it('are found by an item, whose text is not in the address', async () => {
    const page = await shop.tab({ hash: '#/orders' });
    await page.getByLabel('Search orders').fill('CODE-2');
    await page.getByLabel('Search orders').press('Enter');
    await page.getByRole('link', { name: '5', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '1', exact: true }).waitFor();
    assert.ok(!page.url().includes('CODE-2'), page.url());
  });

  it('are searched for a text once, though Enter follows a paste', async () => {
    const searches = async () =>
      (await shop.operator.json('GET', '/audit')).text.split('ItemsSearched').length;
    const before = await searches();
    const page = await shop.tab({ hash: '#/orders' });
    await page.getByLabel('Search orders').fill('CODE-3');
    await page.getByLabel('Search orders').press('Enter');
    await page.getByRole('link', { name: '5', exact: true }).waitFor({ state: 'detached' });
    await settled(page);
    assert.equal(await searches(), before + 1);
  });

  it('send no text that may be an item for a role that may not search for items', async () => {
    const token = await shop.operatorWith('finance');
    const page = await shop.tab({ hash: '#/orders', token });
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await page.getByLabel('Search orders').fill('CODE-2');
    await page.getByLabel('Search orders').press('Enter');
    await page.getByText('Your role may not search for items').waitFor();
    await settled(page);
    assert.deepEqual(
      [page.url(), ...sent].filter((url) => url.includes('CODE-2')),
      [],
    );
  });

  it('show their items when somebody asks, as text, and that goes on record', async () => {
    const page = await shop.tab({ hash: '#/orders/1' });
    const delivery = page.getByRole('region', { name: 'Delivery' });
    await delivery.getByRole('button', { name: 'Show items' }).waitFor();
    assert.equal(await page.getByText(HOSTILE).count(), 0);
    await delivery.getByRole('button', { name: 'Show items' }).click();
    await delivery.getByText(HOSTILE, { exact: true }).waitFor();
    const { text } = await shop.operator.json('GET', '/audit');
    assert.match(text, /ItemTextsShown/);
  });

  it('are refunded in part and in whole', async () => {
    const page = await shop.tab({ hash: '#/orders/1' });
    await act(page, 'Refund', { 'Amount in USDT': '0.5', Reason: 'one was late' });
    await page.getByRole('status').filter({ hasText: '0.50 USDT in all' }).waitFor();
    await act(page, 'Refund', { Reason: 'the rest' });
    await page.getByRole('status').filter({ hasText: '4.00 USDT in all' }).waitFor();
    await page.getByText('refunded', { exact: true }).first().waitFor();
  });

  it('get new items for bad ones', async () => {
    const page = await shop.tab({ hash: '#/orders/2' });
    await act(page, 'Replace items', { Items: '0', Reason: 'it was used' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show items' }).click();
    await page.getByText('CODE-4', { exact: true }).waitFor();
  });

  it('that wait for a person are delivered one after the other, by the keyboard', async () => {
    const page = await shop.tab({ hash: '#/deliveries' });
    await page.getByRole('heading', { name: 'To deliver', level: 1 }).waitFor();
    await page.getByText('1 of 3').waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Complete delivery' });
    await dialog.getByLabel('Items').fill('made by hand');
    await page.keyboard.press('Control+Enter');
    await page.getByText('1 of 2').waitFor();
    await ok(shop.operator.moveOrder(4, 'fail', {}));
    await page.getByText('1 of 1').waitFor();
    await page.keyboard.press('f');
    await page.getByRole('dialog', { name: 'Fail' }).getByRole('button', { name: 'Fail' }).click();
    await page.getByText('Nothing waits for you.').waitFor();
    const statuses = [3, 4, 5].map(async (id) => (await ok(shop.operator.getOrder(id))).status);
    assert.deepEqual(await Promise.all(statuses), ['completed', 'failed', 'failed']);
  });

  it('show a viewer no texts and no steps', async () => {
    const page = await shop.tab({ hash: '#/orders/2', token: await shop.operatorWith('viewer') });
    await page.getByText('Your role does not see texts.').waitFor();
    for (const name of ['Refund', 'Replace items', 'Show items'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
  });

  for (const [hash, width, colorScheme] of [
    ['#/orders', 390, 'dark'],
    ['#/orders/2', 390, 'dark'],
    ['#/orders/2', 1_600, 'light'],
    ['#/deliveries', 1_600, 'light'],
  ] as const) {
    it(`${hash} is accessible and fits ${width} px, ${colorScheme}`, async () => {
      const page = await shop.tab({ hash, width, colorScheme });
      await assertWellShown(page);
    });
  }
});
