/** The screens Orders, order and To deliver, and what Overview says of it, in a real browser with a real node. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { ok } from '../../support/operator-client.ts';
import { act, consoleForTests, fillIn, IN_BROWSER, settled } from './console-under-test.ts';

const HOSTILE = '<b>CODE</b>-"1"';
const PRICE_USDT = 2;
/** A script that replaces texts as the translators of browsers do, now and with all that comes. */
const REPLACER = `{
  const replace = (node) => {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    if (node.nodeType === Node.TEXT_NODE) texts.push(node);
    for (const text of texts) {
      if (!text.data.trim() || !text.parentNode || text.parentElement.closest('font')) continue;
      const font = document.createElement('font');
      font.append(document.createElement('font'));
      font.firstChild.append(text.data);
      text.replaceWith(font);
    }
  };
  replace(document.body);
  new MutationObserver((records) => records.forEach(({ addedNodes }) => addedNodes.forEach(replace)))
    .observe(document.body, { childList: true, subtree: true });
}`;

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

  async function bought(productId: number, quantity: number): Promise<number> {
    const { orderId = 0 } = await ok(shop.operator.openOrder({ accountId: 1, productId, quantity }));
    await ok(shop.operator.moveOrder(orderId, 'pay', {}));
    return orderId;
  }

  it('are searched for a text as something else, and it is in the address only when an order has it', async () => {
    const page = await shop.tab({ hash: '#/orders' });
    const search = page.getByLabel('Search orders');
    const none = page.getByText('No order is like this.');
    for (const [way, text, words] of [
      ['Recipient', 'CODE-2', 'A recipient has letters'],
      ['Request id', 'CODE-2', 'A request id is like'],
      ['Idempotency key', 'CODE-2', 'No order is like this.'],
    ] as const) {
      await page.goto(`${shop.origin}/console#/orders?accountId=1`);
      await page.getByLabel('Search by').selectOption(way);
      await search.fill(text);
      await search.press('Enter');
      await page.getByText(words).waitFor();
      await settled(page);
      assert.ok(!page.url().includes(text), page.url());
    }
    await page.goBack();
    await page.getByLabel('Search by').selectOption('Whatever it is');
    await search.fill('1');
    await page.waitForURL(/search=1&by=id|by=id&search=1/);
    await none.waitFor({ state: 'detached' });
    await search.press('Enter');
    await page.evaluate('new Promise((done) => setTimeout(done))');
    await page.reload();
    await page.getByRole('link', { name: '1', exact: true }).waitFor();
  });

  it('are saved as CSV, those that the filters show, in times of the own zone', async () => {
    const page = await shop.tab({ hash: '#/orders?productId=1', timezoneId: 'Asia/Tokyo' });
    const button = page.getByRole('button', { name: 'Download CSV' });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    assert.equal(download.suggestedFilename(), 'orders.csv');
    const [head = '', ...lines] = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n');
    assert.match(head, /^orderId,createdAt,/);
    assert.deepEqual(
      lines.map((line) => line.split(',')[3]),
      ['1', '1'],
    );
    for (const line of lines) assert.match(line, /^\d+,\S+\+09:00,.*,Asia\/Tokyo$/);
    // Orders by number are asked for one by one.
    await page.goto(`${shop.origin}/console#/orders?search=1&by=id`);
    await page.getByRole('link', { name: '1', exact: true }).waitFor();
    await button.waitFor({ state: 'detached' });
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

  it('are refunded once, though the first answer got lost', async () => {
    const page = await shop.tab({ hash: '#/orders/2', expected: /net::ERR_CONNECTION_RESET/ });
    const keys: (string | undefined)[] = [];
    await page.route('**/orders/2/refund', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    await act(page, 'Refund', { 'Amount in USDT': '0.25', Reason: 'slow' });
    await page.getByRole('status').filter({ hasText: 'refunded before, and is not again' }).waitFor();
    assert.equal(keys.length, 2);
    assert.equal(keys[1], keys[0]);
    assert.equal((await ok(shop.operator.getOrder(2))).refundedUsdt, 0.25);
  });

  it('get new items for bad ones, and are refunded in whole', async () => {
    const page = await shop.tab({ hash: '#/orders/2' });
    await act(page, 'Replace items', { Items: '0', Reason: 'it was used' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show items' }).click();
    await page.getByText('CODE-4', { exact: true }).waitFor();
    await act(page, 'Refund', { Reason: 'the rest' });
    await page.getByRole('status').filter({ hasText: '2.00 USDT in all' }).waitFor();
    await page.getByText('refunded', { exact: true }).first().waitFor();
  });

  it('are refunded by items that were ticked', async () => {
    await ok(shop.operator.addStock(1, ['TICKED-0', 'TICKED-1', 'TICKED-2']));
    const orderId = await bought(1, 3);
    const page = await shop.tab({ hash: `#/orders/${orderId}` });
    const delivery = page.getByRole('region', { name: 'Delivery' });
    for (const place of [2, 0]) await delivery.getByLabel(`Item ${place}`).check();
    await delivery.getByText('2 ticked').waitFor();
    await page.getByRole('button', { name: 'Refund' }).click();
    await page.getByText(`purser order refund ${orderId} --items 0,2 --reason …`, { exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Refund' }).click();
    assert.equal((await ok(shop.operator.getOrder(orderId))).refundedUsdt, undefined, 'it needs a reason');
    await page.getByLabel('Reason').fill('dead');
    await page.getByRole('dialog').getByRole('button', { name: 'Refund' }).click();
    await page.getByRole('status').filter({ hasText: '4.00 USDT in all' }).waitFor();
    const refunded = delivery.getByRole('listitem').filter({ hasText: 'refunded' });
    await refunded.nth(1).waitFor();
    assert.equal(await refunded.filter({ hasText: /^1/ }).count(), 0);
    assert.equal(await delivery.getByText('ticked').count(), 0, 'so that none is refunded again');
  });

  it('that wait for a person are delivered one after the other, by the keyboard', async () => {
    const page = await shop.tab({ hash: '#/overview' });
    const attention = page.getByRole('region', { name: 'Needs somebody' }).getByRole('listitem');
    const row = attention.filter({ hasText: 'To deliver by hand' });
    await row.getByText('3', { exact: true }).waitFor();
    await row.getByRole('link').press('Enter');
    await page.getByRole('heading', { name: 'To deliver', level: 1 }).waitFor();
    await page.getByText('1 of 3').waitFor();
    await page.getByRole('button', { name: 'Complete delivery' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Complete delivery' });
    await dialog.getByLabel('Items').fill('made by hand');
    await page.keyboard.press('Control+Enter');
    await page.getByText('1 of 2').waitFor();
    await ok(shop.operator.moveOrder(4, 'fail', {}));
    await page.getByText('1 of 1').waitFor();
    await page.getByRole('button', { name: 'Fail' }).press('Enter');
    await page.getByRole('dialog', { name: 'Fail' }).getByRole('button', { name: 'Fail' }).click();
    await page.getByText('Nothing waits for you.').waitFor();
    const statuses = [3, 4, 5].map(async (id) => (await ok(shop.operator.getOrder(id))).status);
    assert.deepEqual(await Promise.all(statuses), ['completed', 'failed', 'failed']);
  });

  it('are opened, and paid for later', async () => {
    await ok(shop.operator.addStock(1, ['PAID-LATER']));
    const page = await shop.tab({ hash: '#/orders?open=New+order' });
    const dialog = page.getByRole('dialog', { name: 'New order' });
    await fillIn(page, { Account: '1', Product: '1', Recipient: '@anna_77', Reason: 'by the bot' });
    await page
      .getByText("purser order open 1 1 --quantity 1 --recipient @anna_77 --reason 'by the bot'")
      .waitFor();
    await dialog.getByRole('button', { name: 'New order' }).click();
    await page.getByText('not yet: the price is that of the payment').waitFor();
    await act(page, 'Pay');
    await page
      .getByRole('status')
      .filter({ hasText: /is paid: completed\.$/ })
      .waitFor();
    await page.getByRole('button', { name: 'Show items' }).waitFor();
    assert.equal(page.url().includes('open='), false);
  });

  it('are told as they are, whatever replaces the texts of the page', async () => {
    await ok(shop.operator.addStock(1, ['TOLD-0', 'TOLD-1']));
    const orderId = await bought(1, 2);
    const page = await shop.tab({ hash: `#/orders/${orderId}` });
    assert.equal(await page.locator('html[translate=no]').count(), 1);
    await page.evaluate(REPLACER);
    await ok(shop.operator.adjustOrder(orderId, 'refund', { amountUsdt: 0.25 }, 'a part'));
    await page.locator('font', { hasText: '0.25' }).first().waitFor();
    await page.getByRole('button', { name: 'Refund' }).click();
    await page.getByRole('dialog').getByText('3.75 USDT are left').waitFor();
    await ok(shop.operator.adjustOrder(orderId, 'refund', { amountUsdt: 1.5 }, 'another'));
    await page.getByRole('dialog').getByText('2.25 USDT are left').waitFor();
    await page.getByLabel('Amount in USDT').fill('2');
    await page.getByText(`purser order refund ${orderId} --amount 2`).waitFor();
    assert.equal(await page.getByText('3.75').count(), 0);
    assert.match((await page.locator('#console').innerText()).replaceAll(/\s+/g, ' '), /1\.75/);
  });
});
