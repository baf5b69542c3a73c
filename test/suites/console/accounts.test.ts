/** The screens Accounts and account, in a real browser with a real node. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import type { Route } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { act, consoleForTests, fillIn, focusGoesTo, IN_BROWSER } from './console-under-test.ts';

const HOSTILE = '<img src=x onerror=alert(1)> "quoted" & \u202Eevil';

describe('accounts in the console', IN_BROWSER, () => {
  const shop = consoleForTests();
  before(async () => {
    for (const name of ['First reseller', HOSTILE, 'Third reseller'])
      await ok(shop.operator.createAccount({ name }));
  });

  it('are listed, found by a part of a name, and the search is in the address', async () => {
    const page = await shop.tab({ hash: '#/accounts' });
    await page.getByRole('row').nth(3).waitFor();
    assert.ok(await page.getByText(HOSTILE, { exact: true }).isVisible(), 'a name is text');
    await page.getByLabel('Search accounts').fill('THIRD');
    await page.waitForURL(/#\/accounts\?search=THIRD$/);
    await page.getByRole('row', { name: 'Third reseller' }).waitFor();
    await page.getByText('First reseller').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '3', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Account 3', level: 1 }).waitFor();
    await page.goBack();
    assert.equal(await page.getByLabel('Search accounts').inputValue(), 'THIRD');
  });

  it('are credited once for a reference, with the command line that does the same', async () => {
    const page = await shop.tab({ hash: '#/accounts/1', expected: /status of 409/ });
    await page.getByRole('button', { name: 'Add credit' }).click();
    await fillIn(page, { 'Amount in USDT': '250.5', Reference: "bank's 4711", Reason: 'paid' });
    await page
      .getByText(`purser wallet credit 1 250.5 --reference 'bank'\\''s 4711' --reason paid`)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Add credit' }).click();
    await page.getByRole('region', { name: 'Wallet' }).getByText('250.50').waitFor();
    await page.getByRole('table', { name: 'Statement' }).getByText('+250.50').waitFor();
    await page.getByRole('table', { name: 'What operators did' }).getByText('WalletCredited').waitFor();

    await act(page, 'Add credit', { 'Amount in USDT': '9', Reference: "bank's 4711", Reason: 'again' });
    const alert = page.getByRole('dialog').getByRole('alert');
    await alert.getByText(/^req_\d+_\d+$/).waitFor();
    const isInDialog = "document.activeElement.closest('dialog') !== null";
    await eventually('the focus is in the dialog again', async () => await page.evaluate(isInDialog));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await focusGoesTo(page, 'Add credit');
  });

  it('have a statement as CSV, for programs or for spreadsheets, in times of the own zone', async () => {
    await ok(shop.operator.credit(2, 3, '00123'));
    const page = await shop.tab({ hash: '#/accounts/2', timezoneId: 'Asia/Tokyo' });
    await page.getByText('Times are of Asia/Tokyo').waitFor();
    for (const [button, name, reference] of [
      ['Download CSV', 'statement-2.csv', ',00123,'],
      ['CSV for spreadsheets', 'statement-2-excel.csv', ',"=""00123""",'],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: button }).click(),
      ]);
      assert.equal(download.suggestedFilename(), name);
      const text = readFileSync(await download.path(), 'utf8');
      assert.ok(text.includes(reference), text);
      assert.match(text, /\+09:00,credit,.*,Asia\/Tokyo\r\n/);
    }
  });

  it('get a key, which is shown once and works, and can be switched off', async () => {
    const page = await shop.tab({ hash: '#/accounts' });
    await page.getByRole('link', { name: '3', exact: true }).click();
    const issuing = new Promise<Route>((resolve) => {
      void page.route('**/accounts/3/key', resolve, { times: 1 });
    });
    await act(page, 'Issue key');
    const request = await issuing;
    await page.evaluate('history.back()');
    await page.getByRole('dialog').getByText('Issue key is under way.').waitFor();
    await request.continue();
    const key = await page.getByLabel('API key', { exact: true }).inputValue();
    const balance = () => fetch(`${shop.node.buyerUrl}/balance`, { headers: { 'x-api-key': key } });
    assert.equal((await balance()).status, 200);
    await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click();
    // Outside of the dialog nothing is read out.
    const said = page.getByRole('dialog').getByRole('status');
    await said.getByText(/^Copied: API key$|does not allow/).waitFor();
    // A browser closes what it can on the second.
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    // Another screen before this one, so that there is something to go back to.
    for (let times = 0; times < 2; times += 1) await page.evaluate('history.back()');
    await said.getByText('no other answer shows this API key again').waitFor();
    const [question] = await Promise.all([
      page.waitForEvent('dialog'),
      page.evaluate('setTimeout(() => location.reload())'),
    ]);
    assert.equal(question.type(), 'beforeunload');
    await question.dismiss();
    assert.equal(await page.getByLabel('API key', { exact: true }).inputValue(), key);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByText(key.slice(0, 20)).waitFor();
    assert.equal(await page.getByText(key).count(), 0);
    assert.match(page.url(), /#\/accounts\/3$/);
    await act(page, 'Deactivate key', { Reason: 'stolen' });
    await page.getByText('deactivated').first().waitFor();
    assert.equal((await balance()).status, 401);
    await act(page, 'Activate key');
    await page.getByRole('button', { name: 'Deactivate key' }).waitFor();
    assert.equal((await balance()).status, 200);
  });

  it('get names, a price list and limits, and are told at the field what can be none', async () => {
    const page = await shop.tab({ hash: '#/accounts/1', expected: /status of 4(00|09)/ });
    const dialog = page.getByRole('dialog');
    await ok(shop.operator.json('POST', '/price-lists', { name: 'Gold', percent: -10 }));
    await ok(shop.operator.json('PATCH', '/accounts/2', { externalId: 'telegram:2' }));
    await page.getByRole('button', { name: 'Change account' }).click();
    await fillIn(page, { 'External id': 'telegram:2', 'Price list': '1', 'Requests a minute': '' });
    await dialog
      .getByText('purser account update 1 --external-id telegram:2 --price-list 1 --rate-limit none')
      .waitFor();
    await dialog.getByRole('button', { name: 'Change account' }).click();
    await dialog.getByRole('alert').getByText('Account 2 has it. Choose another.').waitFor();
    await focusGoesTo(page, 'External id');
    await fillIn(page, { 'External id': 'telegram:1' });
    await dialog.getByRole('button', { name: 'Change account' }).click();
    const settings = page.getByRole('region', { name: 'Settings' });
    for (const text of ['telegram:1', '1 Gold', 'no limit'])
      await settings.getByText(text, { exact: true }).first().waitFor();

    await page.getByRole('button', { name: 'Change limits' }).click();
    await dialog.getByRole('button', { name: 'Add spend limit' }).click();
    await fillIn(page, {
      Hours: '24',
      'USDT at most': '100.5',
      'Allowed networks': '192.0.2.0/24\n10.0.0.0/33',
    });
    await dialog
      .getByText('purser account update 1 --spend-limit 24:100.5 --allowed-networks 192.0.2.0/24,10.0.0.0/33')
      .waitFor();
    await dialog.getByRole('button', { name: 'Change limits' }).click();
    await dialog.getByRole('alert').getByText('Line 2 must be an address or a network').waitFor();
    await focusGoesTo(page, 'Allowed networks');
    await fillIn(page, { 'Allowed networks': '192.0.2.0/24\n::1' });
    await dialog.getByRole('button', { name: 'Change limits' }).click();
    const limits = page.getByRole('region', { name: 'Limits' });
    for (const text of ['100.50 in any 24 hours', '192.0.2.0/24', '::1'])
      await limits.getByText(text).waitFor();
    const { externalId, priceListId, rateLimitPerMinute, spendLimits, allowedNetworks } = JSON.parse(
      (await shop.operator.getAccount(1)).text,
    );
    assert.deepEqual([externalId, priceListId, rateLimitPerMinute], ['telegram:1', 1, null]);
    assert.deepEqual(spendLimits, [{ windowHours: 24, amountUsdt: 100.5 }]);
    assert.deepEqual(allowedNetworks, ['192.0.2.0/24', '::1']);

    await page.getByRole('button', { name: 'Change limits' }).click();
    await dialog.getByRole('button', { name: 'Remove spend limit 1' }).click();
    await fillIn(page, { 'Allowed networks': '' });
    await dialog.getByText('purser account update 1 --no-spend-limit --allowed-networks none').waitFor();
    await dialog.getByRole('button', { name: 'Change limits' }).click();
    await limits.getByText('anywhere').waitFor();

    await page.goto(`${shop.origin}/console#/accounts`);
    await page.getByRole('button', { name: 'New account' }).click();
    await fillIn(page, { Name: 'Another', 'External id': 'telegram:1' });
    await dialog.getByText('purser account create --name Another --external-id telegram:1').waitFor();
    await dialog.getByRole('button', { name: 'New account' }).click();
    await page.getByRole('status').getByText('Account 1 is there already: First reseller').waitFor();
    await page.goBack();
    await page.getByLabel('External id').fill('telegram:1');
    await page.getByText('Third reseller').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /First reseller/ }).waitFor();
  });
});
