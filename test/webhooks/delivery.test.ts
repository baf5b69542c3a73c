/**
 * From a purchase to a receiver, with nothing in between replaced: a real node, TLS, and a name server. A receiver that
 * is well gets everything beside others that are not; and whoever replaces or deletes a webhook is told that it is done
 * when it is: nothing is signed with the old secret, or for the old address, after that.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { Alert } from '../../src/alerts/alert.ts';
import { verifyWebhook } from '../../src/client/webhook-signature.ts';
import { standardSecret } from '../../src/webhooks/webhook-secret.ts';
import { AlertReceiver } from '../alerts/alert-receiver.ts';
import { eventually } from '../support/eventually.ts';
import { WEBHOOK_PORT } from '../support/servers/loopback-listener.ts';
import { answer, flood, hang, type TlsReceiver, trickle } from '../support/servers/tls-receiver.ts';
import { type Subscriber, WebhookNode } from './webhook-node.ts';

/** More than may be under way to it at once. */
const NEIGHBOURS_ORDERS = 6;
const ONLY_ORDERS = ['order.completed'] as const;

function ordersTold(receiver: TlsReceiver): number[] {
  return receiver.requests
    .map(({ body }) => JSON.parse(body.toString()) as { type: string; orderId?: number })
    .filter(({ type }) => type === 'order.completed')
    .map(({ orderId }) => orderId ?? 0);
}

/** When the last request to it was signed, in Unix milliseconds. */
function lastSignedAtMs({ requests }: TlsReceiver): number {
  const times = requests.map(({ headers }) => /t=(\d+)/.exec(String(headers['x-service-signature']))?.[1]);
  return Math.max(0, ...times.map(Number));
}

describe('a node with subscribers', { timeout: 180_000 }, () => {
  let node: WebhookNode;
  let receiver: TlsReceiver;
  let old: TlsReceiver;
  let subscriber: Subscriber;
  let changing: Subscriber;
  let neighbours: Subscriber[];
  let alerts: AlertReceiver;

  before(async () => {
    alerts = await AlertReceiver.open();
    // The last attempt comes when a look-up that failed, on a machine that stood still, is forgotten.
    const schedule = ['--group-window', '50ms', '--webhook-retries', '200ms,1500ms'];
    node = await WebhookNode.prepare([...schedule, '--alert-url', alerts.url]);
    receiver = await node.network.receiver('healthy.test');
    old = await node.network.receiver('old.test', hang());
    await node.network.receiver('hanging.test', hang());
    await node.network.receiver('trickling.test', trickle(200, 100));
    await node.network.receiver('flooding.test', flood(200));
    await node.network.receiver('silent.test');
    const others = ['hanging.test', 'trickling.test', 'flooding.test', 'silent.test'];
    const subscribers = await node.subscribe(
      { host: 'healthy.test' },
      { host: 'old.test', events: ONLY_ORDERS, webhookConcurrency: 16 },
      ...others.map((host) => ({ host, webhookConcurrency: 4 })),
    );
    [subscriber, changing, ...neighbours] = subscribers as [Subscriber, Subscriber];
    node.network.dns.set('silent.test', 'silence');
  });
  after(async () => {
    await node?.close();
    await alerts.close();
  });

  function register(host: string) {
    const url = `https://${host}:${WEBHOOK_PORT}/hook`;
    return node.server.buyers.setWebhook(changing.apiKey, { url, events: ONLY_ORDERS });
  }

  it('tells them of a purchase, in order, signed so that a receiver can verify it, and of the stock', async () => {
    const orders: number[] = [];
    for (let bought = 0; bought < 5; bought += 1) orders.push(await node.buy(subscriber));
    await eventually('all purchases are told', () => ordersTold(receiver).length >= 5);
    assert.deepEqual(ordersTold(receiver), orders);
    await eventually('the group is told', () =>
      receiver.requests.some(({ body }) => body.toString().includes('"productIds":[1]')),
    );
    const ids = new Set<string>();
    for (const { headers, body } of receiver.requests) {
      const event = await verifyWebhook({ headers, body, secret: subscriber.secret });
      const standard = new Webhook(standardSecret(subscriber.secret));
      assert.deepEqual(standard.verify(body, headers as Record<string, string>), event);
      assert.equal(headers['webhook-id'], event.eventId);
      assert.equal(headers['x-service-event'], event.type);
      assert.equal(headers['x-service-delivery'], event.eventId);
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['user-agent'], 'Purser-BuyerAPI/1.0');
      assert.ok(headers['x-request-id']);
      ids.add(event.eventId);
    }
    assert.equal(ids.size, receiver.requests.length);
  });

  it('tells a healthy one all of it while others hang, trickle, pour, or have a silent name server', async () => {
    for (const neighbour of neighbours) {
      for (let bought = 0; bought < NEIGHBOURS_ORDERS; bought += 1) await node.buy(neighbour);
    }
    const before = ordersTold(receiver).length;
    for (let bought = 0; bought < 20; bought += 1) await node.buy(subscriber);
    await eventually('the healthy one has all', () => ordersTold(receiver).length >= before + 20);
  });

  it('attempts again what is refused, discards it after the last time (here the third), and alerts support', async () => {
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
    receiver.behaviour = answer(200);
  });

  it('sends an event whose attempt hangs at the old address at once to the new one', async () => {
    await node.buy(changing);
    await eventually('it hangs', () => old.requests.length > 0);
    const renewed = await node.network.receiver('renewed.test');
    assert.equal((await register('renewed.test')).status, 200);
    await eventually('it comes', () => renewed.requests.length > 0);
    const [first, second] = [old, renewed].map(({ requests }) => requests[0]?.headers['x-service-delivery']);
    assert.equal(second, first);
  });

  it('signs nothing for the old address after the answer, however much waits', async () => {
    old.behaviour = answer(200);
    const statusOfLatest = async () => {
      const path = `/webhooks/${changing.accountId}/deliveries?limit=1`;
      const { text } = await node.server.operator.json('GET', path);
      const { deliveries } = JSON.parse(text) as { readonly deliveries: readonly { status: string }[] };
      return deliveries[0]?.status;
    };
    for (let pass = 0; pass < 2; pass += 1) {
      assert.equal((await register('old.test')).status, 200);
      await Promise.all(Array.from({ length: 80 }, () => node.buy(changing)));
      const reply =
        pass % 2 === 0
          ? await node.server.buyers.deleteWebhook(changing.apiKey)
          : await register('renewed.test');
      const answeredAtMs = Date.now();
      assert.equal(reply.status, 200);
      await eventually('nothing waits any more', async () => (await statusOfLatest()) !== 'pending');
      const lateMs = lastSignedAtMs(old) - answeredAtMs;
      assert.ok(lateMs <= 0, `pass ${pass}: signed ${lateMs} ms after the answer`);
    }
  });
});
