/** The screen Overview, in a real browser: a new shop up to its first sold item, and what it shows of one that sells. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ok } from '../../support/operator-client.ts';
import { assertWellShown, consoleForTests, IN_BROWSER, LOOKS } from './console-under-test.ts';

const HOSTILE = '<img src=x onerror=alert(1)> "quoted" & \u202Eevil';

describe('the overview in the console', IN_BROWSER, () => {
  const shop = consoleForTests();

  const steps = (page: Page) => page.getByRole('region', { name: 'Sell the first item' });

  it('shows who may not change anything what is to be done, without a way there', async () => {
    const page = await shop.tab({ hash: '#/overview', token: await shop.operatorWith('viewer') });
    await steps(page).getByText('New product').waitFor();
    assert.equal(await steps(page).getByRole('link').count(), 0);
    await assertWellShown(page);
  });

  it('leads from an empty shop to a sold item', async () => {
    const page = await shop.tab({ hash: '#/overview' });
    const hrefOf = (name: string) => steps(page).getByRole('link', { name }).getAttribute('href');
    assert.equal(await hrefOf('New product'), '#/products?open=New+product');
    assert.equal(await steps(page).getByRole('link', { name: 'Import stock' }).count(), 0);
    await ok(shop.operator.createProduct({ name: HOSTILE, type: 'standard', priceUsdt: 9.5 }));
    await steps(page).getByRole('link', { name: 'Import stock' }).waitFor();
    assert.equal(await hrefOf('Import stock'), '#/products/1?open=Import+stock');
    await steps(page).getByRole('link', { name: 'Import stock' }).click();
    const stock = page.getByRole('dialog', { name: 'Import stock' });
    const codes = { name: 'codes.txt', mimeType: 'text/plain', buffer: Buffer.from('code-1\ncode-2\n') };
    await stock.getByLabel('Stock file').setInputFiles(codes);
    await stock.getByText('2 items').waitFor();
    await stock.getByRole('button', { name: 'Import stock' }).click();
    await page.getByRole('status').filter({ hasText: 'Added 2 items' }).waitFor();
    assert.match(page.url(), /#\/products\/1\?lot=\d+$/);
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
    await steps(page).getByRole('link', { name: 'New account' }).click();
    await page.getByRole('dialog', { name: 'New account' }).getByLabel('Name').fill('First reseller');
    await page.getByRole('dialog').getByRole('button', { name: 'New account' }).click();
    await page.getByRole('heading', { name: 'Account 1', level: 1 }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
    await steps(page).getByRole('link', { name: 'Add credit' }).click();
    const credit = page.getByRole('dialog', { name: 'Add credit' });
    await credit.getByLabel('Amount in USDT').fill('20');
    await credit.getByLabel('Reference').fill('bank-1');
    await credit.getByRole('button', { name: 'Add credit' }).click();
    await page.getByRole('region', { name: 'Wallet' }).getByText('20.00').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
    await steps(page).getByRole('link', { name: 'Issue key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Issue key' }).click();
    const key = await page.getByLabel('API key', { exact: true }).inputValue();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();

    await steps(page).getByLabel('API key').fill(key);
    const line = await steps(page).getByText(/^curl/).innerText();
    assert.ok(line.includes(key), line);
    assert.equal(await buyBy(line), 201);
    await steps(page).waitFor({ state: 'detached' });
    const sold = page.getByRole('region', { name: 'Your first order is there' });
    assert.equal(await sold.getByRole('link', { name: 'Order 1' }).getAttribute('href'), '#/orders/1');
    await assertWellShown(page);
    await page.getByRole('region', { name: 'Sales' }).getByText('9.50').first().waitFor();
  });

  it('says what needs somebody, each with its screen', async () => {
    const page = await shop.tab({ hash: '#/overview' });
    const attention = page.getByRole('region', { name: 'Needs somebody' });
    const row = (name: string) => attention.getByRole('listitem').filter({ hasText: name });
    await row('To deliver by hand').getByText('none').waitFor();
    await row('Backup').getByText('no continuous one').waitFor();
    await row('Disk')
      .getByText(/free of/)
      .waitFor();
    const { body } = await shop.operator.createProduct({ name: 'By hand', type: 'manual', priceUsdt: 1 });
    await ok(shop.operator.openOrder({ accountId: 1, productId: Number(body.productId) }));
    await ok(shop.operator.json('POST', '/orders/2/pay', {}));
    await row('To deliver by hand').getByText('1', { exact: true }).waitFor();
    await row('To deliver by hand').getByRole('link').press('Enter');
    await page.getByRole('heading', { name: 'To deliver', level: 1 }).waitFor();
  });

  it('counts refusals by their code', async () => {
    const { body } = await shop.operator.issueKey(1);
    const headers = { 'x-api-key': String(body.apiKey), 'idempotency-key': 'r-1' };
    const order = JSON.stringify({ productId: 1, quantity: 2, expectedPriceUsdt: 1 });
    const page = await shop.tab({ hash: '#/overview' });
    const refused = await fetch(`${shop.node.buyerUrl}/orders`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: order,
    });
    const { error } = (await refused.json()) as { error: string };
    const region = page.getByRole('region', { name: 'Refusals' });
    // The last hour is looked at every ten seconds.
    await region.getByText(error).waitFor();
    await region.getByRole('img', { name: /^Refusals a minute in the last hour/ }).waitFor();
  });

  it('shows stock that runs out, alerts that fire, and a backup that failed its drill', async () => {
    const page = await shop.tab();
    await page.route('**/operator/v1/overview', async (route) => {
      const json = await (await route.fetch()).json();
      json.stock = [{ productId: 1, name: HOSTILE, availableStock: 1, hoursOfCover: 6.5 }];
      json.backup = { lagSeconds: 90, drillOk: false, drillAgeSeconds: 7_200 };
      json.attention = {
        ...json.attention,
        webhooksFailing: 2,
        webhookEventsPending: 1_200,
        alertsFiring: 9,
      };
      await route.fulfill({ json });
    });
    await page.route('**/operator/v1/alerts', async (route) => {
      const json = await (await route.fetch()).json();
      const state = { class: 'operations', message: HOSTILE, since: Date.now() - 120_000, at: Date.now() };
      json.firing = Array.from({ length: 9 }, (_, index) => ({
        ...state,
        error: 'STOCK_LOW',
        productId: index + 1,
      }));
      json.firingCount = 9;
      json.recent = [1, 1, 2].map((productId) => ({
        ...state,
        error: 'RATE_LIMITED',
        message: `of ${productId}`,
      }));
      await route.fulfill({ json });
    });
    const cover = page.getByRole('table', { name: 'Stock that runs out' }).getByRole('row').nth(1);
    await cover.getByText('6.5 h').waitFor();
    assert.equal(await cover.getByRole('link', { name: HOSTILE }).getAttribute('href'), '#/products/1');
    await page.getByText('90 s').or(page.getByText('2 min behind')).first().waitFor();
    await page.getByText('failed 2 h ago').waitFor();
    await page.getByText('2, 1,200 events wait').waitFor();
    const alerts = page.getByRole('region', { name: 'Alerts', exact: true });
    await alerts.getByText('9 firing').waitFor();
    assert.equal(await alerts.getByText(HOSTILE).count(), 8);
    await assertWellShown(page);
    await alerts.getByRole('link', { name: 'Latest alerts' }).click();
    await page.getByRole('region', { name: 'Latest alerts' }).getByText('2 times').waitFor();
    assert.equal(
      await page.getByRole('region', { name: 'Alerts', exact: true }).getByText(HOSTILE).count(),
      9,
    );
  });

  it('counts a minute that goes on with what it has had so far', async () => {
    const page = await shop.tab();
    await page.route('**/operator/v1/overview', async (route) => {
      const json = await (await route.fetch()).json();
      const minute = { at: 0, seconds: 60.1, orders: 3, units: 3, usdt: 30, refusals: 2, p50Ms: 1, p99Ms: 9 };
      const begun = { ...minute, seconds: 6, orders: 1, units: 1, usdt: 9.5, refusals: 4 };
      json.minutes = [minute, begun];
      json.refusals = [{ error: 'OUT_OF_STOCK', count: 6, lastHour: 6 }];
      await route.fulfill({ json });
    });
    const panel = (name: string) => page.getByRole('region', { name, exact: true });
    const chart = (name: string) => panel(name).getByRole('img').getAttribute('aria-label');
    await panel('Sales').getByText('39.50').waitFor();
    assert.match(String(await chart('Sales')), /: 9\.50 in this one so far, 30\.00 at most$/);
    await panel('Sales').getByText('at most 30.00').waitFor();
    await panel('Refusals').getByText('6', { exact: true }).first().waitFor();
    assert.match(String(await chart('Refusals')), /: 4 in this one so far, 4 at most$/);
    assert.match(String(await chart('Purchases')), /: 0\.02 in this one so far, 0\.05 at most$/);
    await panel('Purchases').getByText('0.05 a second').waitFor();
  });

  for (const look of LOOKS)
    it(`fits and is accessible, ${look.width} pixels wide and ${look.colorScheme}`, async () => {
      const page = await shop.tab({ ...look, hash: '#/overview' });
      await page.getByRole('region', { name: 'Needs somebody' }).waitFor();
      await assertWellShown(page);
    });
});

/** Does what the curl line says, and answers the status: curl itself need not be here. */
async function buyBy(line: string): Promise<number> {
  const headers = Array.from(line.matchAll(/-H '([^:']+): ([^']*)'/g), ([, name = '', value = '']) => [
    name,
    value,
  ]);
  const [, body = ''] = /-d '([^']*)'/.exec(line) ?? [];
  const [url = ''] = /http:\S+$/.exec(line) ?? [];
  const { status } = await fetch(url, { method: 'POST', headers: Object.fromEntries(headers), body });
  return status;
}
