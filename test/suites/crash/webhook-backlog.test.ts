/**
 * Events for endpoints that are dead wait on disk: a node with 1,000,000 of them stays below 300 MB of memory of its
 * own, and starts with them. The short form has 10,000. Pages of its files that are mapped, which the system takes
 * back when it needs them, come on top and are told.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DeliveryHistory } from '../../../src/persistence/webhooks/delivery-history.ts';
import { OutboxStore } from '../../../src/persistence/webhooks/outbox-store.ts';
import { ok } from '../../support/operator-client.ts';
import { isLongRun } from '../../support/random.ts';
import { hang } from '../../support/tls-receiver.ts';
import { WebhookNode } from '../../webhooks/webhook-node.ts';

const [accounts, changes] = isLongRun() ? [1_000, 1_000] : [100, 100];
const MOST_MB = 300;

const options = { timeout: 600_000, skip: process.platform !== 'linux' && 'memory is read from /proc' };
test(`${accounts * changes} events that wait`, options, async (t) => {
  const node = await WebhookNode.prepare(['--group-window', '0s']);
  t.after(() => node.close());
  await node.network.receiver('hanging.test', hang());
  node.network.dns.set('gone.test', 'no-such-name');
  const subscriptions = Array.from({ length: accounts }, (_, index) => ({
    host: index % 10 === 0 ? 'hanging.test' : 'gone.test',
    events: ['stock.changed'] as const,
  }));
  const subscribers = await node.subscribeUnseen(...subscriptions);
  for (let change = 0; change < changes; change += 1) {
    await ok(node.server.operator.withdrawStock(1, 1));
  }
  const last = subscribers.at(-1)?.accountId ?? 0;
  const store = OutboxStore.open(node.dataDir);
  t.after(() => store.close());
  const history = new DeliveryHistory(store);
  while (history.page(last, changes + 1).length < changes) await delay(500);
  t.diagnostic(`resident: ${tellMemory(node.server.process.pid)}`);
  assert.ok(residentMb(node.server.process.pid, 'RssAnon') < MOST_MB);

  await node.stop();
  await node.start();
  await node.buy(subscribers[0] ?? assert.fail());
  t.diagnostic(`resident after a start: ${tellMemory(node.server.process.pid)}`);
  assert.ok(residentMb(node.server.process.pid, 'RssAnon') < MOST_MB);
});

function residentMb(pid: number, field: 'VmRSS' | 'RssAnon' | 'RssFile'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024);
}

function tellMemory(pid: number): string {
  return `${residentMb(pid, 'VmRSS')} MB, of which ${residentMb(pid, 'RssFile')} MB are files`;
}
