/** Whose command comes next: fair to accounts and products, in order for each pair, and bounded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCOUNT_MAILBOX_CAPACITY, PRODUCT_MAILBOX_CAPACITY } from '../../src/engine/limits.ts';
import { Scheduler } from '../../src/engine/loop/scheduler.ts';

interface Item {
  readonly accountId: number;
  readonly productId: number;
  readonly name: string;
}

function drain(scheduler: Scheduler<Item>): string[] {
  const names: string[] = [];
  for (let item = scheduler.take(); item !== undefined; item = scheduler.take()) names.push(item.name);
  return names;
}

test('an account that floods gets one turn a round, like everybody', () => {
  const scheduler = new Scheduler<Item>();
  for (let index = 0; index < 1_000; index += 1) {
    scheduler.put({ accountId: 1, productId: 7, name: `flood ${index}` });
  }
  for (const accountId of [2, 3, 4]) scheduler.put({ accountId, productId: 7, name: `account ${accountId}` });
  assert.deepEqual(drain(scheduler).slice(0, 5), [
    'flood 0',
    'account 2',
    'account 3',
    'account 4',
    'flood 1',
  ]);
});

test('a product that everybody wants does not delay another, and all are served', () => {
  const scheduler = new Scheduler<Item>();
  const accounts = PRODUCT_MAILBOX_CAPACITY * 3 + 1;
  for (let accountId = 1; accountId <= accounts; accountId += 1) {
    scheduler.put({ accountId, productId: 1, name: `hot ${accountId}` });
  }
  scheduler.put({ accountId: accounts + 1, productId: 2, name: 'cold' });
  const done = drain(scheduler);
  assert.equal(done.indexOf('cold'), 1);
  assert.equal(new Set(done).size, accounts + 1);
});

test('commands of one account for one product keep their order', () => {
  const scheduler = new Scheduler<Item>();
  for (let index = 0; index < 100; index += 1) {
    scheduler.put({ accountId: index % 3, productId: index % 2, name: `${index}` });
  }
  const lastByPair = new Map<number, number>();
  for (const name of drain(scheduler)) {
    const index = Number(name);
    const pair = index % 6;
    assert.ok((lastByPair.get(pair) ?? -1) < index, name);
    lastByPair.set(pair, index);
  }
});

test('a full mailbox refuses, and what was taken in is done', () => {
  const scheduler = new Scheduler<Item>();
  for (let index = 0; index < ACCOUNT_MAILBOX_CAPACITY; index += 1) {
    assert.ok(scheduler.put({ accountId: 1, productId: 1, name: `${index}` }));
  }
  assert.equal(scheduler.put({ accountId: 1, productId: 1, name: 'one too many' }), false);
  assert.ok(scheduler.put({ accountId: 2, productId: 1, name: 'somebody else' }));
  assert.equal(drain(scheduler).length, ACCOUNT_MAILBOX_CAPACITY + 1);
});
