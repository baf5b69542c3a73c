/**
 * Events for endpoints that are dead wait on disk: a node with 200,000 of them stays below 300 MB of memory of its own, and
 * starts with them. Pages of its files that are mapped, which the system takes back when it needs them, come on top.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { DeliveryHistory } from '../../../src/persistence/webhooks/delivery-history.ts';
import { OutboxStore } from '../../../src/persistence/webhooks/outbox-store.ts';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { hang } from '../../support/tls-receiver.ts';
import { WebhookNode } from '../../webhooks/webhook-node.ts';

const ACCOUNTS = 400;
const CHANGES = 500;
const MOST_MB = 300;

test(`${ACCOUNTS * CHANGES} events that wait`, { timeout: 900_000 }, async (t) => {
  const node = await WebhookNode.prepare(['--group-window', '0s']);
  t.after(() => node.close());
  await node.network.receiver('hanging.test', hang());
  node.network.dns.set('gone.test', 'no-such-name');
  const subscriptions = Array.from({ length: ACCOUNTS }, (_, index) => ({
    host: index % 10 === 0 ? 'hanging.test' : 'gone.test',
    events: ['stock.changed'] as const,
  }));
  const subscribers = await node.subscribeUnseen(...subscriptions);
  for (let change = 0; change < CHANGES; change += 1) await ok(node.server.operator.withdrawStock(1, 1));
  const last = subscribers.at(-1)?.accountId ?? 0;
  const store = OutboxStore.open(node.dataDir);
  t.after(() => store.close());
  const history = new DeliveryHistory(store);
  const isThere = () => history.page(last, CHANGES + 1).length === CHANGES;
  await eventually('all are on disk', isThere, 300_000);
  expectLittleMemory(t, node.server.process.pid);

  await node.stop();
  await node.start();
  await node.buy(subscribers[0] ?? assert.fail());
  expectLittleMemory(t, node.server.process.pid);
});

function expectLittleMemory(t: TestContext, pid: number): void {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const anonymousMb = Math.round(Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) / 1_024);
  t.diagnostic(`${anonymousMb} MB`);
  assert.ok(anonymousMb < MOST_MB, `${anonymousMb} MB`);
}
