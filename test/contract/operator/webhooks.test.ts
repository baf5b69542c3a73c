/** DESIGN.md §7: what operators see of deliveries, replays, and the test ping; over TLS, to real receivers. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { verifyWebhook } from '../../../src/client/webhook-signature.ts';
import { eventually } from '../../support/eventually.ts';
import type { OperatorReply } from '../../support/operator-client.ts';
import { WEBHOOK_PORT } from '../../support/servers/loopback-listener.ts';
import { answer, hold, type TlsReceiver } from '../../support/servers/tls-receiver.ts';
import { type Subscriber, WebhookNode } from '../../webhooks/webhook-node.ts';
import { assertDone, assertRefused } from '../operator-reply.ts';

interface Attempt {
  readonly startedAt: number;
  readonly durationMs: number;
  readonly status?: number;
  readonly responseHead?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

interface Delivery {
  readonly eventId: string;
  readonly type: string;
  readonly status: string;
  readonly createdAt: number;
  readonly nextAttemptAt?: number;
  readonly attempts: readonly Attempt[];
}

/** No event of these tests is this account's. */
const NOBODYS_EVENT = `evt_${'0'.repeat(19)}1`;

describe('operator API: deliveries of webhooks', { timeout: 120_000 }, () => {
  let node: WebhookNode;
  let receiver: TlsReceiver;
  let shop: Subscriber;
  let other: Subscriber;
  let withoutWebhook: number;

  before(async () => {
    node = await WebhookNode.prepare(['--webhook-retries', '20ms,20ms', '--webhook-timeout', '1m']);
    receiver = await node.network.receiver('shop.test');
    await node.network.receiver('other.test');
    const events = ['order.completed'] as const;
    const subscribers = await node.subscribe(
      { host: 'shop.test', events, webhookConcurrency: 4 },
      { host: 'other.test', events },
    );
    [shop, other] = subscribers as [Subscriber, Subscriber];
    const { body } = await node.server.operator.createAccount({ name: 'no webhook' });
    withoutWebhook = body.accountId ?? 0;
  });
  after(() => node.close());

  function call(method: string, path: string, body?: unknown): Promise<OperatorReply> {
    return node.server.operator.json(method, `/webhooks/${path}`, body);
  }

  /** The body of an answer that says `status`. */
  async function told<Body = Delivery>(reply: Promise<OperatorReply>, status = 200): Promise<Body> {
    const answered = await reply;
    assertDone(answered, status);
    return JSON.parse(answered.text) as Body;
  }

  function page(query = '', { accountId }: Pick<Subscriber, 'accountId'> = shop) {
    const reply = call('GET', `${accountId}/deliveries${query}`);
    return told<{ deliveries: Delivery[]; nextCursor?: string }>(reply);
  }

  async function newest(): Promise<Delivery> {
    const [delivery] = (await page('?limit=1')).deliveries;
    return delivery ?? assert.fail('there is none');
  }

  /** Buys, and waits until the event has this status. */
  async function bought(status: string): Promise<Delivery> {
    const before = (await page('?limit=1')).deliveries[0]?.eventId;
    await node.buy(shop);
    await eventually(`the purchase's event is ${status}`, async () => {
      const [delivery] = (await page('?limit=1')).deliveries;
      return delivery !== undefined && delivery.eventId !== before && delivery.status === status;
    });
    return newest();
  }

  const timesReceived = (eventId: string) =>
    receiver.requests.filter(({ headers }) => headers['x-service-delivery'] === eventId).length;

  it('an event that was delivered has its attempt, with the head of the answer', async () => {
    receiver.behaviour = answer(202, 'thank you');
    const { eventId, createdAt, attempts, ...delivery } = await bought('delivered');
    assert.deepEqual(delivery, { type: 'order.completed', status: 'delivered' });
    assert.equal(eventId, receiver.requests.at(-1)?.headers['x-service-delivery']);
    const [attempt = assert.fail('no attempt')] = attempts;
    assert.deepEqual([attempts.length, attempt.status, attempt.responseHead], [1, 202, 'thank you']);
    assert.ok(attempt.startedAt >= createdAt - 1 && attempt.startedAt <= Date.now());
  });

  it('are listed newest first, a page at a time', async () => {
    receiver.behaviour = answer(200);
    const { eventId: before } = await newest();
    const ids = [before];
    for (let count = 0; count < 3; count += 1) ids.unshift((await bought('delivered')).eventId);
    const first = await page('?limit=3');
    const second = await page(`?limit=3&cursor=${first.nextCursor}`);
    const seen = [...first.deliveries, ...second.deliveries].map(({ eventId }) => eventId);
    assert.deepEqual([seen, second.nextCursor], [ids, undefined]);
    for (const query of ['limit=51', 'cursor=x']) {
      assertRefused(await call('GET', `${shop.accountId}/deliveries?${query}`), 400, 'BAD_REQUEST');
    }
  });

  it('an event that waits for an answer is pending, with the time for which it was due, and no replay', async () => {
    const { behaviour, release } = hold();
    receiver.behaviour = behaviour;
    const { eventId, nextAttemptAt, createdAt, attempts } = await bought('pending');
    assert.deepEqual(attempts, []);
    assert.ok(nextAttemptAt !== undefined && nextAttemptAt >= createdAt - 1);
    const path = `${shop.accountId}/deliveries/${eventId}/replay`;
    assertRefused(await call('POST', path), 409, 'REPLAY_NOT_ALLOWED');
    await eventually('it has been received', () => timesReceived(eventId) === 1);
    release(200);
    await eventually('it is delivered', async () => (await newest()).status === 'delivered');
  });

  it('an event that was discarded is replayed: the same event, once more from the beginning', async () => {
    receiver.behaviour = answer(503, 'closed for today');
    const { eventId, attempts } = await bought('discarded');
    const told503 = attempts.map(({ status, responseHead }) => [status, responseHead]);
    assert.deepEqual(told503, Array(3).fill([503, 'closed for today']));
    receiver.behaviour = answer(200);
    const replayed = await told(call('POST', `${shop.accountId}/deliveries/${eventId}/replay`), 202);
    assert.deepEqual([replayed.eventId, replayed.status], [eventId, 'pending']);
    await eventually('it is delivered', async () => (await newest()).status === 'delivered');
    const statuses = (await newest()).attempts.map(({ status }) => status);
    assert.deepEqual([statuses, timesReceived(eventId)], [[503, 503, 503, 200], 4]);
  });

  it('all since a time are replayed, or those of one status', async () => {
    type Counted = { readonly wouldReplay: number; readonly replayed: number; readonly nextCursor?: string };
    receiver.behaviour = answer(200);
    const old = await bought('delivered');
    await new Promise((resolve) => setTimeout(resolve, 5));
    receiver.behaviour = answer(500);
    const failed = await bought('discarded');
    receiver.behaviour = answer(200);
    const fine = await bought('delivered');
    const path = `${shop.accountId}/replay`;

    const lastAct = async () =>
      JSON.parse((await node.server.operator.json('GET', '/audit?limit=1')).text).entries[0].seq as number;
    const before = await lastAct();
    for (const [body, wouldReplay] of [
      [{ since: 0, status: 'discarded' }, 1],
      [{ since: failed.createdAt }, 2],
      [{ since: Date.now() + 60_000 }, 0],
    ] as const) {
      const counted = await told<Counted>(call('POST', path, { ...body, dryRun: true }));
      assert.equal(counted.wouldReplay, wouldReplay);
    }
    assert.deepEqual([await lastAct(), timesReceived(failed.eventId)], [before, 3], 'counting does nothing');

    const discarded = await told<Counted>(call('POST', path, { since: 0, status: 'discarded' }), 202);
    assert.equal(discarded.replayed, 1);
    await eventually('all have ended', async () =>
      (await page()).deliveries.every(({ status }) => status === 'delivered'),
    );
    const since = await told<Counted>(call('POST', path, { since: failed.createdAt }), 202);
    assert.deepEqual([since.replayed, since.nextCursor], [2, undefined]);
    await eventually('both have come again', () =>
      [failed, fine].every(({ eventId }, at) => timesReceived(eventId) === [5, 2][at]),
    );
    assert.equal(timesReceived(old.eventId), 1);
    for (const body of [{}, { since: 0, status: 'pending' }]) {
      assertRefused(await call('POST', path, body), 400, 'BAD_REQUEST');
    }
  });

  it('a test ping is signed like an event, attempted once, and in no history; or says why it was not', async () => {
    const ping = ({ accountId }: Subscriber) =>
      told<{ eventId: string; attempt: Attempt }>(call('POST', `${accountId}/test`), 202);
    receiver.behaviour = answer(200, 'pong');
    const newestBefore = (await newest()).eventId;
    const { eventId, attempt } = await ping(shop);
    assert.deepEqual([attempt.status, attempt.responseHead], [200, 'pong']);
    const request = receiver.requests.at(-1) ?? assert.fail('nothing came');
    const event = await verifyWebhook({ headers: request.headers, body: request.body, secret: shop.secret });
    assert.deepEqual(event, { eventId, type: 'webhook.test' });

    receiver.behaviour = answer(302, '', { location: 'https://elsewhere.test/' });
    const refused = await ping(shop);
    assert.deepEqual([refused.attempt.status, timesReceived(refused.eventId)], [302, 1]);
    assert.equal((await newest()).eventId, newestBefore);
    // The address that was found before may be used for some seconds more: an account that was never sent to.
    node.network.dns.set('other.test', [{ type: 'A', data: '10.0.0.1' }]);
    assert.equal((await ping(other)).attempt.error?.code, 'destination');
  });

  it('who replayed and tested, and why, is in the audit before the answer', async () => {
    receiver.behaviour = answer(200);
    const reason = 'they asked for it';
    const { accountId } = shop;
    const { eventId } = await newest();
    const calls: [action: string, path: string, body: object, about: object][] = [
      ['WebhookTested', `${accountId}/test`, {}, {}],
      ['WebhooksReplayed', `${accountId}/replay`, { since: Date.now() + 60_000 }, {}],
      ['WebhookReplayed', `${accountId}/deliveries/${eventId}/replay`, {}, { eventId }],
    ];
    for (const [action, path, body, about] of calls) {
      const reply = await call('POST', path, { ...body, reason });
      assertDone(reply, 202);
      const { text } = await node.server.operator.json('GET', '/audit?limit=1');
      const { seq, at, ...entry } = JSON.parse(text).entries[0];
      assert.ok(seq > 0 && at > 0);
      const { requestId } = reply.body;
      assert.deepEqual(entry, { operator: 'root', action, reason, requestId, accountId, ...about });
    }
    await eventually('all have ended', async () => (await newest()).status === 'delivered');
  });

  it("what isn't there is 404, and another account's event is not there", async () => {
    const { eventId } = await newest();
    assertRefused(await call('GET', '999/deliveries'), 404, 'NOT_FOUND');
    for (const path of [
      ...[`999/deliveries/${eventId}/replay`, '999/replay', '999/test', `${withoutWebhook}/test`],
      ...[`${other.accountId}/deliveries/${eventId}/replay`, `${withoutWebhook}/replay`],
      ...[NOBODYS_EVENT, 'nonsense'].map((id) => `${shop.accountId}/deliveries/${id}/replay`),
    ]) {
      const body = /^\d+\/replay$/.test(path) ? { since: 0 } : undefined;
      assertRefused(await call('POST', path, body), 404, 'NOT_FOUND');
    }
    const { deliveries } = await page('', { accountId: withoutWebhook });
    assert.deepEqual(deliveries, [], 'an account that never had a webhook has an empty history');
  });

  it('accounts with a webhook are listed, with how it goes, and those that fail alone', async () => {
    type Row = { readonly accountId: number; readonly failing: boolean; readonly pending: number };
    type Rows = { readonly webhooks: readonly Row[]; readonly nextCursor?: string };
    const page = (query = '') => told<Rows>(node.server.operator.json('GET', `/webhooks${query}`));
    const list = async (query = '') => {
      const { webhooks } = await page(query);
      return webhooks.map(({ accountId, failing, pending }) => [accountId, failing, pending]);
    };
    assert.deepEqual(await list(), [
      [shop.accountId, false, 0],
      [other.accountId, false, 0],
    ]);
    const { webhooks, nextCursor } = await page('?limit=1');
    assert.deepEqual(await list(`?limit=1&cursor=${nextCursor}`), [[other.accountId, false, 0]]);
    const shown = {
      host: `shop.test:${WEBHOOK_PORT}`,
      events: ['order.completed'],
      balanceThresholdUsdt: null,
    };
    const counts = { accountId: shop.accountId, name: 'reseller', failing: false, pending: 0 };
    assert.deepEqual(webhooks[0], { ...counts, ...shown });
    const account = await node.server.operator.getAccount(shop.accountId);
    assert.deepEqual(JSON.parse(account.text).webhook, shown, 'without what may be secret of it');
    assert.deepEqual(await list('?failing=true'), []);

    const { behaviour, release } = hold();
    receiver.behaviour = behaviour;
    await bought('pending');
    await node.buy(shop);
    await eventually('both wait', async () => (await list())[0]?.[2] === 2);
    receiver.behaviour = answer(500);
    release(500);
    await eventually('it fails', async () => (await list('?failing=true'))[0]?.[1] === true);
    await eventually('both are discarded', async () => (await list())[0]?.[2] === 0);
    assert.deepEqual(await list('?failing=true'), [[shop.accountId, true, 0]]);
    receiver.behaviour = answer(200);
    await bought('delivered');
    assert.deepEqual(await list('?failing=true'), []);
    assertRefused(await node.server.operator.json('GET', '/webhooks?failing=1'), 400, 'BAD_REQUEST');
    assertRefused(await node.server.operator.json('GET', '/webhooks?limit=51'), 400, 'BAD_REQUEST');
  });
});
