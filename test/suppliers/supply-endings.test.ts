/** How what stayed open at suppliers ends: what is done, and in which order. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Supply } from '../../src/engine/supplies.ts';
import type { ProgressAnswer } from '../../src/suppliers/supplier-port.ts';
import { SupplyEndings, type SupplyEndingsOptions } from '../../src/suppliers/supply-endings.ts';
import { openSupply } from '../support/open-supply.ts';

const promised = openSupply({ supplyId: 7, phase: 'pending', orderId: 7 });
const unresolved: Supply = { ...promised, phase: 'unresolved', cause: 'ORDER_ENDED' };

describe('texts that an attempt to deliver the order has left', () => {
  /** What is done, in order, to one supply. */
  function scene(supply: Supply, canForget = true) {
    const supplies = new Map([[supply.supplyId, supply]]);
    const done: string[] = [];
    const endings = new SupplyEndings({
      engine: {
        state: { supplies, products: new Map() },
        submit: (command: { kind: string }, replyTo: (result: object) => void) => {
          done.push(command.kind);
          supplies.clear();
          replyTo({});
        },
      },
      deliveries: {
        forget: async (orderId: number) => {
          done.push(`forget ${orderId}`);
          return canForget;
        },
      },
      clock: () => 1e12,
      isServed: () => false,
      onReconciled: () => undefined,
    } as unknown as SupplyEndingsOptions);
    return { endings, done };
  }

  const ends: [how: string, supply: Supply, said: ProgressAnswer | 'given up', fact: string][] = [
    ['fails, as promised orders may', promised, { kind: 'failed' }, 'FailOrder'],
    ['failed', unresolved, { kind: 'failed' }, 'ReconcileSupply'],
    ['was never heard of', unresolved, { kind: 'unknown' }, 'ReconcileSupply'],
    ['is delivered, blank', unresolved, { kind: 'delivered', items: [' '] }, 'ReconcileSupply'],
    ['is given up', unresolved, 'given up', 'ReconcileSupply'],
  ];
  for (const [how, supply, said, fact] of ends) {
    test(`are forgotten before the supply ends, which ${how}`, async () => {
      for (const canForget of [true, false]) {
        const { endings, done } = scene(supply, canForget);
        const isDone =
          said === 'given up'
            ? (await endings.giveUp(supply)) !== undefined
            : await endings.hear(supply, said);
        assert.equal(isDone, canForget, 'not while its order is being completed');
        assert.deepEqual(done, canForget ? ['forget 7', fact] : ['forget 7']);
      }
    });
  }

  test('are left alone while the supply stays open', async () => {
    const { endings, done } = scene(unresolved);
    assert.equal(await endings.hear(unresolved, { kind: 'silent', why: 'it is night' }), true);
    assert.equal(await endings.hear(unresolved, { kind: 'pending' }), true);
    assert.deepEqual(done, []);
  });
});
