/**
 * kill -9 while webhooks are delivered: every acknowledged purchase is told at least once, first in the order of
 * the purchases, and nothing is told that never was. The short form has one kill, the long one 20.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isLongRun, randomFromEnvironment } from '../../support/random.ts';
import { answer, type TlsReceiver } from '../../support/tls-receiver.ts';
import { type Subscriber, WebhookNode } from '../../webhooks/webhook-node.ts';

const rounds = isLongRun() ? 20 : 1;
const BUYERS = 8;
/** Answered in every round before the time to the kill begins: a machine that stands still is no load. */
const PURCHASES_PER_ROUND = 10;
/** Longer than any wait between attempts, and a machine that stands still. */
const PATIENCE_MS = 30_000;

test(`webhooks survive ${rounds} kills under load`, { timeout: 240_000 + rounds * 30_000 }, async (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const node = await WebhookNode.prepare([
    '--group-window',
    '20ms',
    '--webhook-retries',
    '50ms,50ms,50ms,1s',
  ]);
  t.after(() => node.close());
  const receiver = await node.network.receiver('receiver.test');
  // One attempt in ten fails, so that retries are under way, too, when it is killed.
  receiver.behaviour = (response, request) => answer(random.chance(0.1) ? 500 : 200)(response, request);
  const [subscriber] = await node.subscribe({ host: 'receiver.test' });
  assert.ok(subscriber);

  const acknowledged: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const enough = acknowledged.length + PURCHASES_PER_ROUND;
    const buyers = Array.from({ length: BUYERS }, () => buyUntilItFails(node, subscriber, acknowledged));
    let isOver = false;
    const buying = Promise.all(buyers).then(() => {
      isOver = true;
    });
    while (acknowledged.length < enough && !isOver) await delay(5);
    await delay(random.between(0, 800));
    await node.kill();
    await buying;
    await node.verify();
    await node.start();
  }
  const told = new Told(receiver);
  await told.untilComplete(acknowledged);

  assert.ok(acknowledged.length >= rounds * PURCHASES_PER_ROUND, 'there was hardly any load');
  const firsts = told.inOrder;
  assert.deepEqual(
    firsts,
    firsts.toSorted((a, b) => a - b),
    'first attempts are in the order of the purchases',
  );
  const highest = Math.max(...firsts);
  const { status } = await node.server.operator.getOrder(highest);
  assert.equal(status, 200, `order ${highest} was told and doesn't exist`);
  await node.verify();
  t.diagnostic(`${acknowledged.length} purchases, ${receiver.requests.length} deliveries`);
});

async function buyUntilItFails(
  node: WebhookNode,
  subscriber: Subscriber,
  acknowledged: number[],
): Promise<void> {
  try {
    for (;;) acknowledged.push(await node.buy(subscriber));
  } catch {
    // It was killed.
  }
}

/** The orders that a receiver was told of, each body read once. */
class Told {
  readonly #receiver: TlsReceiver;
  readonly #orderIds = new Set<number>();
  #read = 0;

  constructor(receiver: TlsReceiver) {
    this.#receiver = receiver;
  }

  /** In the order in which they were told first. */
  get inOrder(): number[] {
    return [...this.#orderIds];
  }

  /** Waits as long as there is progress: how many are told in a second is the machine's affair, none for long isn't. */
  async untilComplete(acknowledged: readonly number[]): Promise<void> {
    let progressAtMs = performance.now();
    for (;;) {
      if (this.#readOn()) progressAtMs = performance.now();
      const missing = acknowledged.filter((orderId) => !this.#orderIds.has(orderId));
      if (missing.length === 0) return;
      if (performance.now() - progressAtMs > PATIENCE_MS) {
        assert.fail(`${missing.length} were never told, the first ${missing.slice(0, 10)}`);
      }
      await delay(50);
    }
  }

  #readOn(): boolean {
    const { requests } = this.#receiver;
    const before = this.#read;
    for (; this.#read < requests.length; this.#read += 1) {
      const { orderId } = JSON.parse(requests[this.#read]?.body.toString() ?? '{}');
      if (orderId !== undefined) this.#orderIds.add(orderId);
    }
    return this.#read > before;
  }
}
