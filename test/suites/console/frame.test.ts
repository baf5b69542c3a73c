/** The frame of the console: keys, the direction of texts, and a node that goes away and comes back. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { assertWellShown, consoleForTests, focusGoesTo, IN_BROWSER, settled } from './console-under-test.ts';

describe('the frame of the console', IN_BROWSER, () => {
  const shop = consoleForTests();
  before(async () => {
    for (const name of ['One', 'Two', 'Three']) await ok(shop.operator.createAccount({ name }));
  });

  it('goes by the keyboard', async () => {
    const page = await shop.tab();
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
    await page.getByRole('link', { name: '1', exact: true }).waitFor();
    await page.keyboard.press('?');
    await assertWellShown(page);
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await focusGoesTo(page, 'Search accounts');
    await page.keyboard.press('Tab');
    await focusGoesTo(page, '1');
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
    for (const [screen, isThere] of [
      ['accounts', true],
      ['accounts/4', true],
      ['accounts/4?open=Add+credit', true],
      ['products', true],
      ['products/1', true],
      ['overview', false],
    ] as const) {
      await page.goto(`${shop.origin}/console#/${screen}`);
      await settled(page);
      await eventually(`${screen} shows it`, async () => {
        const found = (await page.evaluate(turned)) as { in: number; out: readonly string[] };
        assert.deepEqual(found.out, [], screen);
        return found.in > 0 || !isThere;
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
});
