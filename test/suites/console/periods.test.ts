/** From and Before of lists: days where the reader is, and moments in the address. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ok } from '../../support/operator-client.ts';
import { consoleForTests, IN_BROWSER } from './console-under-test.ts';

describe('the period of a list in the console', IN_BROWSER, () => {
  const shop = consoleForTests();
  before(async () => {
    await ok(shop.operator.createAccount({ name: 'A reseller' }));
    await ok(shop.operator.credit(1, 5, 'bank-1'));
  });

  const DAYS = [
    { zone: 'Asia/Tokyo', moment: '2026-10-30T15:00:00Z' },
    { zone: 'America/New_York', moment: '2026-10-31T04:00:00Z' },
    { zone: 'UTC', moment: '2026-10-31T00:00:00Z' },
  ];
  for (const { zone, moment } of DAYS)
    it(`is of days in ${zone}, which is said`, async () => {
      const page = await shop.tab({ timezoneId: zone, hash: '#/audit' });
      await page.getByText(`Times are of ${zone}`).waitFor();
      await page.getByLabel('From').fill('2026-10-31');
      await page.waitForURL((url) => decodeURIComponent(url.hash) === `#/audit?from=${moment}`);
      await page.getByText(`purser audit --from ${moment}`).waitFor();
      assert.equal(await page.getByLabel('From').inputValue(), '2026-10-31');
      await page.getByLabel('From').fill('');
      await page.waitForURL(/#\/audit$/);
    });

  it('has what lies within the days that are shown', async () => {
    // Whatever day it is: the row is of the day that its own time says.
    const page = await shop.tab({ timezoneId: 'Pacific/Kiritimati', hash: '#/accounts/1' });
    const statement = page.getByRole('table', { name: 'Statement' });
    const [day = ''] = (await statement.getByRole('cell').first().innerText()).split(' ');
    const dayBefore = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel('From').fill(day);
    await statement.getByText('bank-1').waitFor();
    await page.getByLabel('From').fill(dayBefore);
    await page.getByLabel('Before').fill(day);
    await page.getByText('Nothing moved its money in this period.').waitFor();
  });
});
