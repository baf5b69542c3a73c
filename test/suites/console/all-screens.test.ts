/** All screens with long texts and large figures, from narrow to wide: whatever they tell can be read. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import {
  assertFits,
  assertWellShown,
  consoleForTests,
  IN_BROWSER,
  LOOKS,
  settled,
} from './console-under-test.ts';
import { cutTexts, unreadTexts } from './cut-texts.ts';
import { FULL_SHOP_FLAGS, fillShop } from './full-shop.ts';

/** Each with the lists that it has rows of. */
const SCREENS: Readonly<Record<string, readonly string[]>> = {
  '#/overview': [],
  '#/accounts': ['Accounts'],
  '#/accounts/1': ['Own prices', 'Deposits', 'Statement', 'What operators did'],
  '#/deposits': ['Unclaimed transfers', 'Deposits'],
  '#/products': ['Products'],
  '#/products/1?lot=1': ['Lots', 'Orders with items of lot 1'],
  '#/price-lists': ['Price lists'],
  '#/price-lists/1': ['Prices', 'Accounts with this list'],
  '#/orders': ['Orders'],
  '#/orders/1': [],
  '#/deliveries': [],
  '#/suppliers?supplierId=1': ['Suppliers', 'Open purchases'],
  '#/webhooks': ['Webhooks'],
  '#/webhooks/1': ['Deliveries'],
  '#/audit': ['Audit'],
  '#/operators': ['Operators', 'Bots', 'Sessions'],
  '#/node': [],
};

const ACTIONS = [
  ['#/accounts', 'New account'],
  ['#/accounts/1', 'Add credit'],
  ['#/accounts/1', 'Change account'],
  ['#/accounts/1', 'Change limits'],
  ['#/accounts/1', 'Issue key'],
  ['#/deposits', 'Assign'],
  ['#/products', 'New product'],
  ['#/products', 'Import products'],
  ['#/products/1', 'Import stock'],
  ['#/products/1', 'Withdraw stock'],
  ['#/products/1?lot=1', 'Recall'],
  ['#/price-lists', 'New price list'],
  ['#/price-lists/1', 'Change price list'],
  ['#/price-lists/1', 'Set price'],
  ['#/price-lists/1', 'Remove'],
  ['#/price-lists/1', 'Delete price list'],
  ['#/price-lists/1', 'Import prices'],
  ['#/orders', 'New order'],
  ['#/orders/2', 'Refund'],
  ['#/orders/2', 'Replace items'],
  ['#/deliveries', 'Complete delivery'],
  ['#/suppliers?supplierId=1', 'New supplier'],
  ['#/suppliers?supplierId=1', 'Give up'],
  ['#/webhooks/1', 'Replay'],
  ['#/operators', 'New operator'],
  ['#/operators', 'New token'],
  ['#/operators', 'End session'],
  ['#/node', 'Back up now'],
] as const;

const FURTHER_ACTIONS = [
  ...['Deactivate key', 'Save', 'Show withdrawn', 'Show items', 'Fail', 'Reconcile', 'Change supplier'],
  ...['Send test', 'Revoke', 'Drill now'],
];
const FOR_OWNERS: readonly string[] = ['Operators', 'What operators did'];

describe('every screen of the console', IN_BROWSER, () => {
  const shop = consoleForTests(() => ({ flags: FULL_SHOP_FLAGS }));
  let supplier: ReferenceSupplier;
  before(async () => {
    supplier = await ReferenceSupplier.start('a secret of the supplier');
    await fillShop(shop, supplier);
  });
  after(() => supplier.stop());

  for (const width of [390, 800, 1_280, 1_600])
    it(`has room for what it tells, ${width} pixels wide`, async () => {
      const page = await shop.tab({ width });
      for (const [hash, lists] of Object.entries(SCREENS)) {
        await page.goto(`${shop.origin}/console${hash}`);
        await settled(page);
        for (const name of lists) {
          const table = page.getByRole('table', { name, exact: true });
          await table.getByRole('cell').first().waitFor({ state: 'attached' });
        }
        await assertFits(page);
        assert.deepEqual(await cutTexts(page), [], hash);
        if (lists.length > 0) assert.deepEqual(await unreadTexts(page), [], hash);
      }
    });

  for (const look of LOOKS)
    it(`has room for what is asked and is accessible, ${look.width} pixels wide and ${look.colorScheme}`, async () => {
      const page = await shop.tab(look);
      for (const hash of Object.keys(SCREENS)) {
        await page.goto(`${shop.origin}/console${hash}`);
        await assertWellShown(page);
      }
      for (const [hash, action] of ACTIONS) {
        await page.goto(`${shop.origin}/console${hash}`);
        await settled(page);
        await page.getByRole('button', { name: action }).first().click();
        const dialog = page.getByRole('dialog', { name: action });
        await dialog.waitFor();
        assert.deepEqual(await cutTexts(page), [], `${hash}: ${action}`);
        await assertWellShown(page);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
      }
    });

  it('shows a viewer no action, no text that is sold, and nothing that is for owners', async () => {
    const page = await shop.tab({ token: await shop.operatorWith('viewer') });
    for (const [hash, lists] of Object.entries(SCREENS)) {
      await page.goto(`${shop.origin}/console${hash}`);
      await settled(page);
      for (const name of lists.filter((each) => !FOR_OWNERS.includes(each)))
        await page.getByRole('table', { name, exact: true }).getByRole('cell').first().waitFor();
      // A viewer may end sessions of his own.
      const actions = [...ACTIONS.map(([, action]) => action), ...FURTHER_ACTIONS];
      for (const name of actions.filter((each) => each !== 'End session'))
        assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, `${hash}: ${name}`);
    }
    for (const name of ['Backup', 'Settings in force'])
      assert.equal(await page.getByRole('region', { name, exact: true }).count(), 0, name);
    await page.goto(`${shop.origin}/console#/orders/2`);
    await page.getByText('Your role does not see texts.').waitFor();
  });
});
