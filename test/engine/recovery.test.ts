/**
 * The commands that close the gap of a restore, where restore-model.test.ts does not go: refusals, items that are not
 * found, and other ways of selling while sales are closed.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apply } from '../../src/engine/apply/apply.ts';
import type { Command, CommandOf, RecoveryResult } from '../../src/engine/decide/command.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import { epochBegun } from '../../src/engine/recovery/epoch-begun.ts';
import type { State } from '../../src/engine/state.ts';
import { codeOf, execute, NOW_MS, PRODUCT, placeOrder, worldState } from './commands.ts';

type RecoverOrder = CommandOf<'RecoverOrder'>;

/** A folder with two orders of one item each, restored a second later. Products 1 and 2 had 10 items, 3 is manual. */
function restored(): State {
  const state = worldState({ accounts: 2, products: 2, balanceMicros: 20_000_000, stock: 10 });
  execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, type: 'manual' } });
  execute(state, placeOrder({ idempotencyKey: 'first' }));
  execute(state, { kind: 'OpenOrder', ...BOT });
  execute(state, placeOrder({ idempotencyKey: 'refused', expectedPriceUsdt: 9 }));
  apply(state, epochBegun(state, { epoch: 2, hash: 'ab', isComplete: false, nowMs: NOW_MS + 1_000 }));
  return state;
}

const BOT = { accountId: 1, productId: 1, quantity: 1, recipientUsername: null, requestNumber: 0 };

/** The order that was sold next in the gap: items 1 and 2. */
function lost(fields: Partial<RecoverOrder> = {}): RecoverOrder {
  return {
    kind: 'RecoverOrder',
    orderId: 3,
    accountId: 1,
    productId: 1,
    quantity: 2,
    idempotencyKey: 'lost',
    expectedPriceUsdt: 4,
    recipientUsername: null,
    requestNumber: 0,
    totalMicros: 4_000_000,
    balanceAfterMicros: 7_000_000,
    fileId: null,
    textCount: 2,
    createdAtMs: NOW_MS + 500,
    items: [{ firstItem: 1, count: 2 }],
    ...fields,
  };
}

function messageOf(result: unknown): string {
  return result instanceof Rejection ? result.message : 'done';
}

test('sales are closed until they are opened, and then all is as ever', () => {
  const refused: [what: string, command: Command][] = [
    ['a purchase', placeOrder({ idempotencyKey: 'new' })],
    ['a purchase that would be refused', placeOrder({ idempotencyKey: 'new', productId: 99 })],
    ['the payment of an order from the bot', { kind: 'PayOrder', orderId: 2, expectedPriceUsdt: null }],
    ['a replacement', { kind: 'ReplaceItems', orderId: 1, key: 'k', items: [0] }],
  ];
  for (const [what, command] of refused) {
    const state = restored();
    const { position } = state;
    assert.equal(codeOf(execute(state, command)), 'SALES_CLOSED', what);
    assert.equal(state.position, position, 'no key is used up');
    assert.deepEqual(execute(state, { kind: 'OpenSales' }), { gap: null });
    assert.notEqual(codeOf(execute(state, command)), 'SALES_CLOSED', what);
  }
});

test('sales don’t open while something that was to end is as it was restored', () => {
  const state = restored();
  const keyed = (accountId: number, issuedAtMs: number) => {
    const key = { prefix: 'p', sha256: `${accountId}`, scopes: [], issuedAtMs, isActive: true };
    execute(state, { kind: 'IssueKey', accountId, key });
  };
  keyed(1, NOW_MS);
  keyed(2, NOW_MS + 2_000);
  const ended = ['operators', 'keys'] as const;
  assert.match(
    messageOf(execute(state, { kind: 'OpenSales', ended })),
    /stay closed: of the keys that were to end/,
  );
  assert.notEqual(state.gap, null);
  execute(state, { kind: 'SetKeyActive', accountId: 1, isActive: false });
  assert.deepEqual(execute(state, { kind: 'OpenSales', ended }), { gap: null });
});

test('an order that the gap can’t have had, or whose account or product is gone, is refused, and nothing changes', () => {
  const refused: [command: RecoverOrder, message: RegExp][] = [
    [lost({ accountId: 9 }), /account 9 is not there: create it again with "purser account create --id 9 /],
    [lost({ productId: 9 }), /product 9 is not there: create it again with "purser product create --id 9 /],
    [lost({ accountId: 9_000 }), /there never was account 9000/],
    [lost({ orderId: 9_000_000 }), /its number is not of a gap/],
    [lost({ orderId: 1 }), /another order has its number/],
    [lost({ idempotencyKey: 'first' }), /order 1 has its key/],
    [lost({ idempotencyKey: 'refused' }), /its key was refused with PRICE_CHANGED/],
    [lost({ items: [{ firstItem: 9, count: 2 }] }), /has 10 items, and it took item 10: upload again/],
    [lost({ quantity: 3 }), /not as many items as it bought/],
  ];
  for (const [command, message] of refused) {
    for (const isOpen of [false, true]) {
      const state = restored();
      if (isOpen) execute(state, { kind: 'OpenSales' });
      const { position } = state;
      assert.match(messageOf(execute(state, command)), message);
      assert.equal(state.position, position);
    }
  }
});

describe('items of the gap that are not found', () => {
  const outstanding = (orderId: number, count = 1) => ({
    orderId,
    epoch: 1,
    position: 9,
    salt: 'c2FsdA',
    itemHashes: Array.from({ length: count }, (_, place) => `hash ${place}`),
    missing: Array.from({ length: count }, (_, place) => place),
    former: [],
    found: [],
  });
  const unknown = (orderId: number, count = 1) =>
    lost({
      orderId,
      idempotencyKey: `of ${orderId}`,
      items: [],
      textCount: 0,
      totalMicros: 0,
      outstanding: outstanding(orderId, count),
    });

  test('are not for sale when they are uploaded, unless a receipt came meanwhile: then it is sent again', () => {
    const state = restored();
    execute(state, unknown(3));
    const upload = { kind: 'AddStock', productId: 1, firstItem: 10, count: 3 } as const;
    const aside = [{ firstItem: 11, count: 1 }];
    const early = execute(state, { ...upload, aside, outstandingChange: 0 });
    assert.match(messageOf(early), /A receipt was taken in meanwhile, and nothing was added/);
    const before = state.stock.available(1);
    const { availableStock } = execute(state, {
      ...upload,
      aside,
      outstandingChange: state.stock.lost(1)?.outstandingChange ?? 0,
    }) as {
      availableStock: number;
    };
    assert.equal(availableStock, before + 2);
    assert.deepEqual(state.stock.lost(1)?.quarantined.list, aside);
    const found = { kind: 'AmendOrder', orderId: 3, accountId: 1, productId: 1, replaced: [] } as const;
    const { order } = execute(state, { ...found, items: aside, textCount: 1 }) as RecoveryResult;
    assert.deepEqual([order.status, order.textCount], ['completed', 1]);
    assert.deepEqual(
      [state.stock.lost(1)?.quarantined.list, state.stock.lost(1)?.outstandingHashes],
      [[], 0],
    );
    assert.match(
      messageOf(execute(state, { ...found, items: aside, textCount: 0 })),
      /some are of other orders/,
    );
  });

  test('are remembered up to a limit; beyond it, the order is there all the same, and its key is answered', () => {
    const state = restored();
    execute(state, unknown(3, 10_000));
    const { order, replayed } = execute(state, unknown(4)) as RecoveryResult;
    assert.deepEqual([order.status, replayed], ['pending_delivery', false]);
    assert.equal(state.stock.lost(1)?.outstandingOf(4), undefined);
    const { position } = state;
    const again = { kind: 'AmendOrder', orderId: 4, accountId: 1, productId: 1, replaced: [] } as const;
    const repeated = execute(state, { ...again, items: [], textCount: 0, outstanding: outstanding(4) });
    assert.deepEqual([repeated, state.position], [{ order, waitingMicros: 0, replayed: true }, position]);
    execute(state, { kind: 'OpenSales' });
    const bought = execute(state, placeOrder({ idempotencyKey: 'of 4', quantity: 2, expectedPriceUsdt: 4 }));
    assert.deepEqual(bought, { order, replayed: true });
  });

  test('are looked for among all numbers that nobody has, and among no others', () => {
    const state = restored();
    execute(state, { kind: 'WithdrawStock', productId: 1, count: 1 });
    execute(state, { kind: 'WithdrawItems', productId: 1, ranges: [{ firstItem: 6, count: 1 }] });
    execute(state, lost({ items: [{ firstItem: 3, count: 2 }] }));
    execute(state, { kind: 'QuarantineItems', productId: 1, count: 2 });
    execute(state, { kind: 'OpenSales' });
    execute(state, placeOrder({ idempotencyKey: 'open' }));
    const ranges = [{ firstItem: 2, count: 1 }];
    execute(state, { kind: 'EndQuarantine', productId: 1, ranges, release: { firstItem: 10 } });
    const isFree = (item: number) => state.stock.isRecoverable(1, { firstItem: item, count: 1 });
    for (let item = 0; item <= 12; item += 1) {
      const first = [...Array(12).keys()].find((number) => number >= item && isFree(number));
      const free = state.stock.recoverableFrom(1, item);
      assert.equal(free?.firstItem, first, `from ${item} on`);
      for (let at = 0; at < (free?.count ?? 0); at += 1) assert.ok(isFree((free?.firstItem ?? 0) + at));
    }
  });

  test('are compared again when another order lacks as many by then', () => {
    const upload = { kind: 'AddStock', productId: 1, firstItem: 10, count: 3 } as const;
    const ranges = [{ firstItem: 2, count: 1 }];
    const release = { kind: 'EndQuarantine', productId: 1, ranges, release: { firstItem: 10 } } as const;
    for (const command of [upload, release]) {
      const state = restored();
      execute(state, { kind: 'QuarantineItems', productId: 1, count: 2 });
      execute(state, unknown(3));
      const outstandingChange = state.stock.lost(1)?.outstandingChange ?? 0;
      execute(state, { kind: 'CompleteOrder', orderId: 3, textCount: 1, areTextsWritten: true });
      assert.equal(state.stock.lost(1)?.outstandingHashes, 0, 'it is delivered');
      assert.equal(
        state.stock.lost(1)?.outstandingChange,
        outstandingChange,
        'it lacks less: nothing is to be compared',
      );
      execute(state, unknown(4));
      assert.match(
        messageOf(execute(state, { ...command, outstandingChange })),
        /A receipt was taken in meanwhile/,
      );
      const { outstandingChange: now = 0 } = state.stock.lost(1) ?? {};
      assert.ok(!(execute(state, { ...command, outstandingChange: now }) instanceof Rejection), command.kind);
    }
  });
});

test('an order whose debit waits for a lost credit returns nothing before it is debited', () => {
  const manual = { productId: 3, quantity: 1, items: [], textCount: 0 };
  const settle = { kind: 'SettleDebit', accountId: 1, orderId: 3 } as const;
  for (const [order, end] of [
    [{}, { kind: 'RefundOrder', orderId: 3 }],
    [manual, { kind: 'FailOrder', orderId: 3 }],
  ] as const) {
    const state = restored();
    const { waitingMicros } = execute(state, lost({ ...order, totalMicros: 30_000_000 })) as RecoveryResult;
    assert.deepEqual([waitingMicros, state.accounts.get(1)?.walletMicros], [30_000_000, 18_000_000]);
    assert.equal(codeOf(execute(state, settle)), 'INSUFFICIENT_BALANCE');
    assert.match(messageOf(execute(state, end)), /Order 3 was recovered, and its debit waits/);
    execute(state, { kind: 'CreditWallet', accountId: 1, reference: 'lost', amountMicros: 12_000_000 });
    execute(state, settle);
    assert.match(messageOf(execute(state, settle)), /no such debit that waits/);
    execute(state, end);
    assert.equal(state.accounts.get(1)?.walletMicros, 30_000_000, end.kind);
  }
});

test('recalled items are not released from quarantine', () => {
  const state = restored();
  execute(state, { kind: 'QuarantineItems', productId: 1, count: 2 });
  execute(state, { kind: 'RecallLot', lotId: 1 });
  const end = { kind: 'EndQuarantine', productId: 1, ranges: [{ firstItem: 1, count: 2 }] } as const;
  assert.match(messageOf(execute(state, { ...end, release: { firstItem: 10 } })), /were recalled/);
  execute(state, end);
  assert.deepEqual(state.stock.lost(1)?.quarantined.list, []);
});

test('a hold that the restore interrupted leaves its key to an order of the gap', () => {
  const state = worldState({ accounts: 1, products: 0, balanceMicros: 20_000_000, stock: 0 });
  execute(state, {
    kind: 'CreateSupplier',
    profile: { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' },
  });
  const source = { supplierId: 1, sku: 'x' };
  execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, sources: [source] } });
  execute(state, placeOrder({ idempotencyKey: 'held' }));
  apply(state, epochBegun(state, { epoch: 2, hash: 'ab', isComplete: false, nowMs: NOW_MS + 1_000 }));
  const order = lost({ orderId: 1, idempotencyKey: 'held', quantity: 1, totalMicros: 2_000_000 });
  const supplied = { ...order, items: [], textCount: 0 };
  assert.match(messageOf(execute(state, supplied)), /a supplier is being asked/);
  const ids = { accountId: 1, productId: 1, supplierPurchaseId: 1 };
  execute(state, { kind: 'ReleaseHold', ...ids, code: 'IDEMPOTENCY_UNRESOLVED', isUnresolved: true });
  assert.equal((execute(state, supplied) as RecoveryResult).order.status, 'pending_delivery');
});

test('an account and a product of the gap get their numbers again, once, and what comes next is behind the skip', () => {
  const state = restored();
  const { size, nextId } = state.accounts;
  const profile = { name: 'again', rateLimitPerMinute: null, webhookConcurrency: 1 };
  const account = { kind: 'CreateAccount', profile } as const;
  execute(state, { ...account, accountId: nextId - 1 });
  execute(state, account);
  assert.deepEqual([state.accounts.size, state.accounts.nextId], [size + 2, nextId + 1]);
  for (const [accountId, message] of [
    [nextId - 1, /There is account \d+ already/],
    [1, /There is account 1 already/],
    [nextId + 1, /no restore has leapt over account/],
  ] as const)
    assert.match(messageOf(execute(state, { ...account, accountId })), message);
  const product = { kind: 'CreateProduct', profile: PRODUCT, productId: 9 } as const;
  execute(state, product);
  assert.equal(state.products.get(9)?.profile.name, PRODUCT.name);
  assert.match(messageOf(execute(state, product)), /There is product 9 already/);
});
