/** Price lists and own prices, in a real browser with a real node. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ok } from '../../support/operator-client.ts';
import { act, consoleForTests, fillIn, focusGoesTo, IN_BROWSER } from './console-under-test.ts';

describe('prices in the console', IN_BROWSER, () => {
  const shop = consoleForTests();
  before(async () => {
    for (const name of ['First reseller', 'Second reseller']) await ok(shop.operator.createAccount({ name }));
    for (const name of ['Game card', 'Streaming month'])
      await ok(shop.operator.createProduct({ name, priceUsdt: 10 }));
    await ok(shop.operator.credit(1, 100, 'paid'));
    await ok(shop.operator.addStock(1, ['CODE-1']));
  });

  const get = async (path: string) => JSON.parse((await shop.operator.json('GET', path)).text);
  const send = (method: string, path: string, body: unknown) => ok(shop.operator.json(method, path, body));

  it('have lists that are made, renamed and given a percent, with the command lines that do the same', async () => {
    const page = await shop.tab({ hash: '#/price-lists' });
    await page.getByText('There are no price lists').waitFor();
    await page.getByRole('button', { name: 'New price list' }).click();
    await fillIn(page, { Name: 'Gold "one"', Percent: '−12.5' });
    await page.getByText(`purser price-list create --name 'Gold "one"' --percent -12.5`).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'New price list' }).click();
    await page.getByRole('heading', { name: 'Price list 1', level: 1 }).waitFor();
    await page.getByText('cost what they cost everybody, 12.5 % off').waitFor();
    await page.getByRole('button', { name: 'Change price list' }).click();
    await fillIn(page, { Name: 'Gold', Percent: '' });
    await page.getByText('purser price-list update 1 --name Gold --percent none').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Change price list' }).click();
    await page.getByText('cost what they cost everybody', { exact: true }).waitFor();
    const { name, percent } = await get('/price-lists/1');
    assert.deepEqual([name, percent], ['Gold', null]);
    await page.getByRole('link', { name: 'Price lists' }).click();
    await page.getByRole('row', { name: /Gold/ }).getByText('none').waitFor();
  });

  it('of a list are set with volume prices, changed and removed', async () => {
    const page = await shop.tab({ hash: '#/price-lists/1', expected: /status of 40[04]/ });
    const dialog = page.getByRole('dialog');
    await page.getByText('It names no product.').waitFor();
    await page.getByRole('button', { name: 'Set price' }).click();
    await fillIn(page, { Product: '1', 'Price in USDT': '9' });
    await dialog.getByRole('button', { name: 'Add volume price' }).click();
    await fillIn(page, { From: '10', 'USDT each': '8.125' });
    await dialog.getByText('purser price-list set 1 1 --price 9 --tier 10:8.125').waitFor();
    await dialog.getByRole('button', { name: 'Set price' }).click();
    const row = page.getByRole('table', { name: 'Prices' }).getByRole('row').nth(1);
    await row.getByText('from 10: 8.125').waitFor();
    await row.getByText('Game card').waitFor();

    await row.getByRole('button', { name: 'Change the price of product 1' }).click();
    await dialog.getByRole('button', { name: 'Remove volume price 1' }).click();
    // The node's refusal stands at the field, until that is changed.
    await fillIn(page, { 'Price in USDT': '8.123' });
    await dialog.getByRole('button', { name: 'Change' }).click();
    const refusal = dialog.getByRole('alert').getByText('Price in USDT must have at most 2 decimals.');
    await refusal.waitFor();
    await focusGoesTo(page, 'Price in USDT');
    await fillIn(page, { 'Price in USDT': '8.5' });
    await refusal.waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Change' }).click();
    await row.getByText('8.50').waitFor();
    const { prices } = await get('/price-lists/1');
    assert.deepEqual(prices, [{ productId: 1, priceUsdt: 8.5, priceTiers: [] }]);

    await row.getByRole('button', { name: 'Remove the price of product 1' }).click();
    await dialog.getByText('purser price-list unset 1 1').waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('It names no product.').waitFor();
    await act(page, 'Set price', { Product: '99', 'Price in USDT': '1' });
    await dialog.getByRole('alert').getByText(/^req_/).waitFor();
  });

  it('of an account are set and removed, and it is said what it would pay, and by which rule', async () => {
    await send('PATCH', '/accounts/1', { priceListId: 1 });
    await send('PATCH', '/price-lists/1', { percent: -10 });
    await ok(shop.operator.openOrder({ accountId: 1, productId: 1, quantity: 1 }));
    await ok(shop.operator.moveOrder(1, 'pay', {}));
    const page = await shop.tab({ hash: '#/orders/1', expected: /status of 404/ });
    await page
      .getByRole('region', { name: 'Money' })
      .getByText('the percent of the price list 1 Gold')
      .waitFor();
    await page.goto(`${shop.origin}/console#/accounts/1`);
    const question = page.getByRole('region', { name: 'What would it cost?' });
    const ask = async (product: string, quantity: string) => {
      await question.getByLabel('Product id').fill(product);
      await question.getByLabel('Quantity').fill(quantity);
      await question.getByRole('button', { name: 'Show price' }).click();
    };
    const answers = async (texts: readonly string[]) => {
      for (const text of texts) await question.getByText(text, { exact: true }).waitFor();
    };
    await ask('1', '50');
    await answers(['450.00', '9.00', 'yes', 'purser price explain --account 1 --product 1 --quantity 50']);
    await question.getByText('1 Gold: 10 % off').waitFor();
    // The answer follows what is changed meanwhile.
    await send('PUT', '/price-lists/1/prices/1', { priceUsdt: 9.5 });
    await answers(['475.00']);
    await question.getByText('the price list 1 Gold').waitFor();
    await act(page, 'Set price', { Product: '1', 'Price in USDT': '4.2' });
    await answers(['210.00', 'the account’s own price']);
    const own = page.getByRole('table', { name: 'Own prices' });
    await own.getByText('4.20').waitFor();
    await own.getByRole('button', { name: 'Remove the price of product 1' }).click();
    await page.getByText('purser price unset 1 1').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('It has no own prices.').waitFor();
    await send('PATCH', '/accounts/1', { priceListId: null });
    await answers(['500.00', 'the product’s price']);
    await send('PATCH', '/products/1', { visibility: 'listed' });
    await answers(['no: it is not on sale, or not for this account']);
    await ask('99', '1');
    await question.getByRole('alert').getByText(/^req_/).waitFor();
    await send('DELETE', '/price-lists/1/prices/1', {});
  });

  it('have a list that names its accounts, and is deleted when it has none', async () => {
    await send('PATCH', '/accounts/2', { priceListId: 1 });
    const page = await shop.tab({ hash: '#/price-lists/1', expected: /status of 40[49]/ });
    const accounts = page.getByRole('table', { name: 'Accounts with this list' });
    await accounts.getByText('Second reseller').waitFor();
    assert.equal(await accounts.getByText('First reseller').count(), 0);
    await page.getByRole('button', { name: 'Delete price list' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 account buys by Gold').waitFor();
    await dialog.getByRole('button', { name: 'Delete price list' }).click();
    await dialog.getByRole('alert').getByText('1 account has it').waitFor();
    await send('PATCH', '/accounts/2', { priceListId: null });
    await dialog.getByText('No account has it.').waitFor();
    await dialog.getByRole('button', { name: 'Delete price list' }).click();
    await page.getByRole('heading', { name: 'Price lists', level: 1 }).waitFor();
    await page.getByText('There are no price lists').waitFor();
  });
});
