/** How long a receipt's items are looked for, and what comes to the shelf meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replacedItems } from '../../src/engine/adjustments.ts';
import { apply } from '../../src/engine/apply/apply.ts';
import type { Command } from '../../src/engine/decide/command.ts';
import { answer, decide } from '../../src/engine/decide/decide.ts';
import { noHistory, orderOf } from '../../src/engine/decide/history.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import type { Order } from '../../src/engine/orders.ts';
import { ROOT_OPERATOR } from '../../src/engine/origin.ts';
import { epochBegun } from '../../src/engine/recovery/epoch-begun.ts';
import type { State } from '../../src/engine/state.ts';
import { itemHash } from '../../src/persistence/stock/item-hash.ts';
import { signJws } from '../../src/receipts/compact-jws.ts';
import { fingerprintOf, RECEIPT_TYPE } from '../../src/receipts/receipt-claims.ts';
import { PublicKeys, SigningKey } from '../../src/receipts/signing-key.ts';
import { ReceiptRecovery, type ReceiptRecoveryOptions } from '../../src/recovery/receipt-recovery.ts';
import { NOW_MS, worldState } from '../engine/commands.ts';

const KEY = SigningKey.fromSeed(Buffer.alloc(32, 7));
const SALT = Buffer.from('sixteen bytes ok');
const WANTED = 'the text that was sold';

/** A receipt for one item, which the shop that was lost had under the number 900,000. */
const receiptOf = (text: string, seq: number, more: object = {}) =>
  signJws(
    KEY,
    RECEIPT_TYPE,
    JSON.stringify({
      shop: 'shop',
      epoch: 1,
      position: { seq, hash: '' },
      accountId: 1,
      orderId: 5,
      status: 'completed',
      idempotencyKey: 'lost',
      fingerprint: fingerprintOf({
        productId: 1,
        quantity: 1,
        expectedPriceUsdt: 2,
        recipientUsername: null,
      }),
      productId: 1,
      quantity: 1,
      expectedPriceUsdt: 2,
      totalPriceUsdt: 2,
      balanceAfterUsdt: 8,
      createdAt: NOW_MS,
      items: [{ place: 0, firstItem: 900_000, count: 1 }],
      itemHashes: [itemHash(SALT, text)],
      salt: SALT.toString('base64url'),
      ...more,
    }),
  );
const RECEIPT = receiptOf(WANTED, 99);

/** In place of an item's number: the order's own text. */
const OWN_TEXT = -1;

/** A shop whose items have texts by number; `onLook` is told of each that is read. */
function shop(stock: number, textOf: (item: number) => string, onLook: (item: number) => void) {
  const state: State = worldState({ accounts: 1, products: 1, balanceMicros: 10_000_000, stock });
  apply(state, epochBegun(state, { epoch: 2, hash: 'ab', isComplete: false, nowMs: NOW_MS + 1_000 }));
  const execute = (command: Command): object => {
    const decision = decide(state, noHistory, command, NOW_MS + 2_000);
    if ('atMs' in decision) apply(state, decision);
    return answer(state, decision) as object;
  };
  const submit = (command: Command, replyTo: (result: object) => void) => replyTo(execute(command));
  const readItems = (_: number, item: number) => {
    onLook(item);
    return [textOf(item)];
  };
  const textsOf = function* ({ adjustments }: Order) {
    const item = replacedItems(adjustments).get(0);
    if (item === undefined) onLook(OWN_TEXT);
    yield item === undefined ? WANTED : textOf(item);
  };
  const alone = (_: number, work: () => Promise<unknown>) => work();
  const recovery = new ReceiptRecovery({
    shop: { shop: 'shop', keys: new PublicKeys([KEY.jwk]) },
    engine: { state, submit },
    history: noHistory,
    stock: { readItems, orderTexts: { write: async () => undefined, remove: async () => undefined } },
    files: {},
    fulfilment: { textsOf, alone },
  } as unknown as ReceiptRecoveryOptions);
  const recover = (receipt = RECEIPT) => recovery.recover(receipt, { operatorId: ROOT_OPERATOR });
  return { state, execute, recover };
}

test('what is uploaded during a search is looked at, too: it goes to the order, and is not for sale', async () => {
  let isUploaded = false;
  const upload = () => {
    if (isUploaded) return;
    isUploaded = true;
    execute({ kind: 'AddStock', productId: 1, firstItem: 10, count: 1 });
  };
  const { state, execute, recover } = shop(10, (item) => (item === 10 ? WANTED : `text ${item}`), upload);
  assert.deepEqual(await recover(), { orderId: 5, isNew: true, waits: false, pendingBecause: undefined });
  assert.deepEqual([state.stock.available(1), state.stock.lost(1)?.outstandingHashes], [10, 0]);
  assert.deepEqual(state.stock.lost(1)?.recovered.list, [{ firstItem: 10, count: 1 }]);
});

test('a search that uploads go on to disturb ends, and the receipt is to be taken in again', async () => {
  let uploads = 0;
  const { state, execute, recover } = shop(
    1,
    (item) => `text ${item}`,
    () => {
      const firstItem = state.stock.of(1).end;
      if (uploads < 1_000) execute({ kind: 'AddStock', productId: 1, firstItem, count: 1 });
      uploads += 1;
    },
  );
  const result = await recover();
  assert.match('reason' in result ? result.reason : '', /items of product 1 came meanwhile: try again/);
});

test('what an operator puts into an order while a receipt is compared with it stays; the receipt’s item is the order’s, too', async () => {
  const texts = ['given by the operator', 'later in the gap', WANTED];
  let isReplaced = true;
  const replace = (item: number) => {
    if (item !== OWN_TEXT || isReplaced) return;
    isReplaced = true;
    const replacement = { kind: 'ReplaceItems', orderId: 5, key: 'bad', items: [0] } as const;
    assert.ok(!(execute(replacement) instanceof Rejection));
  };
  const { state, execute, recover } = shop(3, (item) => texts[item] ?? '', replace);
  await recover();
  execute({ kind: 'OpenSales' });
  isReplaced = false;
  const formerItems = [{ hash: itemHash(SALT, WANTED) }];
  assert.ok(!('reason' in (await recover(receiptOf('later in the gap', 100, { formerItems })))));
  const order = orderOf(state, noHistory, 5);
  assert.deepEqual([...replacedItems(order?.adjustments ?? [])], [[0, 0]]);
  assert.deepEqual(state.stock.available(1), 0);
});
