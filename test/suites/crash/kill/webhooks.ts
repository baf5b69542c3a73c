/**
 * kill -9 while webhooks are delivered and catalog and stock change; at times the node goes on with what it knew of
 * deliveries at an earlier kill. Every acknowledged purchase is told at least once, first in the order of the purchases;
 * nothing is told that never was, nothing under a second id, and no id comes with other contents; and when all of the
 * journal is read again from the beginning, receivers get exactly what they had.
 */
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { OUTBOX_FILE } from '../../../../src/persistence/webhooks/outbox-file.ts';
import { eventually } from '../../../support/eventually.ts';
import { ok } from '../../../support/operator-client.ts';
import { type Random, randomFromEnvironment } from '../../../support/random.ts';
import { answer, type TlsReceiver } from '../../../support/servers/tls-receiver.ts';
import { type Subscriber, WebhookNode } from '../../../webhooks/webhook-node.ts';

const FLAGS = ['--group-window', '50ms', '--webhook-retries', '50ms,50ms,50ms,1s'];
const BUYERS = 6;
/** Answered in every round before the time to the kill begins: a machine that stands still is no load. */
const PURCHASES_PER_ROUND = 10;
/** So that receivers come after, and there is stock to the end. */
const MOST_PER_ROUND = 200;
/** How many are told in a second is the machine's affair. */
const PATIENCE_MS = 120_000;

/**
 * Each kill comes within so long after the load is under way. After a single one the journal is not read once more when all
 * was told.
 */
export async function killAmidDeliveries(t: TestContext, rounds: number, withinMs: number): Promise<void> {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const node = await WebhookNode.prepare(FLAGS);
  t.after(() => node.close());
  const receiver = await node.network.receiver('receiver.test');
  // One attempt in ten fails, so that retries are under way, too, when it is killed.
  receiver.behaviour = (response, request) => answer(random.chance(0.1) ? 500 : 200)(response, request);
  const [subscriber] = await node.subscribe({ host: 'receiver.test' });
  assert.ok(subscriber);
  const file = join(node.dataDir, OUTBOX_FILE);
  const kept: string[] = [];
  const keep = () => {
    kept.push(`${file}.kept-${kept.length}`);
    copyFileSync(file, kept.at(-1) ?? '');
  };
  if (rounds > 1) {
    await node.stop();
    keep();
    await node.start();
  }

  const acknowledged: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const enough = acknowledged.length + PURCHASES_PER_ROUND;
    let isKilled = false;
    const most = acknowledged.length + MOST_PER_ROUND;
    const untilKilled = async (step: () => Promise<unknown>) => {
      try {
        while (acknowledged.length < most) await step();
      } catch (error) {
        if (!isKilled) throw error;
      }
    };
    const buy = async () => acknowledged.push(await node.buy(subscriber));
    const working = Promise.all([
      ...Array.from({ length: BUYERS }, () => untilKilled(buy)),
      untilKilled(() => change(node, random)),
    ]);
    await Promise.race([
      working,
      eventually('there is load', () => acknowledged.length >= enough, PATIENCE_MS),
    ]);
    await Promise.race([working, delay(random.between(0, withinMs))]);
    isKilled = true;
    await node.kill();
    await working;
    keep();
    if (rounds > 1 && random.chance(0.3)) copyFileSync(random.pick(kept), file);
    await node.start();
  }
  await endGroups(node, subscriber, receiver, acknowledged);
  const before = new Received(receiver);
  const missing = acknowledged.filter((orderId) => !before.orders.includes(orderId));
  assert.deepEqual(missing, []);
  assert.deepEqual(
    before.orders,
    before.orders.toSorted((a, b) => a - b),
    'first attempts are in the order of the purchases',
  );
  const highest = Math.max(...before.orders);
  const { status } = await node.server.operator.getOrder(highest);
  assert.equal(status, 200, `order ${highest} was told and doesn't exist`);

  t.diagnostic(`${acknowledged.length} purchases, ${before.bodies.size} events`);
  if (rounds === 1) return void (await node.verify());
  await node.kill();
  copyFileSync(kept[0] ?? '', file);
  // Only now: the last retries come until the node is gone.
  receiver.requests.length = 0;
  await node.start();
  const isRepeated = () => new Received(receiver).bodies.size >= before.bodies.size;
  await eventually('all are repeated', isRepeated, PATIENCE_MS);
  const after = new Received(receiver);
  assert.deepEqual(after.bodies, before.bodies);
  assert.deepEqual(after.firsts, before.firsts);
  await node.verify();
  t.diagnostic(
    `${acknowledged.length} purchases, ${after.bodies.size} events: the same when they are read again`,
  );
}

async function change({ server: { operator } }: WebhookNode, random: Random): Promise<void> {
  if (random.chance(0.5)) await ok(operator.withdrawStock(1, 1));
  else await ok(operator.updateProduct(1, { description: `change ${random.next()}` }));
  await delay(random.pick([0, 0, 10, 60, 200]));
}

/** A last purchase, and the group that its item is in: nothing is open, or under way, behind them. */
async function endGroups(
  node: WebhookNode,
  subscriber: Subscriber,
  receiver: TlsReceiver,
  acknowledged: number[],
): Promise<void> {
  const last = await node.buy(subscriber);
  acknowledged.push(last);
  const isOver = () => {
    const { bodies } = new Received(receiver);
    const id = [...bodies].find(([, body]) => JSON.parse(body).orderId === last)?.[0];
    return (
      id !== undefined && [...bodies].some(([other, body]) => other > id && body.includes('stock.changed'))
    );
  };
  await eventually('the last group comes', isOver, PATIENCE_MS);
}

/** The deliveries that a receiver got by now. */
class Received {
  readonly bodies = new Map<string, string>();
  /** In the order in which they came first. */
  readonly firsts: readonly string[];
  /** The first ones of completed orders, in that order. */
  readonly orders: readonly number[];

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
    this.orders = [...bodies.values()].flatMap((body) => {
      const { orderId } = JSON.parse(body) as { orderId?: number };
      return orderId === undefined ? [] : [orderId];
    });
    assert.equal(new Set(this.orders).size, this.orders.length, 'an order was told under two ids');
  }
}
