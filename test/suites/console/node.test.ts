/**
 * The screen Node, in a real browser with a real node that ships a backup. States that take a cluster or a restore are
 * told.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ok } from '../../support/operator-client.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { act, assertWellShown, consoleForTests, fillIn, IN_BROWSER } from './console-under-test.ts';

const NONE = { count: 0, rows: [] };
const AT = 1_767_225_650_000;
const TAKEN_AWAY = {
  to: AT,
  complete: false,
  keys: { count: 1, rows: [{ accountId: 7, name: 'Bot', change: 'replaced', at: AT }] },
  operators: { count: 1, rows: [{ operatorId: 2, name: 'ann', change: 'revoked', at: AT }] },
  webhooks: NONE,
  products: {
    count: 1,
    rows: [
      {
        ...{ productId: 12, name: 'Code', deactivated: true, at: AT },
        priceUsdt: { from: 4.5, to: 5 },
        priceTiers: { from: [], to: [{ minQuantity: 10, priceUsdt: 4 }] },
      },
    ],
  },
  lots: { count: 1, rows: [{ lotId: 3, productId: 12, name: 'Code', withdrawn: 20, at: AT }] },
  items: NONE,
  suppliers: NONE,
  accounts: {
    count: 1,
    rows: [
      {
        ...{ accountId: 7, name: 'Cafe', priceListId: { from: null, to: 2 }, at: AT },
        spendLimits: { from: [], to: [{ windowHours: 24, amountUsdt: 100 }] },
        allowedNetworks: { from: null, to: ['10.0.0.0/8'] },
      },
    ],
  },
  priceLists: NONE,
  listPrices: NONE,
  accountPrices: {
    count: 1,
    rows: [{ ...{ accountId: 8, productId: 12, name: 'Kiosk', at: AT }, priceUsdt: { from: 4, to: null } }],
  },
};
const TAKEN_ROWS = {
  '7 Bot': 'got another key',
  '2 ann': 'revoked',
  '7 Cafe': 'price list none → 2, spend limits none → 100.00 USDT in 24 h, networks all → 10.0.0.0/8',
  '8 Kiosk': 'product 12 4.00 → none',
  '12 Code': 'deactivated, 4.50 → 5.00 USDT, volume prices none → from 10: 4.00',
};

describe('the node in the console', IN_BROWSER, () => {
  let folder: TemporaryFolder;
  const shop = consoleForTests(async () => {
    folder = await createTemporaryFolder('console-backup');
    return { flags: { backup: join(folder.path, 'continuous'), backupDrill: '0s' } };
  });
  before(async () => {
    await ok(shop.operator.createAccount({ name: 'First reseller' }));
    await ok(shop.operator.credit(1, 250.5, 'bank-1'));
  });
  after(() => folder.remove());

  const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  it('says what it is, how far it is, and where the money is', async () => {
    const page = await shop.tab({ hash: '#/node' });
    const { text } = await shop.operator.json('GET', '/status');
    const { version } = JSON.parse(text);
    await region(page, 'State').getByText('ready', { exact: true }).waitFor();
    await region(page, 'State').getByText(version, { exact: true }).waitFor();
    await region(page, 'Ledger').getByText('−250.50').waitFor();
    await ok(shop.operator.credit(1, 1, 'bank-2'));
    await region(page, 'Ledger').getByText('−251.50').waitFor();
    await region(page, 'Cluster').getByText('in no cluster').waitFor();
    assert.equal(await region(page, 'Restore').count(), 0);
  });

  it('backs up to a folder, and says what is wrong with a target', async () => {
    const page = await shop.tab({ hash: '#/node', expected: /status of 400/ });
    await act(page, 'Back up now', { Target: 'relative' });
    const dialog = page.getByRole('dialog', { name: 'Back up now' });
    await dialog
      .getByRole('alert')
      .getByText(/^req_\d+_\d+$/)
      .waitFor();
    const target = join(folder.path, "it's one");
    await dialog.getByLabel('Target').fill(target);
    await dialog.getByLabel('Reason').fill('before the upgrade');
    const quoted = target.replace("'", `'\\''`);
    await dialog.getByText(`purser backup '${quoted}' --reason 'before the upgrade'`).waitFor();
    await dialog.getByRole('button', { name: 'Back up now' }).click();
    const row = page
      .getByRole('table', { name: 'Single backups' })
      .getByRole('row')
      .filter({ hasText: 'complete' });
    await row.getByText("it's one").waitFor();
  });

  it('proves its continuous backup by a drill', async () => {
    const page = await shop.tab({ hash: '#/node' });
    await region(page, 'Backup').getByText('none yet').waitFor();
    await page.getByRole('button', { name: 'Drill now' }).click();
    await page.getByRole('dialog').getByText('purser backup drill').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Drill now' }).click();
    await region(page, 'Backup').getByText('passed').waitFor();
  });

  it('gives the master key once, as a file and on view, and says that it is saved', async () => {
    const overview = await shop.tab({ hash: '#/overview' });
    const row = region(overview, 'Needs somebody').getByRole('listitem').filter({ hasText: 'Master key' });
    await row.getByText('in the data folder: keep a copy elsewhere').waitFor();
    const page = await shop.tab({ hash: '#/node' });
    const keys = region(page, 'Keys');
    const id = await keys.getByText(/^[0-9a-f]{8}$/).innerText();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      act(page, 'Save the master key', { Reason: 'into the safe' }),
    ]);
    const dialog = page.getByRole('dialog', { name: 'Save the master key' });
    assert.equal(download.suggestedFilename(), `purser-master-key-${id}.txt`);
    const key = await dialog.getByLabel('Master key', { exact: true }).inputValue();
    assert.equal(readFileSync(await download.path(), 'utf8'), `${key}\n`);
    assert.equal(createHash('sha256').update(Buffer.from(key, 'base64')).digest('hex').slice(0, 8), id);
    // The screen behind it knows, and the key stays on view.
    await keys.getByText('saved: keep it elsewhere').waitFor();
    assert.equal(await dialog.getByLabel('Master key', { exact: true }).inputValue(), key);
    await assertWellShown(page);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await keys.locator('button[aria-disabled=true]').waitFor();
    await row.locator('.quiet').getByText('saved: keep it elsewhere').waitFor();
  });

  it('tells of its cluster, and hands over', async () => {
    const page = await shop.tab();
    const asked: unknown[] = [];
    await page.route('**/operator/v1/status', async (route) => {
      const json = await (await route.fetch()).json();
      json.cluster = { node: 'a', role: 'leader', term: 3, applied: 9, confirmed: 9, leader: null };
      await route.fulfill({ json });
    });
    const nodes = [
      { node: 'a', url: 'https://a.shop.example', role: 'leader', applied: 5_812 },
      { node: 'b', url: 'https://b.shop.example', role: 'follower', applied: 5_810 },
    ];
    await page.route('**/operator/v1/cluster', (route) =>
      route.fulfill({ json: { leader: 'a', term: 3, nodes } }),
    );
    await page.route('**/operator/v1/cluster/handover', (route) => {
      asked.push(route.request().postDataJSON());
      return route.fulfill({ status: 202, json: { leader: 'a' } });
    });
    await page.getByRole('navigation').getByRole('link', { name: 'Node' }).click();
    await page
      .getByRole('table', { name: 'Nodes' })
      .getByRole('row', { name: /b follower 5,810 \(−2\)/ })
      .waitFor();
    await page.getByRole('button', { name: 'Hand over' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('upgrade');
    await page.getByText('purser cluster handover --reason upgrade').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click();
    await page.getByRole('status').filter({ hasText: 'a hands over' }).waitFor();
    assert.deepEqual(asked, [{ reason: 'upgrade' }]);
    await assertWellShown(page);
  });

  it('tells after a restore why nothing is sold, leads to each step, and opens sales', async () => {
    const page = await shop.tab();
    let sales = 'closed';
    let takenAway: object | null = TAKEN_AWAY;
    await page.route('**/operator/v1/restore', async (route) => {
      const json = await (await route.fetch()).json();
      const gap =
        sales === 'closed' ? { from: 1_767_225_600_000, to: 1_767_225_660_000, orders: null } : null;
      const undecided = sales === 'closed' && { keys: 3, operators: 2, webhooks: 0, products: 5 };
      await route.fulfill({ json: { ...json, sales, gap, ...(undecided && { undecided, takenAway }) } });
    });
    await page.route('**/operator/v1/status', async (route) => {
      const json = await (await route.fetch()).json();
      await route.fulfill({ json: { ...json, sales } });
    });
    const banner = page.getByRole('status').filter({ hasText: 'Sales are closed.' });
    const focused = page.locator('h3:focus');
    await banner.getByRole('button', { name: 'Enter what is missing' }).click();
    await focused.filter({ hasText: 'What is missing' }).waitFor();
    await page.getByText('purser restore receipts receipts.txt').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Accounts' }).click();
    await banner.getByRole('button', { name: 'Set items aside…' }).click();
    let aside: unknown;
    await page.route('**/operator/v1/restore/quarantine', (route) => {
      aside = route.request().postDataJSON();
      return route.fulfill({ json: { success: true, quarantined: 40, products: [] } });
    });
    await fillIn(page, { Count: '20', Reason: 'as many as in an hour' });
    const setAside = page.getByRole('dialog', { name: 'Set items aside' });
    await setAside.getByRole('button', { name: 'Set items aside' }).click();
    await page.getByRole('status').filter({ hasText: 'Set aside in all: 40' }).waitFor();
    assert.deepEqual(aside, { count: 20, reason: 'as many as in an hour' });
    await banner.getByRole('button', { name: 'Look at keys, webhooks and prices' }).click();
    await focused.filter({ hasText: 'What was taken away' }).waitFor();
    const panel = region(page, 'Restore');
    for (const [link, row] of Object.entries(TAKEN_ROWS)) {
      await panel.getByRole('listitem').filter({ hasText: row }).getByRole('link', { name: link }).waitFor();
    }
    await panel.getByText('Some of them could not be read').waitFor();
    await assertWellShown(page);
    await banner.getByRole('button', { name: 'Open sales…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Open sales' });
    const below = (label: string) =>
      dialog
        .locator('.field')
        .filter({ has: page.getByLabel(label) })
        .getByRole('listitem')
        .allTextContents();
    assert.match((await below('API keys')).join(), /^7 Bot: got another key, 2/);
    assert.match(
      (await below('Products on sale')).join(),
      /^12 Code: deactivated, 4.50 → 5.00 USDT.*lot 3 recalled/,
    );
    assert.deepEqual(await below('Webhooks'), []);
    await assertWellShown(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    takenAway = null;
    await page.reload();
    await panel.getByText('This backup has no later facts: what happened after it is unknown.').waitFor();
    let sent: unknown;
    await page.route('**/operator/v1/restore/open', (route) => {
      sales = 'open';
      sent = route.request().postDataJSON();
      return route.fulfill({ json: { success: true, sales } });
    });
    await page.getByRole('navigation').getByRole('link', { name: 'Node' }).click();
    await region(page, 'Restore').getByText('sales closed').waitFor();
    await region(page, 'Restore').getByText('nobody knows yet how many orders').waitFor();
    await assertWellShown(page);
    await act(page, 'Open sales', {
      'API keys: 3 as restored': 'end',
      'Operators: 2 as restored': 'end',
      'Products on sale: 5 as restored': 'keep',
      Reason: 'all is entered',
    });
    await region(page, 'Restore').waitFor({ state: 'detached' });
    const decisions = { keys: 'end', operators: 'end', webhooks: 'keep', products: 'keep' };
    assert.deepEqual(sent, { ...decisions, reason: 'all is entered' });
    await banner.waitFor({ state: 'detached' });
  });
});
