/** From a purchase to a receiver, with nothing in between replaced: a real node, TLS, and a name server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Alert } from '../../src/alerts/alert.ts';
import { verifyWebhook } from '../../src/client/webhook-signature.ts';
import { AlertReceiver } from '../alerts/alert-receiver.ts';
import { eventually } from '../support/eventually.ts';
import { answer, flood, hang, type TlsReceiver, trickle } from '../support/tls-receiver.ts';
import { type Subscriber, WebhookNode } from './webhook-node.ts';

function ordersTold(receiver: TlsReceiver): number[] {
  return receiver.requests
    .map(({ body }) => JSON.parse(body.toString()) as { type: string; orderId?: number })
    .filter(({ type }) => type === 'order.completed')
    .map(({ orderId }) => orderId ?? 0);
}

/** More than c-ares by itself waits for a name server that was quick before. */
const LATE_MS = 2_500;
/** To each: more than may be under way to it at once. */
const NEIGHBOURS_ORDERS = 10;

describe('a node with subscribers', () => {
  let node: WebhookNode;
  let receiver: TlsReceiver;
  let lateReceiver: TlsReceiver;
  let subscriber: Subscriber;
  let neighbours: Subscriber[];
  let alerts: AlertReceiver;

  before(async () => {
    alerts = await AlertReceiver.open();
    // The last attempt comes when a look-up that failed, on a machine that stood still, is forgotten.
    const schedule = ['--group-window', '50ms', '--webhook-retries', '200ms,1500ms'];
    node = await WebhookNode.prepare([...schedule, '--alert-url', alerts.url]);
    receiver = await node.network.receiver('healthy.test');
    await node.network.receiver('hanging.test', hang());
    await node.network.receiver('trickling.test', trickle(200, 100));
    await node.network.receiver('flooding.test', flood(200));
    node.network.dns.set('silent.test', 'silence');
    lateReceiver = await node.network.receiver('late.test');
    const lateAddress = [{ type: 'A', data: lateReceiver.address }] as const;
    node.network.dns.set('late.test', () => delay(LATE_MS, lateAddress));
    const others = ['hanging.test', 'trickling.test', 'flooding.test', 'silent.test', 'late.test'];
    const [first, ...rest] = await node.subscribeUnseen(
      ...['healthy.test', ...others].map((host) => ({
        host,
        webhookConcurrency: host === 'healthy.test' ? 1 : 4,
      })),
    );
    assert.ok(first);
    subscriber = first;
    neighbours = rest;
  });
  after(async () => {
    await node?.close();
    await alerts.close();
  });

  it('tells them of a purchase, in order, signed so that a receiver can verify it', async () => {
    const orders: number[] = [];
    for (let bought = 0; bought < 5; bought += 1) orders.push(await node.buy(subscriber));
    await eventually('all purchases are told', () => ordersTold(receiver).length >= 5);
    assert.deepEqual(ordersTold(receiver), orders);
    const ids = new Set<string>();
    for (const { headers, body } of receiver.requests) {
      const event = await verifyWebhook({ headers, body, secret: subscriber.secret });
      assert.equal(headers['x-service-event'], event.type);
      assert.equal(headers['x-service-delivery'], event.eventId);
      assert.equal(headers['user-agent'], 'Purser-BuyerAPI/1.0');
      assert.ok(headers['x-request-id']);
      ids.add(event.eventId);
    }
    assert.equal(ids.size, receiver.requests.length);
  });

  it('tells them of the stock that it changed', async () => {
    await eventually('the group is told', () =>
      receiver.requests.some(({ body }) => body.toString().includes('"productIds":[1]')),
    );
  });

  it('tells a healthy one all of it while others hang, trickle, pour, or have a silent name server', async () => {
    for (const neighbour of neighbours) {
      for (let bought = 0; bought < NEIGHBOURS_ORDERS; bought += 1) await node.buy(neighbour);
    }
    const before = ordersTold(receiver).length;
    for (let bought = 0; bought < 20; bought += 1) await node.buy(subscriber);
    await eventually('the healthy one has all', () => ordersTold(receiver).length >= before + 20);
  });

  it('waits for name servers that take 2.5 seconds', async () => {
    // By whichever attempt: that one look-up is waited for as long is proved in test/outgoing/host-resolver.test.ts.
    await eventually('all of it is told', () => new Set(ordersTold(lateReceiver)).size === NEIGHBOURS_ORDERS);
  });

  it('attempts again what a receiver refused', async () => {
    receiver.behaviour = (response, request) => {
      answer(request.headers['x-request-id']?.toString().endsWith('-1') ? 503 : 204)(response, request);
    };
    const orderId = await node.buy(subscriber);
    await eventually(
      'it is told twice',
      () => ordersTold(receiver).filter((id) => id === orderId).length >= 2,
    );
    receiver.behaviour = answer(200);
  });

  it('discards what is refused five times (here three), and alerts support', async () => {
    receiver.behaviour = answer(500);
    const orderId = await node.buy(subscriber);
    const { accountId } = subscriber;
    const isAlertOfOrder = (alert: Alert) =>
      'eventId' in alert &&
      alert.accountId === accountId &&
      alert.type === 'order.completed' &&
      receiver.requests.some(
        ({ headers, body }) =>
          headers['x-request-id'] === alert.requestId &&
          headers['x-service-delivery'] === alert.eventId &&
          body.toString().includes(`"orderId":${orderId},`),
      );
    await alerts.until(() => alerts.posts.some(({ body }) => body.alerts.some(isAlertOfOrder)));
    const alert = alerts.posts.flatMap(({ body }) => body.alerts).find(isAlertOfOrder);
    assert.equal(alert?.error, 'WEBHOOK_EVENT_DISCARDED');
    assert.match(alert?.requestId ?? '', /-3$/, 'it names the last attempt');
    assert.match(node.server.process.output(), /a webhook event was discarded/);
    receiver.behaviour = answer(200);
  });

  it('leaves a folder that verify finds sound', async () => {
    assert.match(await node.verify(), /webhooks: \d+ events/);
  });
});
