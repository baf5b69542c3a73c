/** The screens Webhooks and webhook, with receivers that answer what they like. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { BuyerClient } from '../../support/buyer-client.ts';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { WEBHOOK_PORT } from '../../support/servers/loopback-listener.ts';
import { answer, type TlsReceiver } from '../../support/servers/tls-receiver.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { WebhookScene } from '../../webhooks/delivery/webhook-scene.ts';
import { act, assertWellShown, consoleForTests, IN_BROWSER } from './console-under-test.ts';

const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)> \u202Eevil';

describe('webhooks in the console', IN_BROWSER, () => {
  let network: WebhookScene;
  let folder: TemporaryFolder;
  const shop = consoleForTests(async () => {
    network = await WebhookScene.open();
    folder = await createTemporaryFolder('authority');
    const caFile = join(folder.path, 'ca.pem');
    writeFileSync(caFile, network.authority.certificate);
    return {
      flags: { dnsServer: network.dns.address, webhookAllow: '127.0.0.0/8', webhookRetries: '20ms' },
      processEnv: { NODE_EXTRA_CA_CERTS: caFile },
    };
  });
  let bad: TlsReceiver;

  /** Account 1 and 2 have a webhook each: the first is taken, the second refused. Account 3 has none. */
  before(async () => {
    await network.receiver('good.test', answer(200, 'thank you'));
    bad = await network.receiver('bad.test', answer(500, HOSTILE));
    await ok(shop.operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }));
    await ok(shop.operator.addStock(1, 'a\nb\nc\nd'));
    await subscribe('Good reseller', 'good.test');
    await subscribe(HOSTILE, 'bad.test');
    await ok(shop.operator.createAccount({ name: 'Without' }));
    await eventually('an event is discarded', async () => (await deliveries(2))[0]?.status === 'discarded');
  });
  after(async () => {
    network.close();
    await folder.remove();
  });

  /** An account that has bought something, of which its webhook was told. */
  async function subscribe(name: string, host: string): Promise<void> {
    const { accountId = 0 } = await ok(shop.operator.createAccount({ name }));
    await ok(shop.operator.credit(accountId, 10, 'first'));
    const { apiKey = '' } = await ok(shop.operator.issueKey(accountId));
    const buyers = new BuyerClient(shop.node.buyerUrl);
    const url = `https://${host}:${WEBHOOK_PORT}/hook`;
    const set = await buyers.setWebhook(apiKey, { url, events: ['order.completed'] });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    await buyers.purchase(apiKey, crypto.randomUUID(), { productId: 1, expectedPriceUsdt: 1 });
  }

  async function deliveries(accountId: number): Promise<{ eventId: string; status: string }[]> {
    const { text } = await shop.operator.json('GET', `/webhooks/${accountId}/deliveries`);
    return JSON.parse(text).deliveries;
  }

  it('show each attempt with what the receiver said, as text', async () => {
    const page = await shop.tab({ hash: '#/webhooks/2' });
    await page.getByRole('table', { name: 'Deliveries' }).getByText(HOSTILE).waitFor();
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1).click();
    const dialog = page.getByRole('dialog', { name: /^Event evt_/ });
    await dialog.getByRole('group', { name: 'Answer' }).nth(1).waitFor();
    assert.equal(await dialog.getByRole('group', { name: 'Answer' }).first().innerText(), HOSTILE);
    await assertWellShown(page);
  });

  it('are tested, and the attempt is shown', async () => {
    const page = await shop.tab({ hash: '#/webhooks/1' });
    await act(page, 'Send test', { Reason: 'asked' });
    const dialog = page.getByRole('dialog', { name: 'Send test' });
    await dialog.getByText('The receiver took it.').waitFor();
    assert.equal(await dialog.getByRole('group', { name: 'Answer' }).innerText(), 'thank you');
    await page.goto(`${shop.origin}/console#/webhooks/2`);
    await act(page, 'Send test');
    await dialog.getByText('The receiver did not take it.').waitFor();
    assert.equal(await dialog.getByRole('group', { name: 'Answer' }).innerText(), HOSTILE);
  });

  it('replay many: first the count, then as many as it said', async () => {
    const page = await shop.tab({ hash: '#/webhooks/2' });
    const before = bad.requests.length;
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay' });
    await dialog.getByText('It would send 1 event.').waitFor();
    await dialog.getByLabel('Status').selectOption('Discarded only');
    await dialog.getByText('It would send 1 event.').waitFor();
    await dialog.getByText(/purser webhook replay 2 --since \S+Z --status discarded$/).waitFor();
    assert.equal(bad.requests.length, before, 'counting sends nothing');
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('Sent again: 1 event').waitFor();
    await eventually('it is sent again', () => bad.requests.length > before);
  });
});
