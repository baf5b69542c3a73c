/** Deposits, an account's chat, and how the bots are, in a real browser with a real node. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { FeedConnection } from '../../feed/feed-connection.ts';
import { ok } from '../../support/operator-client.ts';
import { consoleForTests, fillIn, focusGoesTo, IN_BROWSER } from './console-under-test.ts';

const ADDRESS = 'TXYZshop';

describe('deposits in the console', IN_BROWSER, () => {
  const shop = consoleForTests(() => ({ flags: { depositAddress: [`trc20=${ADDRESS}`] } }));
  let bot: { readonly operatorId: number; readonly token: string };
  before(async () => {
    bot = JSON.parse((await post('/operators', { name: 'shop-bot', role: 'bot' })).text);
    for (const name of ['First kiosk', 'Second kiosk']) await ok(shop.operator.createAccount({ name }));
    await ok(shop.operator.credit(2, 100, 'paid'));
  });

  const post = async (path: string, body: object) => shop.operator.json('POST', path, body);
  const open = async (accountId: number, amountUsdt: number): Promise<number> =>
    JSON.parse((await post(`/accounts/${accountId}/deposits`, { network: 'trc20', amountUsdt })).text)
      .payUsdt;
  const observe = async (txId: string, amountUsdt: number) => {
    const place = { network: 'trc20', address: ADDRESS, at: Date.now() };
    assert.equal(
      (await post('/deposits/observed', { ...place, txId, amountUsdt, confirmations: 20 })).status,
      200,
    );
  };

  it('say where customers pay and whether anybody watches, which no look at the console is', async () => {
    const page = await shop.tab({ hash: '#/deposits' });
    const where = page.getByRole('region', { name: 'Where customers pay' });
    await where.getByText(ADDRESS).waitFor();
    await where.getByText('20 confirmations').waitFor();
    const silent = where.getByText('none was heard of since the node started');
    await silent.waitFor();
    await page.reload();
    await silent.waitFor();
    await page.getByText('There are none yet.').waitFor();
    await page.getByText('There are none: each transfer is credited.').waitFor();
    await observe('first', 7);
    await where.getByText(/last heard of \d+ s ago/).waitFor();
  });

  it('are listed as they are, by state and by account', async () => {
    await open(1, 50);
    await observe('paid', await open(2, 20));
    const page = await shop.tab({ hash: '#/deposits' });
    const list = page.getByRole('table', { name: 'Deposits', exact: true });
    const [newest, older] = [list.getByRole('row').nth(1), list.getByRole('row').nth(2)];
    await newest.getByText('credited').waitFor();
    await newest.getByText('trc20:paid:0').waitFor();
    await newest.getByRole('link', { name: '2 Second kiosk' }).waitFor();
    await older.getByText('waiting').waitFor();
    await older.getByText(ADDRESS).waitFor();
    await page.getByLabel('State').selectOption('waiting');
    await page.waitForURL(/#\/deposits\?state=waiting$/);
    await page.getByText('purser deposits list --state waiting', { exact: true }).waitFor();
    await newest.getByText('First kiosk').waitFor();
    assert.equal(await list.getByRole('row').count(), 2);
    await page.getByLabel('Account').fill('2');
    await page.getByText('No deposit is like this.').waitFor();
    await page.getByText('purser deposits list --state waiting --account 2').waitFor();
    await page.getByLabel('State').selectOption('credited');
    await newest.getByRole('link', { name: 'Second kiosk' }).click();
    await page.getByRole('heading', { name: 'Account 2', level: 1 }).waitFor();
    await list.getByText('trc20:paid:0').waitFor();
    await page.getByRole('link', { name: 'With all others' }).click();
    await page.waitForURL(/#\/deposits\?accountId=2$/);
  });

  it('have transfers that are assigned to an account by its name, with its balance before and after', async () => {
    await observe('lost', 12.5);
    const page = await shop.tab({ hash: '#/deposits', expected: /status of 40[49]/ });
    const list = page.getByRole('table', { name: 'Unclaimed transfers' });
    await list
      .getByRole('row', { name: /12\.50/ })
      .getByRole('button', { name: 'Assign' })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Assign' });
    const account = dialog.getByLabel('Account', { exact: true });
    const confirm = dialog.getByRole('button', { name: 'Assign', exact: true });
    await dialog.getByText('purser deposits assign --reference trc20:lost:0 --account …').waitFor();
    await account.fill('kios');
    await dialog.getByRole('button', { name: /First kiosk/ }).waitFor();
    // A name alone is never sent.
    await confirm.click();
    assert.equal(
      await account.evaluate((input: { matches(selector: string): boolean }) => input.matches(':invalid')),
      true,
    );
    await account.fill('nobody');
    await dialog.getByText('None is found.').waitFor();
    await account.fill('99');
    await dialog
      .getByRole('alert')
      .getByText(/no such account/i)
      .waitFor();
    await account.fill('kiosk');
    await dialog.getByRole('button', { name: /Second kiosk/ }).click();
    await focusGoesTo(page, 'Account');
    assert.equal(await account.inputValue(), '2');
    const told = dialog.getByRole('status');
    await told.getByText('2 Second kiosk').waitFor();
    const balance = (await shop.operator.getAccount(2)).body.balanceUsdt ?? 0;
    await told.getByText(String(balance), { exact: true }).waitFor();
    await told.getByText(String(Number((balance + 12.5).toFixed(6))), { exact: true }).waitFor();
    await fillIn(page, { Reason: 'he wrote to us' });
    await dialog
      .getByText("purser deposits assign --reference trc20:lost:0 --account 2 --reason 'he wrote to us'")
      .waitFor();
    await confirm.click();
    await dialog.waitFor({ state: 'detached' });
    await list.getByText('trc20:lost:0').waitFor({ state: 'detached' });
    assert.equal((await shop.operator.getAccount(2)).body.balanceUsdt, Number((balance + 12.5).toFixed(6)));

    // Somebody else may be quicker.
    await observe('twice', 3);
    await list.getByRole('row', { name: /3\.00/ }).getByRole('button', { name: 'Assign' }).click();
    await account.fill('1');
    await told.getByText('1 First kiosk').waitFor();
    assert.equal((await post('/deposits/unclaimed/trc20:twice:0/assign', { accountId: 2 })).status, 200);
    await confirm.click();
    await dialog.getByRole('alert').getByText('The transfer was credited to account 2 already.').waitFor();
  });

  it('are read by a viewer, who assigns none', async () => {
    await observe('seen', 4);
    const page = await shop.tab({ hash: '#/deposits', token: await shop.operatorWith('viewer') });
    await page.getByRole('table', { name: 'Unclaimed transfers' }).getByText('trc20:seen:0').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Assign' }).count(), 0);
    assert.equal(await page.getByRole('region', { name: 'Where customers pay' }).count(), 0);
    // The alert about them leads here.
    await page.goto(`${shop.origin}/console#/node`);
    await page.getByRole('link', { name: 'DEPOSIT_UNCLAIMED' }).first().click();
    await page.getByRole('heading', { name: 'Deposits', level: 1 }).waitFor();
  });

  it('belong to accounts of chats, which say their chat and the bot that made them', async () => {
    const headers = { authorization: `Bearer ${bot.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Chat', externalId: 'telegram:4711' });
    const made = await fetch(`${shop.node.operatorUrl}/accounts`, { method: 'POST', headers, body });
    const { accountId } = JSON.parse(await made.text());
    const page = await shop.tab({ hash: `#/accounts/${accountId}` });
    const chat = page.getByRole('region', { name: 'Chat' });
    await chat.getByText('4711', { exact: true }).waitFor();
    const link = chat.getByRole('link', { name: 'In Telegram, on this device' });
    assert.equal(await link.getAttribute('href'), 'tg://user?id=4711');
    await chat.getByRole('link', { name: `${bot.operatorId} shop-bot` }).waitFor();
    await page.getByText('It has opened none in the last week.').waitFor();
    await ok(shop.operator.json('PATCH', `/accounts/${accountId}`, { externalId: 'telegram:-1001' }));
    await chat.getByText('-1001', { exact: true }).waitFor();
    assert.equal(await link.count(), 0, 'a group is no user');
    await page.goto(`${shop.origin}/console#/accounts/1`);
    await page.getByRole('region', { name: 'Wallet' }).waitFor();
    assert.equal(await chat.count(), 0);
  });

  it('come with bots, whose page says when each was there, how far behind it is, and who has blocked it', async () => {
    const page = await shop.tab({ hash: '#/operators' });
    const row = page.getByRole('table', { name: 'Bots' }).getByRole('row', { name: /shop-bot/ });
    await row.getByText('telegram:…').waitFor();
    await page.getByText('purser operator bots').waitFor();
    const operator = { operatorUrl: shop.node.operatorUrl, operatorToken: bot.token };
    const behind = await FeedConnection.open(operator, '?after=0&blockedChats=3&unsentMessages=1');
    await row.getByText('there', { exact: true }).waitFor();
    await row.getByText(/^\d+ lines, the oldest \d+ s ago$/).waitFor();
    await row.getByText('3 chats').waitFor();
    await row.getByText('1 message', { exact: true }).waitFor();
    behind.close();
    const { journalPosition } = JSON.parse((await shop.operator.json('GET', '/status')).text);
    const done = await FeedConnection.open(operator, `?after=${journalPosition}&blockedChats=1`);
    await row.getByText('nothing').waitFor();
    await row.getByText('1 chat', { exact: true }).waitFor();
    done.close();
  });
});

describe('deposits that are off', IN_BROWSER, () => {
  const shop = consoleForTests();

  it('say how they are turned on, and bots are told of only where there are some', async () => {
    const page = await shop.tab({ hash: '#/deposits' });
    const off = page.getByRole('region', { name: 'Deposits are off' });
    await off.getByText('--deposit-address trc20=ADDRESS').waitFor();
    await page.getByText('There are none yet.').waitFor();
    await page.goto(`${shop.origin}/console#/operators`);
    await page.getByRole('table', { name: 'Sessions' }).waitFor();
    assert.equal(await page.getByRole('region', { name: 'Bots' }).count(), 0);
  });
});
