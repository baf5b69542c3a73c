/** What closes the gap of a restore: orders that are proved, items set aside, debits that wait, the end. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apply } from '../../src/engine/apply.ts';
import type { Command, CommandOf, PurchaseResult, RecoveryResult } from '../../src/engine/command.ts';
import { epochBegun } from '../../src/engine/epoch-begun.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { noHistory } from '../../src/engine/history.ts';
import { lotFigures, lotOf } from '../../src/engine/lot-lookup.ts';
import { NO_KEY } from '../../src/engine/orders.ts';
import { Rejection } from '../../src/engine/rejection.ts';
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

/** What was sold next in the gap: items 1 and 2. */
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
    ['a purchase at a wrong price', placeOrder({ idempotencyKey: 'new', expectedPriceUsdt: 9 })],
    ['a purchase of nothing there is', placeOrder({ idempotencyKey: 'new', productId: 99 })],
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

describe('an order of the gap', () => {
  test('is there again: under its number, with its key, its money and its items', () => {
    const state = restored();
    const { order, waitingMicros, replayed } = execute(state, lost()) as RecoveryResult;
    assert.deepEqual([order.orderId, order.status, order.textCount], [3, 'completed', 2]);
    assert.deepEqual([order.balanceAfterMicros, order.createdAtMs], [7_000_000, NOW_MS + 500], 'as it was');
    assert.deepEqual([waitingMicros, replayed], [0, false]);
    assert.equal(state.accounts.get(1)?.walletMicros, 14_000_000);
    assert.equal(state.orderCount, 3);
    execute(state, { kind: 'OpenSales' });
    const again = execute(state, placeOrder({ idempotencyKey: 'lost', quantity: 2, expectedPriceUsdt: 4 }));
    assert.deepEqual(again, { order, replayed: true });
    const next = execute(state, placeOrder({ idempotencyKey: 'next' })) as PurchaseResult;
    assert.equal(next.order.firstItem, 3);
    assert.ok(next.order.orderId > 1_000_000);
  });

  test('of which nobody has the texts waits for its delivery, and can be completed and refunded', () => {
    const state = restored();
    const manual = { productId: 3, quantity: 1, totalMicros: 2_000_000, items: [], textCount: 0 };
    const { order } = execute(state, lost(manual)) as RecoveryResult;
    assert.equal(order.status, 'pending_delivery');
    execute(state, { kind: 'CompleteOrder', orderId: 3, textCount: 1, areTextsWritten: true });
    assert.equal(state.orders.get(3)?.status, 'completed');
    execute(state, { kind: 'RefundOrder', orderId: 3 });
    assert.equal(state.accounts.get(1)?.walletMicros, 18_000_000);
  });

  test('that was opened before the gap, and paid in it, is paid', () => {
    const state = restored();
    const paid = lost({
      orderId: 2,
      idempotencyKey: NO_KEY,
      expectedPriceUsdt: 0,
      quantity: 1,
      textCount: 1,
    });
    execute(state, { ...paid, items: [{ firstItem: 1, count: 1 }], totalMicros: 2_000_000 });
    assert.equal(state.orders.get(2)?.status, 'completed');
    assert.equal(state.orderCount, 2);
    assert.equal(state.accounts.get(1)?.walletMicros, 16_000_000);
  });

  const before: readonly (Command | undefined)[] = [undefined, { kind: 'OpenSales' }];
  const refused: [what: string, command: RecoverOrder, message: RegExp, prior?: Command[]][] = [
    [
      'of an account that was made in the gap',
      lost({ accountId: 9 }),
      /account 9 is not there: create it again with "purser account create --id 9 --name NAME", and take/,
    ],
    [
      'of a product that was made in the gap',
      lost({ productId: 9 }),
      /product 9 is not there: create it again with "purser product create --id 9 --name NAME --price USDT", and/,
    ],
    ['of an account that never was', lost({ accountId: 9_000 }), /there never was account 9000/],
    ['with a number that no gap has', lost({ orderId: 9_000_000 }), /its number is not of a gap/],
    ['with the number of another order', lost({ orderId: 1 }), /another order has its number/],
    ['with a key that has an order', lost({ idempotencyKey: 'first' }), /order 1 has its key/],
    [
      'with a key that was refused',
      lost({ idempotencyKey: 'refused' }),
      /its key was refused with PRICE_CHANGED/,
    ],
    [
      'with an item that was sold before',
      lost({ items: [{ firstItem: 0, count: 2 }] }),
      /items 0 to 1 of product 1, some are of other orders/,
    ],
    [
      'with an item of another one that was recovered',
      lost({ orderId: 4, idempotencyKey: 'other' }),
      /some are of other orders/,
      [lost()],
    ],
    [
      'with items that the product does not have',
      lost({ items: [{ firstItem: 9, count: 2 }] }),
      /has 10 items, and it took item 10: upload again/,
    ],
    ['with fewer items than it bought', lost({ quantity: 3 }), /not as many items as it bought/],
    [
      'with an item that was released',
      lost(),
      /were released/,
      [
        { kind: 'QuarantineItems', productId: 1, count: 2 },
        {
          kind: 'EndQuarantine',
          productId: 1,
          ranges: [{ firstItem: 1, count: 2 }],
          release: { firstItem: 10 },
        },
      ],
    ],
  ];
  test('that cannot be is refused, and nothing changes', () => {
    for (const [what, command, message, prior = []] of refused) {
      for (const open of before) {
        const state = restored();
        for (const step of [...prior, ...(open === undefined ? [] : [open])]) execute(state, step);
        const { position } = state;
        assert.match(messageOf(execute(state, command)), message, what);
        assert.equal(state.position, position, what);
      }
    }
  });
});

describe('items of the gap that are not found', () => {
  const owed = (orderId: number, count = 1) => ({
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
      owed: owed(orderId, count),
    });

  test('are owed until the order is delivered with texts', () => {
    const state = restored();
    execute(state, unknown(3));
    assert.equal(state.stock.lost(1)?.owedHashes, 1);
    execute(state, { kind: 'CompleteOrder', orderId: 3, textCount: 1, areTextsWritten: true });
    assert.equal(state.stock.lost(1)?.owedHashes, 0);
  });

  test('are not for sale when they are uploaded, unless a receipt came meanwhile: then it is sent again', () => {
    const state = restored();
    execute(state, unknown(3));
    const upload = { kind: 'AddStock', productId: 1, firstItem: 10, count: 3 } as const;
    const aside = [{ firstItem: 11, count: 1 }];
    const early = execute(state, { ...upload, aside, owedChange: 0 });
    assert.match(messageOf(early), /A receipt was taken in meanwhile, and nothing was added/);
    const before = state.stock.available(1);
    const { availableStock } = execute(state, {
      ...upload,
      aside,
      owedChange: state.stock.lost(1)?.owedChange ?? 0,
    }) as {
      availableStock: number;
    };
    assert.equal(availableStock, before + 2);
    assert.deepEqual(state.stock.lost(1)?.quarantined.list, aside);
    const found = { kind: 'AmendOrder', orderId: 3, accountId: 1, productId: 1, replaced: [] } as const;
    const { order } = execute(state, { ...found, items: aside, textCount: 1 }) as RecoveryResult;
    assert.deepEqual([order.status, order.textCount], ['completed', 1]);
    assert.deepEqual([state.stock.lost(1)?.quarantined.list, state.stock.lost(1)?.owedHashes], [[], 0]);
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
    assert.equal(state.stock.lost(1)?.owedOf(4), undefined);
    const { position } = state;
    const again = { kind: 'AmendOrder', orderId: 4, accountId: 1, productId: 1, replaced: [] } as const;
    const repeated = execute(state, { ...again, items: [], textCount: 0, owed: owed(4) });
    assert.deepEqual([repeated, state.position], [{ order, waitingMicros: 0, replayed: true }, position]);
    execute(state, { kind: 'OpenSales' });
    const bought = execute(state, placeOrder({ idempotencyKey: 'of 4', quantity: 2, expectedPriceUsdt: 4 }));
    assert.deepEqual(bought, { order, replayed: true });
  });

  const found = {
    kind: 'AmendOrder',
    orderId: 1,
    accountId: 1,
    productId: 1,
    items: [],
    textCount: 0,
  } as const;
  const searching: [what: string, command: (fields: object) => Command][] = [
    ['an order of the gap', (fields) => ({ ...unknown(3), ...fields })],
    ['an order that is there', (fields) => ({ ...found, replaced: [], owed: owed(1), ...fields })],
  ];
  test('are owed only when nothing came since they were looked for', () => {
    for (const [what, command] of searching) {
      const state = restored();
      const { end } = state.stock.of(1);
      execute(state, { kind: 'AddStock', productId: 1, firstItem: end, count: 1 });
      const { position } = state;
      const message = messageOf(execute(state, command({ searchedEnd: end })));
      assert.match(message, /items of product 1 came meanwhile: try again/, what);
      assert.equal(state.position, position);
      assert.equal(codeOf(execute(state, command({ searchedEnd: end + 1 }))), 'done', what);
      assert.equal(state.stock.lost(1)?.owedHashes, 1);
    }
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
      const owedChange = state.stock.lost(1)?.owedChange ?? 0;
      execute(state, { kind: 'CompleteOrder', orderId: 3, textCount: 1, areTextsWritten: true });
      assert.equal(state.stock.lost(1)?.owedChange, owedChange, 'it lacks less: nothing is to be compared');
      execute(state, unknown(4));
      assert.match(messageOf(execute(state, { ...command, owedChange })), /A receipt was taken in meanwhile/);
      const { owedChange: now = 0 } = state.stock.lost(1) ?? {};
      assert.ok(!(execute(state, { ...command, owedChange: now }) instanceof Rejection), command.kind);
    }
  });
});

test('an account and a product of the gap get their numbers again, once, and what comes next is behind the leap', () => {
  const state = restored();
  const { size, nextId } = state.accounts;
  const account = {
    kind: 'CreateAccount',
    profile: { name: 'again', rateLimitPerMinute: null, webhookConcurrency: 1 },
  } as const;
  execute(state, { ...account, accountId: nextId - 1 });
  execute(state, account);
  assert.deepEqual([state.accounts.size, state.accounts.nextId], [size + 2, nextId + 1]);
  for (const [accountId, message] of [
    [nextId - 1, /There is account \d+ already/],
    [1, /There is account 1 already/],
    [nextId + 1, /no restore has leapt over account/],
  ] as const) {
    assert.match(messageOf(execute(state, { ...account, accountId })), message);
  }
  execute(state, { kind: 'CreateProduct', profile: PRODUCT, productId: 9 });
  assert.equal(state.products.get(9)?.profile.name, PRODUCT.name);
  assert.match(
    messageOf(execute(state, { kind: 'CreateProduct', profile: PRODUCT, productId: 9 })),
    /There is product 9 already/,
  );
});

describe('a wallet that lacks the money', () => {
  const dear = lost({ totalMicros: 30_000_000 });

  test('goes on as it is, and the debit waits until the credit is there', () => {
    const state = restored();
    const settle = { kind: 'SettleDebit', accountId: 1, orderId: 3 } as const;
    const { waitingMicros } = execute(state, dear) as RecoveryResult;
    assert.equal(waitingMicros, 30_000_000);
    assert.equal(state.accounts.get(1)?.walletMicros, 18_000_000);
    assert.deepEqual(
      Array.from(state.waitingDebits.values(), ({ orderId, amountMicros }) => [orderId, amountMicros]),
      [[3, 30_000_000]],
    );
    const early = execute(state, settle);
    assert.equal(early instanceof Rejection && early.code, 'INSUFFICIENT_BALANCE');
    for (const command of [
      { kind: 'RefundOrder', orderId: 3 },
      { kind: 'FailOrder', orderId: 3 },
    ] as const) {
      assert.match(
        messageOf(execute(state, command)),
        /Order 3 (was recovered, and its debit waits|is completed)/,
      );
    }
    execute(state, { kind: 'CreditWallet', accountId: 1, reference: 'lost', amountMicros: 12_000_000 });
    const settled = execute(state, settle) as Fact;
    assert.equal('balanceMicros' in settled && settled.balanceMicros, 0);
    assert.equal(state.waitingDebits.size, 0);
    assert.match(messageOf(execute(state, settle)), /no such debit that waits/);
    execute(state, { kind: 'RefundOrder', orderId: 3 });
    assert.equal(state.accounts.get(1)?.walletMicros, 30_000_000);
  });
});

describe('quarantine', () => {
  test('sets the next items aside, which a receipt claims, and the rest is released or withdrawn', () => {
    const state = restored();
    const aside = execute(state, { kind: 'QuarantineItems', productId: 1, count: 4 });
    const ranges = [{ firstItem: 1, count: 4 }];
    assert.deepEqual(aside, { ranges, quarantined: 4, availableStock: 5 });
    execute(state, lost({ items: [{ firstItem: 2, count: 2 }] }));
    const lot = lotOf(state, noHistory, 1);
    assert.ok(lot);
    assert.deepEqual(lotFigures(state, lot), {
      added: 10,
      available: 5,
      sold: 3,
      withdrawn: 0,
      quarantined: 2,
    });
    const left = [{ firstItem: 1, count: 1 }];
    const released = execute(state, {
      kind: 'EndQuarantine',
      productId: 1,
      ranges: left,
      release: { firstItem: 10, label: { source: 'again' } },
    });
    assert.deepEqual(released, { ranges: left, quarantined: 1, availableStock: 6 });
    assert.equal(lotOf(state, noHistory, state.lastLotId)?.source, 'again');
    assert.ok(state.lastLotId > 1_000, 'lots leap, too');
  });

  test('keeps recalled items from being released', () => {
    const state = restored();
    const ranges = [{ firstItem: 1, count: 2 }];
    execute(state, { kind: 'QuarantineItems', productId: 1, count: 2 });
    execute(state, { kind: 'RecallLot', lotId: 1 });
    const end = { kind: 'EndQuarantine', productId: 1, ranges } as const;
    assert.match(messageOf(execute(state, { ...end, release: { firstItem: 10 } })), /were recalled/);
    execute(state, end);
    assert.deepEqual(state.stock.lost(1)?.quarantined.list, []);
  });
});

test('a hold that the restore interrupted leaves its key to an order of the gap', () => {
  const state = worldState({ accounts: 1, products: 0, balanceMicros: 20_000_000, stock: 0 });
  execute(state, {
    kind: 'CreateSupplier',
    profile: { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' },
  });
  const source = { supplierId: 1, sku: 'x' };
  execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, source } });
  execute(state, placeOrder({ idempotencyKey: 'held' }));
  apply(state, epochBegun(state, { epoch: 2, hash: 'ab', isComplete: false, nowMs: NOW_MS + 1_000 }));
  const order = lost({ orderId: 1, idempotencyKey: 'held', quantity: 1, totalMicros: 2_000_000 });
  const supplied = { ...order, items: [], textCount: 0 };
  assert.match(messageOf(execute(state, supplied)), /a supplier is being asked/);
  const ids = { accountId: 1, productId: 1, supplierPurchaseId: 1 };
  execute(state, { kind: 'ReleaseHold', ...ids, code: 'IDEMPOTENCY_UNRESOLVED', isUnresolved: true });
  assert.equal((execute(state, supplied) as RecoveryResult).order.status, 'pending_delivery');
});
