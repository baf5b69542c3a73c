/** Lists of any length: what is on view is in the page and near it in memory, and nothing moves under the reader. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ok } from '../../support/operator-client.ts';
import { assertWellShown, consoleForTests, IN_BROWSER } from './console-under-test.ts';

/** More than a browser can lay out in one box of rows. */
const MANY = 1_200_000;
const PAGE = 50_000;
/** Beyond what is kept in memory beside the view. */
const FAR_ROWS = 60_000;
/** The box that scrolls, for the page. */
const BOX = (label: string) => `document.querySelector('[aria-label="${label}"]').parentElement`;

describe('an endless list', IN_BROWSER, () => {
  const shop = consoleForTests();
  before(async () => {
    await ok(shop.operator.createAccount({ name: 'Reseller' }));
  });

  it('has a million rows, of which the page has those on view', async () => {
    const page = await shop.tab();
    await page.addInitScript(PRETEND);
    await page.goto(`${shop.origin}/console#/accounts`);
    await page.reload();
    await page.getByRole('link', { name: '1', exact: true }).focus();
    for (let known = PAGE; known <= MANY; known += PAGE) {
      await page.keyboard.press('End');
      await page.locator(`[data-index="${known - 1}"] a:focus`).waitFor();
      if (known < MANY) await page.locator(`[data-index="${known}"] a`).waitFor();
    }
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), String(MANY + 1));
    assert.ok((await page.getByRole('row').count()) < 100);
    await assertWellShown(page);

    await page.keyboard.press('Home');
    await page.getByRole('link', { name: '1', exact: true }).waitFor();
    await page.evaluate('cursors.length = 0');
    const box = BOX('Accounts');
    await page.evaluate(
      `${box}.scrollTop = ${FAR_ROWS} * ${box}.querySelector('.row + .row').getBoundingClientRect().height`,
    );
    await page.getByRole('link', { name: String(FAR_ROWS + 10), exact: true }).waitFor();
    assert.deepEqual(
      await page.evaluate('cursors'),
      [String(PAGE)],
      'what was dropped is asked for by its cursor',
    );
  });

  it('is asked for again when the node had no answer for it, though nothing happens in the shop', async () => {
    const page = await shop.tab({ hash: '#/node', timezoneId: 'Europe/Berlin', expected: /status of 503/ });
    let asked = 0;
    await page.route('**/operator/v1/accounts?*', (route) => {
      asked += 1;
      const body = { success: false, error: 'NOT_READY', message: 'Try again later.', requestId: 'req_1_1' };
      if (asked === 1) return route.fulfill({ status: 503, json: body });
      const account = { name: 'Account', balanceUsdt: 0, heldUsdt: 0 };
      // The night in which clocks are set back shows the same time twice.
      const times = ['2026-10-24T23:30:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'];
      const rows = times.map((at, place) => ({
        ...account,
        accountId: place + 1,
        createdAt: Date.parse(at),
      }));
      return route.fulfill({ json: { success: true, requestId: 'req_1_2', accounts: rows } });
    });
    await page.goto(`${shop.origin}/console#/accounts`);
    await page.getByText('Try again later.').waitFor();
    await page.getByRole('link', { name: '1', exact: true }).waitFor();
    assert.equal(await page.getByText('Try again later.').count(), 0);
    const times = await page.locator('time').allTextContents();
    assert.deepEqual(
      times,
      ['01:30:00', '02:30:00 +02:00', '02:30:00 +01:00'].map((time) => `2026-10-25 ${time}`),
    );
  });
});

/** In the page: answers the list of accounts in place of the node, and notes the cursors that are asked for. */
const PRETEND = `
  window.cursors = [];
  const { fetch } = window;
  window.fetch = (address, request) => {
    const url = new URL(address, location.href);
    if (url.pathname !== '/operator/v1/accounts') return fetch(address, request);
    const cursor = url.searchParams.get('cursor') ?? '';
    window.cursors.push(cursor);
    const first = Number(cursor) + 1;
    const accounts = Array.from({ length: ${PAGE} }, (_, place) => ({
      accountId: first + place, name: 'Account', balanceUsdt: place, heldUsdt: 0, createdAt: 0,
    }));
    const end = first + ${PAGE} - 1;
    return Promise.resolve(Response.json({ accounts, nextCursor: end === ${MANY} ? undefined : String(end) }));
  };
`;
