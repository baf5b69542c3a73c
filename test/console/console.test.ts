/**
 * The console in a real browser, in short: a tab signs in, shows every screen without a fault, and takes a new shop from
 * nothing to an order that is refunded. Each screen by itself: `test/suites/console/`.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import {
  act,
  assertFits,
  consoleForTests,
  IN_BROWSER,
  settled,
} from '../suites/console/console-under-test.ts';
import { BuyerClient } from '../support/buyer-client.ts';
import { OPERATOR_TOKEN } from '../support/nodes/purser-process.ts';
import { ok } from '../support/operator-client.ts';

const SCREENS = [
  ...['Overview', 'Accounts', 'Deposits', 'Products', 'Price lists', 'Orders', 'To deliver', 'Suppliers'],
  ...['Webhooks', 'Audit', 'Operators', 'Node'],
];
const PURCHASE = { productId: 1, quantity: 1, expectedPriceUsdt: 9.5 };
const HOSTILE = '<img src=x onerror=alert(1)> "quoted" & \u202Eevil';

describe('the console', IN_BROWSER, () => {
  const shop = consoleForTests();

  const go = (page: Page, name: string) =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

  it('is signed in to by a token, which it does not keep, and has a link to each screen', async () => {
    const page = await shop.tab({ token: '', hash: '#/accounts', expected: /status of 401/ });
    await page.getByLabel('Operator token').fill('nonsense');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText(/^req_/).waitFor();
    await page.getByLabel('Operator token').fill(OPERATOR_TOKEN);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
    const stored = String(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })'));
    assert.match(stored, /pos_/);
    assert.ok(!stored.includes(OPERATOR_TOKEN));
    assert.equal(await page.evaluate('document.cookie'), '');
    for (const name of SCREENS) {
      await go(page, name);
      await page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
      await settled(page);
      assert.equal(await page.title(), `${name} · Purser`);
      await assertFits(page);
    }
    await page.goBack();
    await page.getByRole('heading', { name: 'Operators', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Operators', level: 1 }).waitFor();
  });

  it('leads from an empty shop to a sold item, which is refunded', async () => {
    const page = await shop.tab({ hash: '#/overview' });
    const steps = page.getByRole('region', { name: 'Sell the first item' });
    const dialog = page.getByRole('dialog');
    await steps.getByRole('link', { name: 'New product' }).click();
    await dialog.getByLabel('Name').fill(HOSTILE);
    await dialog.getByLabel('Price in USDT').fill('9.5');
    await dialog.getByRole('button', { name: 'New product' }).click();
    await page.getByRole('heading', { name: 'Product 1', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Import stock' }).click();
    const codes = { name: 'codes.txt', mimeType: 'text/plain', buffer: Buffer.from('code-1\ncode-2\n') };
    await dialog.getByLabel('Stock file').setInputFiles(codes);
    await dialog.getByText('2 items').waitFor();
    await dialog.getByRole('button', { name: 'Import stock' }).click();
    await page.getByRole('status').filter({ hasText: 'Added 2 items' }).waitFor();

    await go(page, 'Overview');
    await steps.getByRole('link', { name: 'New account' }).click();
    await dialog.getByLabel('Name').fill('First reseller');
    await dialog.getByRole('button', { name: 'New account' }).click();
    await page.getByRole('heading', { name: 'Account 1', level: 1 }).waitFor();
    await act(page, 'Add credit', { 'Amount in USDT': '20', Reference: 'bank-1', Reason: 'paid' });
    await page.getByRole('region', { name: 'Wallet' }).getByText('20.00').waitFor();
    await page.getByLabel('Product id').fill('1');
    await page.getByRole('button', { name: 'Show price' }).click();
    await page.getByText('the product’s price', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Issue key' }).click();
    await dialog.getByRole('button', { name: 'Issue key' }).click();
    const key = await dialog.getByLabel('API key', { exact: true }).inputValue();
    await dialog.getByRole('button', { name: 'Close' }).click();

    await go(page, 'Overview');
    await steps.waitFor();
    const buyers = new BuyerClient(shop.node.buyerUrl);
    const { status, text } = await buyers.purchase(key, 'first', PURCHASE);
    assert.equal(status, 201, text);
    buyers.close();
    await steps.waitFor({ state: 'detached' });
    await page.goto(`${shop.origin}/console#/orders/1`);
    await act(page, 'Refund', { Reason: 'it was late' });
    await page.getByRole('status').filter({ hasText: '9.50 USDT in all' }).waitFor();
    await page.getByText('refunded', { exact: true }).first().waitFor();
    const { balanceUsdt } = await ok(shop.operator.getAccount(1));
    assert.equal(balanceUsdt, 20);
  });
});
