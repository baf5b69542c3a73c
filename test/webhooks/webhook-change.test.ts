/** A webhook that is replaced or deleted under a real node: the answer says that it is done, and it is. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { WEBHOOK_PORT } from '../support/loopback-listener.ts';
import { answer, hang, type TlsReceiver } from '../support/tls-receiver.ts';
import { type Subscriber, WebhookNode } from './webhook-node.ts';

let node: WebhookNode;
let old: TlsReceiver;
let subscriber: Subscriber;
before(async () => {
  node = await WebhookNode.prepare();
  old = await node.network.receiver('old.test', hang());
  const events = ['order.completed'] as const;
  const [first] = await node.subscribe({ host: 'old.test', events, webhookConcurrency: 16 });
  assert.ok(first);
  subscriber = first;
});
after(() => node.close());

function register(host: string) {
  const url = `https://${host}:${WEBHOOK_PORT}/hook`;
  return node.server.buyers.setWebhook(subscriber.apiKey, { url, events: ['order.completed'] });
}

/** When the last request to it was signed, in Unix milliseconds. */
function lastSignedAtMs({ requests }: TlsReceiver): number {
  const times = requests.map(({ headers }) => /t=(\d+)/.exec(String(headers['x-service-signature']))?.[1]);
  return Math.max(0, ...times.map(Number));
}

test('an event whose attempt hangs at the old address comes at once to the new one', async () => {
  await node.buy(subscriber);
  await eventually('it hangs', () => old.requests.length > 0);
  const renewed = await node.network.receiver('renewed.test');
  assert.equal((await register('renewed.test')).status, 200);
  await eventually('it comes', () => renewed.requests.length > 0);
  assert.equal(
    renewed.requests[0]?.headers['x-service-delivery'],
    old.requests[0]?.headers['x-service-delivery'],
  );
});

test('after the answer, nothing is signed for the old address, however much waits', async () => {
  old.behaviour = answer(200);
  for (let round = 0; round < 5; round += 1) {
    assert.equal((await register('old.test')).status, 200);
    await Promise.all(Array.from({ length: 300 }, () => node.buy(subscriber)));
    const isDeleted = round % 2 === 0;
    const reply = isDeleted
      ? await node.server.buyers.deleteWebhook(subscriber.apiKey)
      : await register('renewed.test');
    const answeredAtMs = Date.now();
    assert.equal(reply.status, 200);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const lateMs = lastSignedAtMs(old) - answeredAtMs;
    assert.ok(lateMs <= 0, `round ${round}: signed ${lateMs} ms after the answer`);
  }
});
