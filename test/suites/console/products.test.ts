/** The screens Products and product, in a real browser with a real node. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { act, assertWellShown, consoleForTests, fillIn, IN_BROWSER } from './console-under-test.ts';

const HOSTILE = '<img src=x onerror=alert(1)> "quoted" & \u202Eevil';

describe('products in the console', IN_BROWSER, () => {
  const shop = consoleForTests();
  before(async () => {
    await ok(shop.operator.createProduct({ name: 'Game card 10', priceUsdt: 9.5 }));
    await ok(
      shop.operator.createSupplier({ name: HOSTILE, url: 'https://192.0.2.1/', secret: 's'.repeat(32) }),
    );
    const hostile = { name: HOSTILE, description: HOSTILE, instructions: HOSTILE, priceUsdt: 1 };
    await ok(shop.operator.createProduct({ ...hostile, supplierId: 1, supplierSku: '</script>' }));
    await ok(shop.operator.createProduct({ name: 'Streaming month', priceUsdt: 4.25 }));
  });

  const productOf = async (id: number) => JSON.parse((await shop.operator.getProduct(id)).text);

  it('of type file are created, with the command line that does the same, and get their file', async () => {
    const page = await shop.tab({ hash: '#/products' });
    await page.getByRole('button', { name: 'New product' }).click();
    await fillIn(page, { Name: 'Handbook', Description: 'all of it', 'Price in USDT': '2' });
    await page.getByLabel('Type', { exact: true }).selectOption('file');
    await page
      .getByText("purser product create --name Handbook --description 'all of it' --type file --price 2")
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'New product' }).click();
    await page.getByRole('heading', { name: 'Product 4', level: 1 }).waitFor();
    await page.getByText('It has no file yet').waitFor();
    await page.getByRole('button', { name: 'Set file' }).click();
    const buffer = Buffer.alloc(5_000_000, 7);
    const content = { name: "the 'book'.pdf", mimeType: 'application/pdf', buffer };
    await page.getByLabel('File', { exact: true }).setInputFiles(content);
    await page
      .getByText(`purser product file 4 'the '\\''book'\\''.pdf' --content-type application/pdf`)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Set file' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Delivered file' }).getByText('5.0 MB').waitFor();
    const { file } = await productOf(4);
    assert.deepEqual([file.sizeBytes, file.contentType], [5_000_000, 'application/pdf']);
  });

  it('are edited, with the command line that does the same', async () => {
    const page = await shop.tab({ hash: '#/products/1' });
    await page.getByLabel('Price in USDT').fill('8.75');
    await page.getByLabel('Description').fill('two\nlines');
    await page.getByRole('button', { name: 'Add volume price' }).click();
    await page.getByLabel('From').fill('10');
    await page.getByLabel('USDT each').fill('8.125');
    await page.getByLabel('Low stock').fill('5');
    await page
      .getByText(
        "purser product update 1 --description 'two\nlines' --price 8.75 --tier 10:8.125 --low-stock 5",
      )
      .waitFor();
    await page.getByLabel('Reason').fill('cheaper');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('status').getByText('The product is saved.').waitFor();
    const { priceUsdt, description, priceTiers, lowStock } = await productOf(1);
    assert.deepEqual(
      [priceUsdt, description, priceTiers, lowStock],
      [8.75, 'two\nlines', [{ minQuantity: 10, priceUsdt: 8.125 }], 5],
    );
    await page.getByLabel('Description').fill('');
    await page
      .getByText("purser product update 1 --description '' --reason cheaper")
      .or(page.getByText("purser product update 1 --description ''"))
      .first()
      .waitFor();
    await page.getByLabel('Description').fill('two\nlines');
    assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled());
  });

  it('have sources in order, with the command line that does the same', async () => {
    const page = await shop.tab({ hash: '#/products/3' });
    const add = page.getByRole('button', { name: 'Add source' });
    const part = (label: string) => page.getByLabel(label, { exact: true });
    await add.click();
    await part('Supplier').selectOption('1');
    await part('Its SKU').fill('month');
    await add.click();
    await part('Supplier').last().selectOption('1');
    await part('Its SKU').last().fill('m 1');
    await page.getByText("purser product update 3 --source 1:month --source '1:m 1'").waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('status').getByText('The product is saved.').waitFor();
    const { sources, supplierSku } = await productOf(3);
    const both = ['month', 'm 1'].map((sku) => ({ supplierId: 1, sku }));
    assert.deepEqual([sources, supplierSku], [both, 'month']);
    await page.getByRole('button', { name: 'Remove source 1' }).click();
    await page.getByRole('button', { name: 'Remove source 1' }).click();
    await page.getByText('purser product update 3 --no-supplier').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually('no source', async () => (await productOf(3)).sources === undefined);
  });

  it('have a place in the catalog, with the command line that does the same', async () => {
    const page = await shop.tab({ hash: '#/products/1', expected: /status of 409/ });
    const field = (label: string) => page.getByLabel(label, { exact: true });
    const save = async () => page.getByRole('button', { name: 'Save', exact: true }).click();
    await ok(shop.operator.json('PATCH', '/products/3', { sku: 'taken' }));
    await field('SKU').fill('taken');
    await field('Category').fill('Gift cards');
    await field('Seen by').selectOption('listed');
    await field('Least in an order').fill('2');
    await field('Most in an order').fill('50');
    await field('Address of a picture').fill('https://pictures.example/1.png');
    await page.getByRole('button', { name: 'Add attribute' }).click();
    await field('Called').fill('region');
    await field('Is').fill('EU: west');
    await page
      .getByText(
        "purser product update 1 --sku taken --category 'Gift cards' --visibility listed --min-quantity 2 " +
          "--max-quantity 50 --image-url https://pictures.example/1.png --attribute 'region=EU: west'",
      )
      .waitFor();
    await save();
    await page.getByRole('alert').getByText('Product 3 has "taken" already.').waitFor();
    await field('SKU').fill('card-10');
    await page.getByRole('button', { name: 'Add attribute' }).click();
    await field('Called').last().fill('region');
    await field('Is').last().fill('US');
    await save();
    await page.getByRole('alert').getByText('Two attributes have the name “region”.').waitFor();
    await page.getByRole('button', { name: 'Remove attribute 2' }).click();
    await save();
    await page.getByRole('status').getByText('The product is saved.').waitFor();
    const saved = await productOf(1);
    assert.deepEqual(
      [saved.sku, saved.category, saved.attributes, saved.imageUrl, saved.visibility],
      ['card-10', 'Gift cards', { region: 'EU: west' }, 'https://pictures.example/1.png', 'listed'],
    );
    assert.deepEqual([saved.minQuantity, saved.maxQuantity], [2, 50]);

    for (const label of ['SKU', 'Category', 'Least in an order', 'Most in an order', 'Address of a picture'])
      await field(label).fill('');
    await page.getByRole('button', { name: 'Remove attribute 1' }).click();
    await page
      .getByText(
        'purser product update 1 --no-sku --no-category --min-quantity 1 --no-max-quantity --no-image-url --no-attribute',
      )
      .waitFor();
    await field('SKU').fill('card-11');
    await save();
    await page.getByText('purser product update').waitFor({ state: 'detached' });
    const { sku, category, attributes, imageUrl, minQuantity, maxQuantity } = await productOf(1);
    assert.deepEqual(
      [sku, category, attributes, imageUrl, minQuantity, maxQuantity],
      ['card-11', null, {}, null, 1, null],
    );
    await page.goto(`${shop.origin}/console#/products`);
    await page
      .getByRole('row', { name: /Game card 10/ })
      .getByText('card-11')
      .waitFor();
  });

  it('are shown to those who may not change them', async () => {
    const tiers = [{ minQuantity: 20, priceUsdt: 0.75 }];
    await ok(shop.operator.updateProduct(2, { priceTiers: tiers }));
    const page = await shop.tab({ hash: '#/products/2', token: await shop.operatorWith('viewer') });
    const settings = page.getByRole('region', { name: 'Settings' });
    await settings.getByText('0.75', { exact: true }).waitFor();
    const facts = (await settings.getByRole('definition').allTextContents()).filter((text) => text !== '');
    assert.deepEqual(facts.slice(0, 5), ['standard', '1.00', '0.75', HOSTILE, HOSTILE]);
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  });

  it('follow what others save, but not over what somebody types, who goes on with that', async () => {
    await ok(shop.operator.updateProduct(3, { name: 'Before', description: '', priceUsdt: 4 }));
    const page = await shop.tab({ hash: '#/products/3', expected: /status of 412/ });
    const field = (label: string) => page.getByLabel(label, { exact: true });
    const save = page.getByRole('button', { name: 'Save', exact: true });
    const shows = (label: string, text: string) =>
      eventually(`${label} is ${text}`, async () => (await field(label).inputValue()) === text);
    await shows('Name', 'Before');
    await field('Instructions').fill('mine');
    await field('Name').fill('Mine');
    await ok(shop.operator.updateProduct(3, { name: 'Theirs', description: HOSTILE, priceUsdt: 5 }));
    const notice = page.locator('.notice').filter({ hasText: 'Somebody has changed this product' });
    for (const text of ['Theirs', HOSTILE, '5']) await notice.getByText(text, { exact: true }).waitFor();
    assert.equal(await page.evaluate('document.activeElement.value'), 'Mine', 'it has the focus still');
    await assertWellShown(page);
    await save.click();
    await page.getByRole('alert').getByText(/^req_/).waitFor();
    assert.equal((await productOf(3)).name, 'Theirs', 'nobody writes over what he has not seen');
    await notice.getByRole('button', { name: 'Go on with mine' }).click();
    await notice.waitFor({ state: 'detached' });
    await shows('Description', HOSTILE);
    await page.getByText('purser product update 3 --name Mine --instructions mine').waitFor();
    await save.click();
    await page.getByText('The product is saved.').waitFor();
    const { name, description, instructions, priceUsdt } = await productOf(3);
    assert.deepEqual([name, description, instructions, priceUsdt], ['Mine', HOSTILE, 'mine', 5]);
  });

  it('are saved, though the answer got lost', async () => {
    const page = await shop.tab({ hash: '#/products/3', expected: /net::ERR_CONNECTION_RESET/ });
    await page.route('**/products/3', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    await page.getByLabel('Name', { exact: true }).fill('Saved once');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await save.click();
    await page.getByText('purser product update').waitFor({ state: 'detached' });
    assert.ok(await save.isDisabled(), 'nothing is left to save');
    assert.equal((await productOf(3)).name, 'Saved once');
  });

  it('have lots, which can be recalled', async () => {
    const { productId = 0 } = await ok(shop.operator.createProduct({ name: 'Codes', priceUsdt: 1 }));
    const lot = `/products/${productId}/stock?source=${encodeURIComponent(HOSTILE)}&costUsdt=0.25`;
    const { text } = await shop.operator.json('POST', lot, { items: ['A', 'B', 'C'] });
    const { lotId } = JSON.parse(text);
    const page = await shop.tab({ hash: `#/products/${productId}` });
    await page
      .getByRole('table', { name: 'Lots' })
      .getByRole('link', { name: String(lotId) })
      .click();
    const panel = page.getByRole('region', { name: `Lot ${lotId}` });
    await panel.getByText(HOSTILE, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Recall' }).click();
    await page.getByText('3 unsold items leave the stock for good.').waitFor();
    await page.getByText(`purser lot recall ${lotId} --yes`).waitFor();
    await fillIn(page, { Reason: 'half are used' });
    await page.getByRole('dialog').getByRole('button', { name: 'Recall' }).click();
    await page.getByRole('dialog').getByText('3 of its items have left the stock').waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await panel.getByText('Recalled at').waitFor();
    assert.equal((await productOf(productId)).availableStock, 0);
  });

  it('give stock back: the texts are shown once, and again only for the audit', async () => {
    const { productId = 0 } = await ok(shop.operator.createProduct({ name: 'Codes', priceUsdt: 1 }));
    await ok(shop.operator.addStock(productId, [HOSTILE, 'second', 'third']));
    const page = await shop.tab({ hash: `#/products/${productId}` });
    await act(page, 'Withdraw stock', { Count: '2' });
    const items = page.getByRole('dialog').getByLabel('Items');
    assert.equal(await items.inputValue(), `${HOSTILE}\nsecond`);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as file' }).click(),
    ]);
    assert.equal(saved.suggestedFilename(), `withdrawn-${productId}.txt`);
    await page.getByRole('button', { name: 'Close' }).click();
    assert.equal(await page.getByText('second').count(), 0);
    await page.locator('.product-figures').getByText('1', { exact: true }).waitFor();
    await act(page, 'Show withdrawn');
    assert.equal(await items.inputValue(), `second\n${HOSTILE}`);
  });
});
