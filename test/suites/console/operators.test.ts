/** The screens Operators and Audit: tokens, roles, sessions, and what was done. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ok } from '../../support/operator-client.ts';
import { consoleForTests, fillIn, IN_BROWSER } from './console-under-test.ts';

describe('operators in the console', IN_BROWSER, () => {
  const shop = consoleForTests();
  let viewerToken: string;
  before(async () => {
    viewerToken = await shop.operatorWith('viewer', 'vera');
    await ok(shop.operator.createAccount({ name: 'One' }));
    await ok(shop.operator.credit(1, 10, '<b>first</b>'));
  });

  const statusWith = async (token: string) =>
    (await fetch(`${shop.node.operatorUrl}/status`, { headers: { authorization: `Bearer ${token}` } }))
      .status;

  it('are created with a token that is shown once, given another, and revoked', async () => {
    const page = await shop.tab({ hash: '#/operators' });
    await page.getByRole('button', { name: 'New operator' }).click();
    await fillIn(page, { Name: 'anna', 'Token ends': '2099-01-31' });
    await page.getByLabel('Role').selectOption('support');
    await page.getByText('purser operator create --name anna --role support --expires 2099-01-31').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'New operator' }).click();
    const field = page.getByRole('dialog').getByLabel('Token', { exact: true });
    const first = await field.inputValue();
    assert.equal(await statusWith(first), 200);
    await page.getByRole('button', { name: 'Close' }).click();
    const row = page.getByRole('table', { name: 'Operators' }).getByRole('row', { name: /anna/ });
    await row.getByText('2099-01-31').waitFor();

    await row.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('dialog').getByLabel('The token before').selectOption('Goes on for 10 minutes');
    await page.getByText('purser operator rotate 2 --overlap 10m').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'New token' }).click();
    const second = await field.inputValue();
    assert.notEqual(second, first);
    assert.deepEqual([await statusWith(first), await statusWith(second)], [200, 200]);
    await page.getByRole('button', { name: 'Close' }).click();
    await row.getByText('the one before ends').waitFor();

    await row.getByRole('button', { name: 'Revoke' }).click();
    await fillIn(page, { Reason: 'left' });
    await page.getByText('purser operator revoke 2 --reason left').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked').first().waitFor();
    assert.equal(await statusWith(second), 401);
  });

  it('see their own sessions, the owner all, and may end them', async () => {
    const vera = await shop.tab({ hash: '#/operators', token: viewerToken, expected: /status of 401/ });
    const hers = vera.getByRole('table', { name: 'Sessions' });
    await hers.getByText('this one').waitFor();
    assert.equal(await hers.getByText('root').count(), 0);

    const page = await shop.tab({ hash: '#/operators' });
    const row = page.getByRole('table', { name: 'Sessions' }).getByRole('row', { name: /vera/ });
    await row.getByRole('button', { name: 'End session' }).click();
    await page.getByText(/^purser session end \d+$/).waitFor();
    await page
      .getByRole('dialog', { name: 'End session' })
      .getByRole('button', { name: 'End session' })
      .click();
    await row.waitFor({ state: 'detached' });
    await vera.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('are audited: by operator, account and day, with links', async () => {
    const page = await shop.tab({ hash: '#/audit' });
    const audit = page.getByRole('table', { name: 'Audit' });
    await audit.getByText('WalletCredited').waitFor();
    await page.getByLabel('Operator').selectOption('vera');
    await page.waitForURL(/#\/audit\?operator=vera$/);
    await audit.getByText('WalletCredited').waitFor({ state: 'detached' });
    await audit.getByText('SessionBegun').first().waitFor();
    await page.goBack();
    await page.getByLabel('Account').fill('1');
    await page.waitForURL(/accountId=1$/);
    await audit.getByText('SessionBegun').first().waitFor({ state: 'detached' });
    await page.getByText('purser audit --account 1').waitFor();
    await audit.getByRole('link', { name: 'Account 1' }).first().click();
    await page.getByRole('heading', { name: 'Account 1', level: 1 }).waitFor();
  });

  it('are audited by days of the own time zone, which is said', async () => {
    const moment = '2026-10-30T15:00:00Z';
    const page = await shop.tab({ timezoneId: 'Asia/Tokyo', hash: '#/audit' });
    await page.getByText('Times are of Asia/Tokyo').waitFor();
    await page.getByLabel('From').fill('2026-10-31');
    await page.waitForURL((url) => decodeURIComponent(url.hash) === `#/audit?from=${moment}`);
    await page.getByText(`purser audit --from ${moment}`).waitFor();
    assert.equal(await page.getByLabel('From').inputValue(), '2026-10-31');
  });
});
