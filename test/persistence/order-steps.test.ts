/** `purser verify` knows every step of every order, also of those that memory has long forgotten. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply } from '../../src/engine/apply/apply.ts';
import { decide } from '../../src/engine/decide/decide.ts';
import { noHistory } from '../../src/engine/decide/history.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { DamagedDataError } from '../../src/persistence/codec/byte-reader.ts';
import { OrderSteps } from '../../src/persistence/order-steps.ts';
import { NOW_MS, placeOrder, worldState } from '../engine/commands.ts';
import { captured, held, order, placed } from '../webhooks/outbox/shop-facts.ts';

function check(...steps: Fact[]): void {
  const orders = new OrderSteps();
  for (const step of steps) orders.add(step);
}

test('a step that the lifecycle has is passed, and any other is found out', () => {
  const state = worldState({ accounts: 1, products: 1, balanceMicros: 100_000_000, stock: 10 });
  const facts: Fact[] = [];
  for (const command of [placeOrder(), { kind: 'RefundOrder', orderId: 1 } as const]) {
    const decision = decide(state, noHistory, command, NOW_MS);
    assert.ok('atMs' in decision);
    apply(state, decision);
    facts.push(decision);
  }
  const [placed, refunded] = facts;
  assert.ok(placed !== undefined && refunded !== undefined);
  check(placed, refunded);
  for (const steps of [[refunded], [placed, placed], [placed, refunded, refunded]]) {
    assert.throws(() => check(...steps), DamagedDataError);
  }
});

test('an order of a gap comes back once, however far its number is from all others', () => {
  const money = { debitMicros: 0, waitingMicros: 0, balanceMicros: 0 };
  const recovered: Fact = { kind: 'OrderRecovered', order: order(5e11), items: [], ...money, atMs: NOW_MS };
  const steps = [placed(1), recovered, placed(1e12)];
  check(...steps);
  assert.throws(() => check(...steps, recovered), DamagedDataError);
});

test("a supplier's order comes of its hold, and is not made twice", () => {
  const made = captured(1, 2, 0);
  const delivered: Fact = { kind: 'OrderDelivered', order: order(1), atMs: NOW_MS };
  check(held(1, 2), made, delivered);
  for (const steps of [[delivered], [made, made], [placed(1), made]]) {
    assert.throws(() => check(...steps), DamagedDataError);
  }
});
