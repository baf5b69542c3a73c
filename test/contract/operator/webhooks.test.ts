/** DESIGN.md §7: what operators see of deliveries, replays, and the test ping; over TLS, to real receivers. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { verifyWebhook } from '../../../src/client/webhook-signature.ts';
import { eventually } from '../../support/eventually.ts';
import { WEBHOOK_PORT } from '../../support/loopback-listener.ts';
import type { OperatorReply } from '../../support/operator-client.ts';
import { answer, hold, type TlsReceiver } from '../../support/tls-receiver.ts';
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

  async function page(query = '', { accountId }: Subscriber = shop) {
    const reply = await call('GET', `${accountId}/deliveries${query}`);
    assertDone(reply, 200);
    const { deliveries, nextCursor } = JSON.parse(reply.text) as {
      deliveries: Delivery[];
      nextCursor?: string;
    };
    return { deliveries, nextCursor };
  }

  async function newest(subscriber?: Subscriber): Promise<Delivery> {
    const [delivery] = (await page('?limit=1', subscriber)).deliveries;
    assert.ok(delivery);
    return delivery;
  }

  /** Buys, and waits until the event has this status. */
  async function told(status: string, subscriber: Subscriber = shop): Promise<Delivery> {
    const before = (await page('?limit=1', subscriber)).deliveries[0]?.eventId;
    await node.buy(subscriber);
    await eventually(`the purchase's event is ${status}`, async () => {
      const [delivery] = (await page('?limit=1', subscriber)).deliveries;
      return delivery !== undefined && delivery.eventId !== before && delivery.status === status;
    });
    return newest(subscriber);
  }

  const timesReceived = (eventId: string) =>
    receiver.requests.filter(({ headers }) => headers['x-service-delivery'] === eventId).length;

  it('an account has its webhook, without what may be secret of it', async () => {
    const read = async (accountId: number) =>
      JSON.parse((await node.server.operator.getAccount(accountId)).text) as { readonly webhook: unknown };
    const { webhook } = await read(shop.accountId);
    const host = `shop.test:${WEBHOOK_PORT}`;
    assert.deepEqual(webhook, { host, events: ['order.completed'], balanceThresholdUsdt: null });
    assert.equal((await read(withoutWebhook)).webhook, null);
  });

  it('an event that was delivered has its attempt, with the head of the answer', async () => {
    receiver.behaviour = answer(202, 'thank you');
    const { eventId, createdAt, attempts, ...delivery } = await told('delivered');
    assert.deepEqual(delivery, { type: 'order.completed', status: 'delivered' });
    assert.equal(eventId, receiver.requests.at(-1)?.headers['x-service-delivery']);
    const [attempt, ...others] = attempts;
    assert.equal(others.length, 0);
    assert.deepEqual([attempt?.status, attempt?.responseHead], [202, 'thank you']);
    assert.ok(Number.isInteger(attempt?.durationMs));
    assert.ok(attempt !== undefined && attempt.startedAt >= createdAt - 1 && attempt.startedAt <= Date.now());
  });

  it('are listed newest first, a page at a time', async () => {
    receiver.behaviour = answer(200);
    const bought: string[] = [];
    for (let count = 0; count < 4; count += 1) bought.unshift((await told('delivered')).eventId);
    const first = await page('?limit=3');
    assert.ok(first.nextCursor);
    const second = await page(`?limit=3&cursor=${first.nextCursor}`);
    const seen = [...first.deliveries, ...second.deliveries].map(({ eventId }) => eventId);
    assert.deepEqual(seen.slice(0, 4), bought);
    assert.equal(seen.length, 5, 'with that of the test before');
    assert.equal(second.nextCursor, undefined);
    assertRefused(await call('GET', `${shop.accountId}/deliveries?limit=51`), 400, 'BAD_REQUEST');
    assertRefused(await call('GET', `${shop.accountId}/deliveries?cursor=x`), 400, 'BAD_REQUEST');
  });

  it('an event that waits for an answer is pending, with the time for which it was due, and no replay', async () => {
    const { behaviour, release } = hold();
    receiver.behaviour = behaviour;
    const { eventId, nextAttemptAt, createdAt, attempts } = await told('pending');
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
    const discarded = await told('discarded');
    const { eventId } = discarded;
    assert.deepEqual(
      discarded.attempts.map(({ status, responseHead }) => [status, responseHead]),
      Array(3).fill([503, 'closed for today']),
    );
    receiver.behaviour = answer(200);
    const reply = await call('POST', `${shop.accountId}/deliveries/${eventId}/replay`);
    assertDone(reply, 202);
    assert.deepEqual([JSON.parse(reply.text).eventId, reply.body.status], [eventId, 'pending']);
    await eventually('it is delivered', async () => (await newest()).status === 'delivered');
    assert.deepEqual(
      (await newest()).attempts.map(({ status }) => status),
      [503, 503, 503, 200],
    );
    assert.equal(timesReceived(eventId), 4);
  });

  it('all since a time are replayed, or those of one status', async () => {
    receiver.behaviour = answer(200);
    const old = await told('delivered');
    await new Promise((resolve) => setTimeout(resolve, 5));
    receiver.behaviour = answer(500);
    const failed = await told('discarded');
    receiver.behaviour = answer(200);
    const fine = await told('delivered');
    const path = `${shop.accountId}/replay`;

    const lastAct = async () =>
      JSON.parse((await node.server.operator.json('GET', '/audit?limit=1')).text).entries[0].seq as number;
    const before = await lastAct();
    for (const [body, wouldReplay] of [
      [{ since: 0, status: 'discarded' }, 1],
      [{ since: failed.createdAt }, 2],
      [{ since: Date.now() + 60_000 }, 0],
    ] as const) {
      const counted = await call('POST', path, { ...body, dryRun: true });
      assertDone(counted, 200);
      assert.equal(JSON.parse(counted.text).wouldReplay, wouldReplay);
    }
    assert.equal(await lastAct(), before, 'counting leaves no fact');
    assert.equal(timesReceived(failed.eventId), 3, 'and sends nothing');

    const discarded = await call('POST', path, { since: 0, status: 'discarded' });
    assertDone(discarded, 202);
    assert.equal(JSON.parse(discarded.text).replayed, 1);
    await eventually('it is delivered', () => timesReceived(failed.eventId) === 4);
    await eventually('all have ended', async () =>
      (await page()).deliveries.every(({ status }) => status === 'delivered'),
    );

    const since = await call('POST', path, { since: failed.createdAt });
    assertDone(since, 202);
    assert.deepEqual(
      [JSON.parse(since.text).replayed, JSON.parse(since.text).nextCursor],
      [2, undefined],
      'it was few enough for one step',
    );
    await eventually('both have come again', () =>
      [failed, fine].every(({ eventId }, at) => timesReceived(eventId) === [5, 2][at]),
    );
    assert.equal(timesReceived(old.eventId), 1);
    assertRefused(await call('POST', path, {}), 400, 'BAD_REQUEST');
    assertRefused(await call('POST', path, { since: 0, status: 'pending' }), 400, 'BAD_REQUEST');
  });

  it('a test ping is signed like an event, attempted once, and in no history', async () => {
    receiver.behaviour = answer(200, 'pong');
    const newestBefore = (await newest()).eventId;
    const reply = await call('POST', `${shop.accountId}/test`);
    assertDone(reply, 202);
    const { eventId, attempt } = JSON.parse(reply.text) as { eventId: string; attempt: Attempt };
    assert.deepEqual([attempt.status, attempt.responseHead], [200, 'pong']);
    const request = receiver.requests.at(-1);
    assert.ok(request);
    const event = await verifyWebhook({ headers: request.headers, body: request.body, secret: shop.secret });
    assert.deepEqual(event, { eventId, type: 'webhook.test' });
    assert.equal(request.headers['x-service-event'], 'webhook.test');

    receiver.behaviour = answer(302, '', { location: 'https://elsewhere.test/' });
    const refused = JSON.parse((await call('POST', `${shop.accountId}/test`)).text) as {
      eventId: string;
      attempt: Attempt;
    };
    assert.equal(refused.attempt.status, 302);
    assert.notEqual(refused.eventId, eventId);
    assert.equal((await newest()).eventId, newestBefore);
    assert.equal(timesReceived(refused.eventId), 1);
  });

  it('a test ping tells why there was no answer', async () => {
    node.network.dns.set('other.test', [{ type: 'A', data: '10.0.0.1' }]);
    // The address that was found before may be used for some seconds more: an account that was never sent to.
    const reply = await call('POST', `${other.accountId}/test`);
    assertDone(reply, 202);
    assert.equal(JSON.parse(reply.text).attempt.error.code, 'destination');
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

  it('the metrics count events and attempts, and how long they took', async () => {
    const shown = async (name: string) => {
      const { text } = await node.server.operator.request('GET', '/metrics', {});
      const line = text.split('\n').find((one) => one.startsWith(`${name} `));
      return Number(line?.slice(name.length));
    };
    // Ten purchases in the tests before; two events were refused three times each, and five replays delivered.
    const ends = async () => [
      await shown('purser_webhook_delivered_total'),
      await shown('purser_webhook_pending'),
    ];
    await eventually('the thread has reported', async () => (await ends()).join() === '13,0');
    const delivered = await shown('purser_webhook_attempts_total{outcome="delivered"}');
    const refused = await shown('purser_webhook_attempts_total{outcome="refused"}');
    const events = await shown('purser_webhook_events_total');
    assert.deepEqual([delivered, refused, events], [13, 6, 10]);
    assert.equal(await shown('purser_webhook_discarded_total'), 2);
    const attempts = 'purser_webhook_attempt_duration_seconds';
    assert.equal(await shown(`${attempts}_bucket{le="+Inf"}`), delivered + refused);
    assert.equal(await shown(`${attempts}_count`), delivered + refused);
    assert.equal(await shown('purser_webhook_delivery_delay_seconds_count'), events - 2);
    assert.ok((await shown('purser_webhook_delivery_delay_seconds_sum')) > 0);
  });

  it("what isn't there is 404, and another account's event is not there", async () => {
    const { eventId } = await newest();
    const unknown: [method: string, path: string, body?: unknown][] = [
      ['GET', '999/deliveries'],
      ['POST', `999/deliveries/${eventId}/replay`],
      ['POST', '999/replay', { since: 0 }],
      ['POST', '999/test'],
      ['POST', `${other.accountId}/deliveries/${eventId}/replay`],
      ['POST', `${shop.accountId}/deliveries/${NOBODYS_EVENT}/replay`],
      ['POST', `${shop.accountId}/deliveries/nonsense/replay`],
      ['POST', `${withoutWebhook}/replay`, { since: 0 }],
      ['POST', `${withoutWebhook}/test`],
    ];
    for (const [method, path, body] of unknown)
      assertRefused(await call(method, path, body), 404, 'NOT_FOUND');
    assert.deepEqual(
      (await page('', { ...shop, accountId: withoutWebhook })).deliveries,
      [],
      'an account that never had a webhook has an empty history',
    );
  });

  it('accounts with a webhook are listed, with how it goes, and those that fail alone', async () => {
    const list = async (query = '') => {
      const reply = await node.server.operator.json('GET', `/webhooks${query}`);
      assertDone(reply, 200);
      const body = JSON.parse(reply.text) as {
        readonly webhooks: readonly { accountId: number; failing: boolean; pending: number }[];
        readonly nextCursor?: string;
      };
      const rows = body.webhooks.map(({ accountId, failing, pending }) => [accountId, failing, pending]);
      return { rows, nextCursor: body.nextCursor, webhooks: body.webhooks };
    };
    const ids = [shop.accountId, other.accountId];
    assert.deepEqual(
      (await list()).rows,
      ids.map((accountId) => [accountId, false, 0]),
    );
    const first = await list('?limit=1');
    const second = await list(`?limit=1&cursor=${first.nextCursor}`);
    assert.deepEqual([...first.rows, ...second.rows].length, 2);
    assert.equal(second.nextCursor, undefined);
    assert.deepEqual(first.webhooks[0] as object, {
      accountId: shop.accountId,
      name: 'reseller',
      host: `shop.test:${WEBHOOK_PORT}`,
      events: ['order.completed'],
      balanceThresholdUsdt: null,
      failing: false,
      pending: 0,
    });
    assert.deepEqual((await list('?failing=true')).rows, []);

    const { behaviour, release } = hold();
    receiver.behaviour = behaviour;
    await told('pending');
    await node.buy(shop);
    await eventually('both wait', async () => (await list()).rows[0]?.[2] === 2);
    receiver.behaviour = answer(500);
    release(500);
    await eventually('it fails', async () => (await list('?failing=true')).rows[0]?.[1] === true);
    await eventually('both are discarded', async () => (await list()).rows[0]?.[2] === 0);
    assert.deepEqual((await list('?failing=true')).rows, [[shop.accountId, true, 0]]);
    receiver.behaviour = answer(200);
    await told('delivered');
    assert.deepEqual((await list('?failing=true')).rows, []);
    assertRefused(await node.server.operator.json('GET', '/webhooks?failing=1'), 400, 'BAD_REQUEST');
    assertRefused(await node.server.operator.json('GET', '/webhooks?limit=51'), 400, 'BAD_REQUEST');
  });

  it('what a deleted webhook has cancelled stays in the history, and is not replayed', async () => {
    const { behaviour } = hold();
    receiver.behaviour = behaviour;
    for (let count = 0; count < 5; count += 1) await node.buy(shop);
    const removed = await node.server.buyers.deleteWebhook(shop.apiKey);
    assert.equal(removed.status, 200);
    await eventually('it is cancelled', async () => (await newest()).status === 'cancelled');
    const { eventId, nextAttemptAt } = await newest();
    assert.equal(nextAttemptAt, undefined);
    assertRefused(await call('POST', `${shop.accountId}/deliveries/${eventId}/replay`), 404, 'NOT_FOUND');
  });

  it('leaves a folder that verify finds sound', async () => {
    assert.match(await node.verify(), /webhooks: /);
  });
});
