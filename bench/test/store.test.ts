/** The store's benchmark at a small size: what is read is what was folded, and each part says its figures. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BadFlagError } from '../commands/contention-options.ts';
import { measureEventPages } from '../commands/event-pages.ts';
import { measureListings } from '../commands/order-listings.ts';
import { runStore } from '../commands/store.ts';
import { accountOf } from '../shop/placed-orders.ts';

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'purser-bench-test-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('each part of the store finds what the part before it wrote, and nothing stays on the disk', async () => {
  await inFolder(async (folder) => {
    const said: string[] = [];
    const flags = { orders: '20000', keys: '1000', accounts: '500', lists: '2' };
    await runStore(flags, { folder, print: (text) => said.push(text) });
    const [folded = '', read = '', written = '', asked = '', credited = '', loaded = '', priced = ''] = said;
    assert.equal(said.length, 7);
    assert.match(folded, /^20,000 +\d+\.\d+ +\d+\.\d+ +\d+\.\d+ +\d+ /m);
    for (const row of ['oldest order', 'key that is nowhere', '18 movements of an account'])
      assert.match(read, new RegExp(`^${row}.* \\d+\\.\\d+ `, 'm'));
    assert.match(written, /^1,000 keys: /);
    assert.match(asked, /^look up a new key .* 1,000,000 /m);
    assert.match(credited, /^500 accounts, 400 credits: /);
    assert.match(loaded, /^load the state /m);
    assert.match(priced, /^views +\d+\.\d[\s\S]*^a view after a change of one product /m);
    assert.deepEqual(readdirSync(folder), []);
  });
});

test('too few orders for a page of each account are refused', async () => {
  const says = /^--orders takes 0, or 20000 or more, not "500"$/;
  await assert.rejects(
    runStore({ orders: '500' }, { folder: '', print: assert.fail }),
    (error) => error instanceof BadFlagError && says.test(error.message),
  );
});

test('listings find orders by each of their traits', async () => {
  await inFolder(async (folder) => {
    const orders = 20_000;
    const said = await measureListings(join(folder, 'node'), orders);
    const ofAccount = Array.from({ length: orders }, (_, index) => accountOf(index + 1, 500));
    const found = (name: string) => Number(new RegExp(`^${name} +(\\d+) orders`, 'm').exec(said)?.[1]);
    assert.equal(found('all, 1000 a page'), 1000);
    assert.equal(found('an account'), ofAccount.filter((account) => account === 7).length);
    assert.equal(found('refunded'), 200);
    assert.equal(found('pending_delivery, none'), 0);
    assert.equal(found('a recipient with one order'), 1);
    assert.equal(found('a recipient with many orders'), 200);
    assert.equal(found('nobody'), 0);
    assert.equal(found('a request id'), 1);
    assert.equal(found('an idempotency key of an account'), 1);
    // Products have sold more than the mean, or less: of these the last items are for sale.
    assert.match(said, /^the order of an item: 9\d\d of 1000 found/m);
  });
});

test('pages of events have what their accounts bought', async () => {
  await inFolder(async (folder) => {
    const said = await measureEventPages(join(folder, 'node'), 20_000);
    assert.match(said, /^a tenth of all orders +100 /m);
    assert.match(said, /^a thousand orders +100 /m);
    assert.match(said, /^ten orders +\d /m);
    assert.match(said, /^a tenth: of a type without any +0 /m);
  });
});
