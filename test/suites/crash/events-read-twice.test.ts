/**
 * A node whose syncs are slow is killed while catalog and stock change, and goes on with what it knew of deliveries at
 * an earlier kill. Receivers must get nothing under a second id, and no id with other contents; and when all of the
 * journal is read again from the beginning, they get exactly what they had. The short form has 2 kills, of which the
 * second finds nothing under way; the long one 31.
 */
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { OUTBOX_FILE } from '../../../src/persistence/webhooks/outbox-file.ts';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { isLongRun, type Random, randomFromEnvironment } from '../../support/random.ts';
import { answer, type TlsReceiver } from '../../support/tls-receiver.ts';
import { type Subscriber, WebhookNode } from '../../webhooks/webhook-node.ts';
import { SLOW_SYNCS } from './slow-syncs.ts';

const rounds = isLongRun() ? 30 : 1;
const PATIENCE_MS = 30_000;
const FLAGS = ['--group-window', '50ms', '--webhook-retries', '50ms,50ms,50ms,1s'];

test(`events are the same after ${rounds} kills`, { timeout: 240_000 + rounds * 30_000 }, async (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const node = await WebhookNode.prepare(FLAGS, SLOW_SYNCS);
  t.after(() => node.close());
  const receiver = await node.network.receiver('receiver.test');
  receiver.behaviour = (response, request) => answer(random.chance(0.1) ? 500 : 200)(response, request);
  const [subscriber] = await node.subscribe({ host: 'receiver.test' });
  assert.ok(subscriber);
  const file = join(node.dataDir, OUTBOX_FILE);
  const kept: string[] = [];
  const keep = () => {
    kept.push(`${file}.kept-${kept.length}`);
    copyFileSync(file, kept.at(-1) ?? '');
  };
  await node.stop();
  keep();
  await node.start();

  for (let round = 0; round < rounds; round += 1) {
    const changing = changeUntilItFails(node, subscriber, random);
    await delay(random.between(100, 1_500));
    await node.kill();
    await changing;
    keep();
    if (random.chance(0.5)) copyFileSync(random.pick(kept), file);
    await node.start();
  }
  await endGroups(node, subscriber, receiver);
  const before = new Received(receiver);
  receiver.requests.length = 0;

  await node.kill();
  copyFileSync(kept[0] ?? '', file);
  await node.start();
  const isRepeated = () => new Received(receiver).bodies.size >= before.bodies.size;
  await eventually('all are repeated', isRepeated, PATIENCE_MS);
  const after = new Received(receiver);
  assert.deepEqual(after.bodies, before.bodies);
  assert.deepEqual(after.firsts, before.firsts);
  await node.verify();
  const groups = [...after.bodies.values()].filter((body) => body.includes('productIds'));
  t.diagnostic(`${after.bodies.size} events, of which ${groups.length} are groups: all the same`);
});

async function changeUntilItFails(node: WebhookNode, subscriber: Subscriber, random: Random): Promise<void> {
  const { operator } = node.server;
  try {
    for (let change = 0; ; change += 1) {
      if (random.chance(0.3)) await node.buy(subscriber);
      else if (random.chance(0.5)) await ok(operator.withdrawStock(1, 1));
      else await ok(operator.updateProduct(1, { description: `change ${change} ${random.next()}` }));
      await delay(random.pick([0, 0, 10, 60, 200]));
    }
  } catch {
    // It was killed.
  }
}

/** A last purchase, and the group that its item is in: nothing is open, or under way, behind them. */
async function endGroups(node: WebhookNode, subscriber: Subscriber, receiver: TlsReceiver): Promise<void> {
  const orderId = await node.buy(subscriber);
  await eventually(
    'the last group comes',
    () => {
      const { bodies } = new Received(receiver);
      const order = [...bodies].find(([, body]) => JSON.parse(body).orderId === orderId)?.[0];
      return (
        order !== undefined && [...bodies].some(([id, body]) => id > order && body.includes('stock.changed'))
      );
    },
    PATIENCE_MS,
  );
}

/** What a receiver got by now. */
class Received {
  readonly bodies = new Map<string, string>();

  /** Fails when one id came with several bodies. */
  constructor({ requests }: TlsReceiver) {
    const bodies = new Map<string, string>();
    for (const { headers, body } of requests) {
      const id = String(headers['x-service-delivery']);
      assert.equal(body.toString(), bodies.get(id) ?? body.toString(), `${id} came with another body`);
      bodies.set(id, body.toString());
    }
    for (const id of [...bodies.keys()].toSorted()) this.bodies.set(id, bodies.get(id) ?? '');
    this.firsts = [...bodies.keys()];
  }

  /** In the order in which they came first. */
  readonly firsts: readonly string[];
}
