/** How a tab comes to a session and leaves it, and what roles see. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';
import { assertWellShown, consoleForTests, IN_BROWSER, settled } from './console-under-test.ts';

describe('signing in to the console', IN_BROWSER, () => {
  const shop = consoleForTests();
  before(async () => {
    await shop.operator.createAccount({ name: 'Reseller' });
  });

  /** Whether the node knows the session of this token no more. */
  async function isOver(token: string): Promise<boolean> {
    const { status } = await shop.operator.request('GET', '/session', { authorization: `Bearer ${token}` });
    return status === 401;
  }

  it('by a code works once, and the code leaves the address', async () => {
    const { text } = await shop.operator.json('POST', '/console-codes', {});
    const hash = `#code=${JSON.parse(text).code}`;
    const page = await shop.tab({ token: '', hash });
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    const notice = page.getByRole('status').filter({ hasText: 'has signed you in as root (owner)' });
    await notice.waitFor();
    await assertWellShown(page);
    await notice.getByRole('button', { name: 'That is me' }).click();
    await notice.waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('location.hash'), '#/overview');
    assert.ok(!String(await page.evaluate('history.length + location.href')).includes('code'));

    const second = await shop.tab({ token: '', hash, expected: /status of 401/ });
    await second.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    const news = second.getByRole('status').filter({ hasText: 'purser console' });
    assert.equal((await news.innerText()).split('purser console').length, 2, 'it says so once');
  });

  it('by a code takes the place of no session unasked', async () => {
    const token = await shop.operatorWith('support', 'stranger');
    const codeOf = async () => {
      const authorization = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const { text } = await shop.operator.request('POST', '/console-codes', authorization, '{}');
      return JSON.parse(text).code;
    };
    const page = await shop.tab({ hash: '#/accounts' });
    const { token: before } = await sessionOf(page);
    const who = page.getByTitle('Who you are signed in as');
    const offer = page.getByRole('dialog', { name: 'Sign in by the code' });
    await page.evaluate(`location.hash = '#code=${await codeOf()}'`);
    await offer.getByText('You are signed in as root').waitFor();
    assert.equal(await page.evaluate('location.hash'), '#/overview');
    await assertWellShown(page);
    await offer.getByRole('button', { name: 'Stay' }).click();
    await offer.waitFor({ state: 'detached' });
    assert.match(await who.innerText(), /root/);
    assert.equal(await isOver(before), false);

    await page.evaluate(`location.hash = '#code=${await codeOf()}'`);
    await offer.getByRole('button', { name: 'Sign in by the code' }).click();
    await offer.waitFor({ state: 'detached' });
    await page.getByRole('status').filter({ hasText: 'signed you in as stranger (support)' }).waitFor();
    assert.match(await who.innerText(), /stranger/);
    await eventually('the session before has ended', () => isOver(before));
  });

  it('is no use of the session by what the page asks by itself when nobody is there', async () => {
    const page = await shop.tab({ hash: '#/accounts' });
    await page.clock.install();
    const isUnattended = async () => {
      const asked = await page.waitForRequest('**/operator/v1/status');
      return asked.headers()['x-unattended'] === 'true';
    };
    await page.keyboard.press('Shift');
    assert.equal(await isUnattended(), false, 'somebody has just touched it');
    await page.clock.fastForward('02:00');
    await eventually('nobody is there', isUnattended);
    await page.mouse.wheel(0, 10);
    await eventually('somebody is back', async () => !(await isUnattended()));
  });

  it('ends by signing out, for the node too', async () => {
    const page = await shop.tab({ hash: '#/accounts' });
    const { token } = await sessionOf(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    assert.equal(await page.evaluate("sessionStorage.getItem('purser.session')"), null);
    // The tab doesn't wait for the node.
    await eventually('the node knows', () => isOver(token));
  });

  it('as finance shows what finance may do, and the node refuses the rest', async () => {
    const token = await shop.operatorWith('finance');
    const page = await shop.tab({ token, hash: '#/accounts/1' });
    await page.getByRole('button', { name: 'Add credit' }).waitFor();
    await settled(page);
    for (const name of ['Change account', 'Issue key'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    const authorization = `Bearer ${token}`;
    const { status } = await shop.operator.request('POST', '/accounts/1/key', { authorization });
    assert.equal(status, 403);
  });
});

/** The session that the tab has stored. */
async function sessionOf(page: Page): Promise<{ readonly token: string; readonly sessionId: number }> {
  return JSON.parse(String(await page.evaluate("sessionStorage.getItem('purser.session')")));
}
