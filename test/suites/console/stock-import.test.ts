/**
 * Imports of stock, in a real browser with a real node: what stops them, and what becomes of one that the node's death, a
 * lost answer or the operator interrupts.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { assertWellShown, consoleForTests, fillIn, IN_BROWSER } from './console-under-test.ts';

/** So slow that there is time to interrupt it. */
const SLOW_BYTES_PER_SECOND = 200_000;
const PATIENCE_MS = 240_000;
const LOST = /ERR_(CONNECTION|EMPTY|ABORTED|FAILED)|net::/;

describe('imports of stock in the console', IN_BROWSER, () => {
  const shop = consoleForTests(() => ({ processEnv: {} }));
  let folder: TemporaryFolder;
  before(async () => {
    folder = await createTemporaryFolder('stock-files');
  });
  after(() => folder.remove());

  const stockOf = async (id: number) => JSON.parse((await shop.operator.getProduct(id)).text).availableStock;
  const newProduct = async () =>
    (await ok(shop.operator.createProduct({ name: 'Codes', priceUsdt: 1 }))).productId ?? 0;

  /** The dialog, with the file chosen and its dry run seen. */
  async function choose(
    productId: number,
    file: Parameters<ReturnType<Page['getByLabel']>['setInputFiles']>[0],
  ) {
    const page = await shop.tab({ hash: `#/products/${productId}`, expected: LOST });
    await page.getByRole('button', { name: 'Import stock' }).click();
    await page.getByLabel('Stock file').setInputFiles(file);
    await page.getByText('Would add').waitFor({ timeout: PATIENCE_MS });
    return { page, dialog: page.getByRole('dialog', { name: 'Import stock' }) };
  }

  const textFile = (lines: readonly string[]) => ({
    name: 'codes.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from(lines.join('\n')),
  });

  it('say first what they would do, line by line, and stop at bad lines unless they are left out', async () => {
    const productId = await newProduct();
    await ok(shop.operator.addStock(productId, ['had before']));
    const bad = 'x'.repeat(20_000);
    const lines = ['one', 'had before', 'two', 'two', bad, bad, 'three'];
    const { page, dialog } = await choose(productId, textFile(lines));
    await dialog.getByText('3 items').waitFor();
    await dialog.getByText('2: lines 2, 4').waitFor();
    await dialog.getByText('2: lines 5–6').waitFor();
    await assertWellShown(page);
    await dialog.getByRole('button', { name: 'Import stock' }).click();
    await dialog.getByRole('alert').getByText('Nothing was added: 2 lines are no item.').waitFor();
    assert.equal(await stockOf(productId), 1);

    await dialog.getByLabel('Leave out bad lines').check();
    await fillIn(page, { Source: "O'Hara", 'Cost in USDT': '0.25', Reference: 'invoice 9' });
    await dialog
      .getByText(
        `purser stock add ${productId} codes.txt --source 'O'\\''Hara' --cost 0.25 --reference 'invoice 9' --leave-out-bad-lines`,
      )
      .waitFor();
    await dialog.getByRole('button', { name: 'Import stock' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page
      .getByRole('status')
      .getByText(/^Added 3 items as lot \d+\. Left out: 2 duplicates and 2 bad lines\.$/)
      .waitFor();
    await page
      .getByRole('region', { name: /^Lot \d+$/ })
      .getByText('3 added: 3 unsold')
      .waitFor();
    assert.equal(await stockOf(productId), 4);
  });

  it('of a table take the column that was chosen, in its encoding', async () => {
    const productId = await newProduct();
    const rows = ['Name;Code', '"F\u00fcr Sie";"TC-1"', '"F\u00fcr Sie";"TC-2"'];
    const { page, dialog } = await choose(productId, {
      name: 'codes.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`${rows.join('\r\n')}\r\n`, 'latin1'),
    });
    await dialog.getByText('This looks like a table with the columns Name, Code').waitFor();
    await dialog.getByLabel('Column').selectOption('Code');
    await dialog.getByText('2 items').waitFor();
    await dialog.getByText('TC-1', { exact: true }).waitFor();
    assert.equal(await dialog.getByText('This looks like').count(), 0);
    await assertWellShown(page);
    await dialog
      .getByText(`purser stock add ${productId} codes.csv --column Code --charset windows-1252`)
      .waitFor();
    await dialog.getByRole('button', { name: 'Import stock' }).click();
    await page.getByRole('status').getByText('Added 2 items').waitFor();
    const { items } = await ok(shop.operator.withdrawStock(productId, 9));
    assert.deepEqual(items, ['TC-1', 'TC-2']);
  });

  it('are not left by going back, can be cancelled, and have added nothing then', async () => {
    const productId = await newProduct();
    const { page, dialog } = await choose(productId, slowFile());
    await beginSlowly(page);
    await page.evaluate("history.pushState(null, '', location.hash)");
    await page.evaluate('history.back()');
    await dialog.getByText('The import is under way: Cancel ends it.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('status').getByText('Cancelled: nothing was added.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await stockOf(productId), 0);
  });

  it('wait for a node that was killed amid them, and go on by themselves', async () => {
    const productId = await newProduct();
    const { page, dialog } = await choose(productId, slowFile());
    const atFullSpeed = await beginSlowly(page);
    await shop.kill();
    await dialog.getByText('Waiting for the node.').waitFor();
    await atFullSpeed();
    await shop.restart();
    await page.getByRole('status').getByText('Added 10,000 items').waitFor();
    assert.equal(await stockOf(productId), 10_000);
  });

  it('are added once when only the answer got lost', async () => {
    const productId = await newProduct();
    const { page, dialog } = await choose(productId, textFile(['lost 1', 'lost 2', 'lost 3']));
    await page.route(
      '**/stock',
      async (route) => {
        await route.fetch();
        await route.abort('connectionreset');
      },
      { times: 1 },
    );
    await dialog.getByRole('button', { name: 'Import stock' }).click();
    await page.getByRole('status').getByText('Added 3 items').waitFor();
    assert.equal(await stockOf(productId), 3);
    // Another product has them.
    const again = await choose(await newProduct(), textFile(['lost 1', 'lost 2']));
    await again.dialog.getByText(`2 of product ${productId}`).waitFor();
    assert.ok(await again.dialog.getByRole('button', { name: 'Import stock' }).isDisabled());
  });

  /** Answers what ends the slowness. */
  async function beginSlowly(page: Page): Promise<() => Promise<void>> {
    const atFullSpeed = await slowDown(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Import stock' }).click();
    await untilUnderWay(page, 'Import');
    return atFullSpeed;
  }

  function slowFile(): string {
    const path = join(folder.path, 'slow.txt');
    const lines = Array.from({ length: 10_000 }, (_, line) => String(line).padStart(99, '0'));
    writeFileSync(path, lines.join('\n'));
    return path;
  }
});

async function untilUnderWay(page: Page, what: string): Promise<void> {
  const progress = page.getByRole('progressbar', { name: what });
  await eventually(`${what} is under way`, async () => Number(await progress.getAttribute('value')) > 0);
}

async function slowDown(page: Page): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  const limitTo = async (uploadThroughput: number) => {
    const limits = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput };
    await session.send('Network.emulateNetworkConditions', limits);
  };
  await limitTo(SLOW_BYTES_PER_SECOND);
  return () => limitTo(-1);
}
