/** The frame of the console: the keyboard, the direction of texts, a node that goes away and comes back, and the documents' pages. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { consoleForTests, focusGoesTo, IN_BROWSER, settled } from './console-under-test.ts';

describe('the frame of the console', IN_BROWSER, () => {
  const shop = consoleForTests();
  before(async () => {
    for (const name of ['One', 'Two', 'Three']) await ok(shop.operator.createAccount({ name }));
  });

  it('goes by the keyboard', async () => {
    const page = await shop.tab();
    await page.getByRole('navigation').getByRole('link', { name: 'Accounts' }).press('Enter');
    await focusGoesTo(page, 'Accounts');
    await page.getByRole('link', { name: '1', exact: true }).waitFor();
    for (const name of ['New account', 'Search accounts', 'External id', '1']) {
      await page.keyboard.press('Tab');
      await focusGoesTo(page, name);
    }
    await page.keyboard.press('End');
    await focusGoesTo(page, '3');
    await page.keyboard.press('ArrowUp');
    await focusGoesTo(page, '2');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Account 2', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Add credit' }).waitFor();
    await page.keyboard.press('Tab');
    await focusGoesTo(page, 'Add credit');
    await page.keyboard.press('Enter');
    await focusGoesTo(page, 'Amount in USDT');
    await page.keyboard.type('5');
    await page.keyboard.press('Tab');
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Tab');
    await page.keyboard.type('it was paid');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Wallet' }).getByText('5.00').waitFor();
    await focusGoesTo(page, 'Add credit');
  });

  it('keeps the direction of others’ texts to themselves, on every screen', async () => {
    const name = 'first \u202E\u2069 last';
    await ok(shop.operator.createAccount({ name }));
    await ok(shop.operator.createProduct({ name, priceUsdt: 1 }));
    const page = await shop.tab();
    const turned = `(() => {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const found = { in: 0, out: [] };
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
        if (!/\\u202e/.test(text.data)) continue;
        if (getComputedStyle(text.parentElement).unicodeBidi === 'isolate') found.in += 1;
        else found.out.push(text.parentElement.outerHTML);
      }
      return found;
    })()`;
    for (const screen of ['accounts', 'accounts/4', 'accounts/4?open=Add+credit', 'products', 'products/1']) {
      await page.goto(`${shop.origin}/console#/${screen}`);
      await settled(page);
      await eventually(`${screen} shows it`, async () => {
        const found = (await page.evaluate(turned)) as { in: number; out: readonly string[] };
        assert.deepEqual(found.out, [], screen);
        return found.in > 0;
      });
    }
  });

  it('waits for a node that is away, keeps what is on view, and picks it up', async () => {
    const page = await shop.tab({ hash: '#/accounts/3', expected: /Failed to load resource/ });
    await page.getByRole('region', { name: 'Wallet' }).waitFor();
    await shop.stop();
    await page.getByText('Waiting for the node').waitFor();
    assert.ok(await page.getByRole('region', { name: 'Wallet' }).isVisible());
    await shop.restart();
    await ok(shop.operator.credit(3, 31, 'after the start'));
    await page.getByText('Waiting for the node').waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Wallet' }).getByText('31.00').waitFor();
  });

  it('is beside the pages of the documents, which make nothing but words of a text', async () => {
    // The tab expects one listener, the operators'.
    const expected = /^a request to elsewhere: \S+\/(docs|api\/v1\/buyer\/openapi\.json)/;
    for (const url of [shop.node.operatorUrl, shop.node.buyerUrl]) {
      const page = await shop.tab({ token: '', expected });
      await page.goto(new URL('/docs', url).href);
      // The operators' document is long: a busy machine draws it for half a minute.
      await page.getByRole('cell', { name: 'UNAUTHORIZED' }).first().waitFor({ timeout: 120_000 });
      const made = await page.evaluate(
        `trustedTypes.defaultPolicy.createHTML('<p>1 < 2</p><img src=x onerror=alert(1)><p onclick=x>').toString()`,
      );
      assert.equal(made, '<p>1 &lt; 2</p>&lt;img src=x onerror=alert(1)>&lt;p onclick=x>');
    }
  });
});
