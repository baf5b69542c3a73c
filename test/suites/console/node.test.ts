/** The screen Node, in a real browser with a real node that ships a backup. What takes a cluster or a restore is told. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ok } from '../../support/operator-client.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { act, assertWellShown, consoleForTests, IN_BROWSER } from './console-under-test.ts';

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

  it('seals anew with a new data key', async () => {
    const page = await shop.tab({ hash: '#/node' });
    const before = await region(page, 'Keys').getByText('seals').count();
    assert.equal(before, 1);
    const keyId = await region(page, 'Keys').locator('.scope code').innerText();
    await act(page, 'New data key', { Reason: 'yearly' });
    await region(page, 'Keys').getByText(keyId).waitFor({ state: 'detached' });
    await region(page, 'Keys').getByText('nothing to do').waitFor();
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

  it('tells after a restore why nothing is sold, and opens sales', async () => {
    const page = await shop.tab();
    let sales = 'closed';
    await page.route('**/operator/v1/restore', async (route) => {
      const json = await (await route.fetch()).json();
      const gap =
        sales === 'closed' ? { from: 1_767_225_600_000, to: 1_767_225_660_000, orders: null } : null;
      const undecided = sales === 'closed' && { keys: 3, operators: 2, webhooks: 0, products: 5 };
      await route.fulfill({ json: { ...json, sales, gap, ...(undecided && { undecided }) } });
    });
    await page.route('**/operator/v1/status', async (route) => {
      const json = await (await route.fetch()).json();
      await route.fulfill({ json: { ...json, sales } });
    });
    const banner = page.getByRole('status').filter({ hasText: 'Sales are closed.' });
    await banner.getByRole('button', { name: 'Open sales…' }).click();
    await page.getByRole('dialog', { name: 'Open sales' }).getByRole('button', { name: 'Cancel' }).click();
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
