/** The screen Feed: live, filtered, paused, and over a restart of the node. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { LINE_TYPES } from '../../../src/feed/feed-line.ts';
import { ok } from '../../support/operator-client.ts';
import { assertWellShown, consoleForTests, IN_BROWSER } from './console-under-test.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';

describe('the feed in the console', IN_BROWSER, () => {
  const shop = consoleForTests();
  before(async () => {
    await ok(shop.operator.createAccount({ name: HOSTILE }));
  });

  const rowOf = (page: Page, text: string) =>
    page.getByRole('table', { name: 'Feed' }).getByRole('row').filter({ hasText: text });

  it('has what was last, and what comes; a row has all its fields', async () => {
    const page = await shop.tab({ hash: '#/feed' });
    const options = await page.getByLabel('Type').getByRole('option').allInnerTexts();
    assert.deepEqual(options.sort(), ['All', ...LINE_TYPES].sort());
    await rowOf(page, HOSTILE).waitFor();
    await ok(shop.operator.credit(1, 12, 'as it comes'));
    await rowOf(page, 'as it comes').getByText('12.00').waitFor();
    await rowOf(page, 'as it comes').getByRole('button').click();
    const dialog = page.getByRole('dialog', { name: /^WalletCredited \d+$/ });
    await dialog.getByText('"balanceUsdt": 12').waitFor();
    await assertWellShown(page);
    await dialog.getByRole('link', { name: 'Account 1' }).click();
    await page.getByRole('heading', { name: 'Account 1', level: 1 }).waitFor();
  });

  it('keeps the newest 500, and says what it passed over', async () => {
    const page = await shop.tab({ hash: '#/feed' });
    await page.getByRole('button', { name: 'Pause' }).click();
    await ok(shop.operator.createProduct({ name: 'Much', type: 'standard', priceUsdt: 1 }));
    for (let step = 0; step < 700; step += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => ok(shop.operator.credit(1, 1, `bulk ${step + index}`))),
      );
    await page.getByRole('button', { name: 'Resume' }).click();
    await rowOf(page, 'bulk').first().waitFor();
    await page.getByText(/lines were passed over/).waitFor();
    assert.equal(
      await page.getByRole('table', { name: 'Feed' }).getAttribute('aria-rowcount'),
      '501',
      'with its head',
    );
    assert.ok((await page.getByRole('row').count()) < 100, 'only those on view are in the page');
  });

  it('goes on where a refusal says, each line once', async () => {
    const page = await shop.tab({ hash: '#/feed?types=WalletCredited', expected: /status of 409/ });
    await ok(shop.operator.credit(1, 1, 'before the refusal'));
    const last = rowOf(page, 'before the refusal');
    const forkAfter = Number(await last.getByRole('button').innerText()) - 1;
    const asked: URL[] = [];
    await page.route('**/operator/v1/feed?*', (route) => {
      asked.push(new URL(route.request().url()));
      if (asked.length > 1) return route.continue();
      const json = { success: false, error: 'OTHER_EPOCH', epoch: 1, forkAfter };
      return route.fulfill({ status: 409, json });
    });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('live', { exact: true }).waitFor();
    await ok(shop.operator.credit(1, 1, 'after the refusal'));
    await rowOf(page, 'after the refusal').waitFor();
    assert.equal(asked[1]?.searchParams.get('after'), String(forkAfter));
    assert.equal(await last.count(), 1);
    assert.equal(await page.getByRole('alert').count(), 0);
  });

  it('goes on after a restart of the node, each line once', async () => {
    const page = await shop.tab({ hash: '#/feed', expected: /Failed to load|ERR_/ });
    await ok(shop.operator.credit(1, 1, 'before the restart'));
    await rowOf(page, 'before the restart').waitFor();
    await shop.stop();
    await page.getByText('waiting', { exact: true }).waitFor();
    await shop.restart();
    await ok(shop.operator.credit(1, 1, 'after the restart'));
    await page.getByText('live', { exact: true }).waitFor();
    await rowOf(page, 'after the restart').waitFor();
    assert.equal(await rowOf(page, 'before the restart').count(), 1);
  });
});
