/** The screen Suppliers, with a supplier that sells and stays silent. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import { BuyerClient } from '../../support/buyer-client.ts';
import { ok } from '../../support/operator-client.ts';
import { act, assertWellShown, consoleForTests, IN_BROWSER } from './console-under-test.ts';

const HOSTILE = '<img src=x onerror=alert(1)> Ltd';

describe('suppliers in the console', IN_BROWSER, () => {
  const shop = consoleForTests(() => ({ flags: { supplierTimeout: '200ms' } }));
  let supplier: ReferenceSupplier;

  /** Supplier 1 has sold five times, and didn't say so: so its circuit is open. */
  before(async () => {
    supplier = await ReferenceSupplier.start('a secret of the supplier');
    const { url, secret } = supplier;
    const { supplierId = 0 } = await ok(shop.operator.createSupplier({ name: 'Codes', url, secret }));
    const { accountId = 0 } = await ok(shop.operator.createAccount({ name: 'Buyer' }));
    await ok(shop.operator.credit(accountId, 100, 'first'));
    const { apiKey = '' } = await ok(shop.operator.issueKey(accountId));
    const sold = { type: 'standard', priceUsdt: 1, supplierId, supplierSku: 'silent' } as const;
    await ok(shop.operator.createProduct({ name: 'Silent', ...sold }));
    const buyers = new BuyerClient(shop.node.buyerUrl);
    const body = { productId: 1, expectedPriceUsdt: 1 };
    await Promise.all([1, 2, 3, 4, 5].map(() => buyers.purchase(apiKey, crypto.randomUUID(), body)));
    supplier.stop();
  });

  it('are added and changed, and a secret is in no command line', async () => {
    const page = await shop.tab({ hash: '#/suppliers', expected: /status of 400/ });
    await act(page, 'New supplier', { Name: HOSTILE, URL: 'ftp://x', Secret: 'sixteen characters!' });
    await page.getByRole('alert').getByText('url must be an http or https URL').waitFor();
    await page.getByRole('dialog').getByLabel('URL').fill('https://codes.example/purser');
    const command = page.getByText(/^purser supplier create/);
    assert.match(await command.innerText(), /--secret-file secret\.txt$/);
    await page.getByRole('dialog').getByRole('button', { name: 'New supplier' }).click();
    await page.getByRole('heading', { name: HOSTILE, level: 2 }).waitFor();
    await act(page, 'Change supplier', { Name: 'Renamed' });
    await page.getByRole('heading', { name: 'Renamed', level: 2 }).waitFor();
    await page.getByRole('table', { name: 'Suppliers' }).getByText('Renamed').waitFor();
  });

  it('are asked by Reconcile, which says what is left and who is silent, and given up on', async () => {
    const page = await shop.tab({ hash: '#/suppliers' });
    await page.getByRole('table', { name: 'Open purchases' }).getByText('unresolved').nth(1).waitFor();
    await act(page, 'Reconcile', { Reason: 'they called' });
    const asked = page.getByRole('dialog', { name: 'Reconcile' });
    await asked.getByText('Still open: 5, of them unresolved: 5.').waitFor();
    await asked.getByText(/^Supplier 1, Codes, .* its circuit is open\. Still open at it: 5\./).waitFor();
    await assertWellShown(page);
    await asked.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Give up' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Give up' });
    await dialog.getByText(/purser supplier-purchase give-up pur_1_\d+$/).waitFor();
    await dialog.getByRole('button', { name: 'Give up' }).click();
    await page.getByRole('table', { name: 'Ended lately' }).getByText('given-up').waitFor();
    await page.getByRole('button', { name: 'Give up' }).nth(4).waitFor({ state: 'detached' });
  });
});
