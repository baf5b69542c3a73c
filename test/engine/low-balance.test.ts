/** A purchase's fact says which threshold the balance fell below: once a crossing, holds not counted as spent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply } from '../../src/engine/apply/apply.ts';
import type { Command } from '../../src/engine/decide/command.ts';
import { decide } from '../../src/engine/decide/decide.ts';
import { noHistory } from '../../src/engine/decide/history.ts';
import { ownEventsOf } from '../../src/engine/events/own-events.ts';
import type { Fact } from '../../src/engine/fact.ts';
import type { State } from '../../src/engine/state.ts';
import { NOW_MS, PRODUCT, placeOrder, worldState } from './commands.ts';

const WEBHOOK = { url: 'https://shop.test/', events: ['order.failed'], sealedSecret: '' } as const;

/** An account with a balance, in USDT. Product 1 is in stock, product 2 is a supplier's; an item is a USDT. */
class Shop {
  readonly state: State;
  #keys = 0;

  constructor(balanceUsdt: number, balanceThresholdUsdt: number | null) {
    this.state = worldState({ accounts: 1, products: 0, balanceMicros: balanceUsdt * 1e6, stock: 0 });
    const profile = { ...PRODUCT, priceMicros: 1e6 };
    this.does({ kind: 'CreateSupplier', profile: { name: 'x', url: 'http://x.test', sealedSecret: '' } });
    this.does({ kind: 'CreateProduct', profile });
    this.does({ kind: 'CreateProduct', profile: { ...profile, sources: [{ supplierId: 1, sku: 'x' }] } });
    this.does({ kind: 'AddStock', productId: 1, firstItem: 0, count: 1_000, lot: {} } as Command);
    this.does({ kind: 'SetWebhook', accountId: 1, webhook: { ...WEBHOOK, balanceThresholdUsdt } } as Command);
  }

  does(command: Command): Fact {
    const fact = decide(this.state, noHistory, command, NOW_MS);
    assert.ok('atMs' in fact, JSON.stringify(fact));
    apply(this.state, fact as Fact);
    return fact as Fact;
  }

  /** The balance that the event of low balance says, if the purchase gives one. */
  buys(quantity: number, productId = 1): number | undefined {
    this.#keys += 1;
    const idempotencyKey = `key ${this.#keys}`;
    return lowOf(this.does(placeOrder({ quantity, productId, idempotencyKey, expectedPriceUsdt: quantity })));
  }

  /** The supplier purchase that is held by it. */
  holds(quantity: number): number {
    this.buys(quantity, 2);
    return this.state.lastSupplierPurchaseId;
  }

  captures(supplierPurchaseId: number): number | undefined {
    return lowOf(this.does({ kind: 'CaptureHold', accountId: 1, productId: 2, supplierPurchaseId }));
  }

  releases(supplierPurchaseId: number): void {
    const end = { code: 'OUT_OF_STOCK', isUnresolved: false } as const;
    this.does({ kind: 'ReleaseHold', accountId: 1, productId: 2, supplierPurchaseId, ...end });
  }

  pays(quantity: number): number | undefined {
    const order = { accountId: 1, productId: 1, quantity, recipientUsername: null, requestNumber: 0 };
    this.does({ kind: 'OpenOrder', ...order });
    const { lastOrderId: orderId } = this.state;
    return lowOf(
      this.does({
        kind: 'PayOrder',
        orderId,
        accountId: 1,
        productId: 1,
        expectedPriceUsdt: null,
      } as Command),
    );
  }

  credits(amountUsdt: number): void {
    this.#keys += 1;
    const reference = `credit ${this.#keys}`;
    this.does({ kind: 'CreditWallet', accountId: 1, reference, amountMicros: amountUsdt * 1e6 });
  }
}

function lowOf(fact: Fact): number | undefined {
  const lows = ownEventsOf(fact).flatMap(({ accountId, content }) => {
    assert.equal(accountId, 1);
    return content.type === 'balance.low' ? [content] : [];
  });
  assert.ok(lows.length <= 1);
  return lows[0] && lows[0].balanceMicros / 1e6;
}

test('a crossing is told once, and again after a rise; never without a threshold or a webhook', () => {
  const shop = new Shop(30, 20);
  const steps = [
    [10, undefined],
    [1, 19],
    [9, undefined],
  ] as const;
  for (const [quantity, low] of steps) assert.equal(shop.buys(quantity), low, `${quantity}`);
  shop.credits(15);
  assert.deepEqual([shop.buys(5), shop.pays(3), shop.pays(1)], [undefined, 17, undefined]);
  assert.equal(new Shop(30, null).buys(30), undefined);
  shop.credits(20);
  shop.does({ kind: 'RemoveWebhook', accountId: 1, keySha256: undefined } as Command);
  assert.equal(shop.buys(30), undefined);
});

test('what is on hold while suppliers are asked is not spent yet (threshold 50)', () => {
  const cases: readonly [what: string, act: (shop: Shop) => (number | undefined)[], lows: unknown[]][] = [
    ['a hold alone that is released', (shop) => [shop.releases(shop.holds(60)) as undefined], [undefined]],
    ['a hold that is charged', (shop) => [shop.captures(shop.holds(60))], [40]],
    ['a purchase beside a hold, from 100 to 70', (shop) => [shop.holds(60) && shop.buys(30)], [undefined]],
    ['one from 100 to 45', (shop) => [shop.holds(40) && shop.buys(55)], [5]],
    [
      'two charges',
      (shop) => [shop.holds(30), shop.holds(40)].map((held) => shop.captures(held)),
      // After the first one 70 are left, of which 40 are on hold.
      [undefined, 30],
    ],
  ];
  for (const [what, act, lows] of cases) assert.deepEqual(act(new Shop(100, 50)), lows, what);
});
