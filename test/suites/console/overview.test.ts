/** The screen Overview: what needs somebody, and how the shop does. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ok } from '../../support/operator-client.ts';
import { assertWellShown, consoleForTests, IN_BROWSER } from './console-under-test.ts';

const HOSTILE = '<img src=x onerror=alert(1)> "quoted" & \u202Eevil';

describe('the overview in the console', IN_BROWSER, () => {
  const shop = consoleForTests();
  before(async () => {
    await ok(shop.operator.createProduct({ name: HOSTILE, priceUsdt: 9.5 }));
    await ok(shop.operator.createAccount({ name: 'First reseller' }));
    await ok(shop.operator.credit(1, 20, 'bank-1'));
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
    const order = { accountId: 1, productId: Number(body.productId) };
    const { orderId = 0 } = await ok(shop.operator.openOrder(order));
    await ok(shop.operator.moveOrder(orderId, 'pay', {}));
    await row('To deliver by hand').getByText('1', { exact: true }).waitFor();
    await row('To deliver by hand').getByRole('link').press('Enter');
    await page.getByRole('heading', { name: 'To deliver', level: 1 }).waitFor();
  });

  it('shows stock that runs out, alerts that fire, and a backup that failed its drill', async () => {
    const page = await shop.tab();
    await page.route('**/operator/v1/overview', async (route) => {
      const json = await (await route.fetch()).json();
      json.stock = [{ productId: 1, name: HOSTILE, availableStock: 1, hoursOfCover: 6.5 }];
      json.backup = { lagSeconds: 90, drillOk: false, drillAgeSeconds: 7_200 };
      await route.fulfill({ json });
    });
    await page.route('**/operator/v1/alerts', async (route) => {
      const json = await (await route.fetch()).json();
      const state = { class: 'operations', message: HOSTILE, since: 0, at: 0, error: 'STOCK_LOW' };
      json.firing = Array.from({ length: 9 }, (_, index) => ({ ...state, productId: index + 1 }));
      json.firingCount = 9;
      await route.fulfill({ json });
    });
    const cover = page.getByRole('table', { name: 'Stock that runs out' }).getByRole('row').nth(1);
    await cover.getByText('6.5 h').waitFor();
    assert.equal(await cover.getByRole('link', { name: HOSTILE }).getAttribute('href'), '#/products/1');
    await page.getByText('failed 2 h ago').waitFor();
    const alerts = page.getByRole('region', { name: 'Alerts', exact: true });
    await alerts.getByText('9 firing').waitFor();
    assert.equal(await alerts.getByText(HOSTILE).count(), 8);
    await assertWellShown(page);
  });
});
