import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCOUNT_MAILBOX_CAPACITY, PRODUCT_MAILBOX_CAPACITY } from '../../src/engine/limits.ts';
import { Mailbox } from '../../src/engine/mailbox.ts';
import { Scheduler } from '../../src/engine/scheduler.ts';

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

test('a mailbox is first in, first out, and refuses when it is full', () => {
  const mailbox = new Mailbox<number>(20);
  let next = 0;
  let expected = 0;
  for (let round = 0; round < 50; round += 1) {
    while (mailbox.put(next)) next += 1;
    assert.equal(mailbox.size, 20);
    for (let count = 0; count < 13; count += 1) {
      assert.equal(mailbox.take(), expected);
      expected += 1;
    }
  }
});

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

test('a product that everybody wants does not delay another', () => {
  const scheduler = new Scheduler<Item>();
  for (let accountId = 1; accountId <= 300; accountId += 1) {
    scheduler.put({ accountId, productId: 1, name: `hot ${accountId}` });
  }
  scheduler.put({ accountId: 301, productId: 2, name: 'cold' });
  assert.equal(drain(scheduler).indexOf('cold'), 1);
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
  assert.deepEqual(
    [1, 2, 3].map((accountId) => scheduler.hasWaiting(accountId)),
    [true, true, false],
  );
  assert.equal(drain(scheduler).length, ACCOUNT_MAILBOX_CAPACITY + 1);
});

test('more accounts than a product mailbox holds are all served', () => {
  const scheduler = new Scheduler<Item>();
  const accounts = PRODUCT_MAILBOX_CAPACITY * 3 + 1;
  for (let accountId = 1; accountId <= accounts; accountId += 1) {
    scheduler.put({ accountId, productId: 1, name: `${accountId}` });
  }
  assert.equal(new Set(drain(scheduler)).size, accounts);
  assert.equal(scheduler.size, 0);
});
