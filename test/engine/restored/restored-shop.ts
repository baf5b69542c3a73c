/** Shops that lived, were lost, and were restored to a moment before: what they did, and what of it can come back. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { apply } from '../../../src/engine/apply/apply.ts';
import { brokenInvariants } from '../../../src/engine/apply/invariants.ts';
import type { Command, CommandOf } from '../../../src/engine/decide/command.ts';
import { answer, decide } from '../../../src/engine/decide/decide.ts';
import { type History, noHistory } from '../../../src/engine/decide/history.ts';
import { Rejection } from '../../../src/engine/decide/rejection.ts';
import type { Fact, FactOf } from '../../../src/engine/fact.ts';
import type { Order } from '../../../src/engine/orders.ts';
import { epochBegun } from '../../../src/engine/recovery/epoch-begun.ts';
import { State } from '../../../src/engine/state.ts';
import { NOW_MS, placeOrder, worldFacts } from '../commands.ts';
import { FactHistory } from '../fact-history.ts';

export const WORLD = { accounts: 2, products: 2, balanceMicros: 20_000_000, stock: 6 };
const RESTORED_MS = NOW_MS + 10_000;

export type Receipt = CommandOf<'RecoverOrder'>;

/** The state machine, and all that happened to it. */
class Shop {
  readonly state = new State();
  readonly facts: Fact[] = [];
  readonly history: History;

  /** A shop of these facts, of which the checkpoint has the first `folded`. */
  constructor(facts: readonly Fact[], folded: number) {
    for (const fact of facts.slice(0, folded)) this.record(fact);
    this.state.cut();
    this.state.dropOlder();
    this.history = folded === 0 ? noHistory : new FactHistory(facts.slice(0, folded));
    for (const fact of facts.slice(folded)) this.record(fact);
  }

  execute(command: Command): unknown {
    const decision = decide(this.state, this.history, command, RESTORED_MS);
    if ('atMs' in decision) this.record(decision);
    assert.deepEqual(brokenInvariants(this.state), []);
    return answer(this.state, decision);
  }

  record(fact: Fact): void {
    apply(this.state, fact);
    this.facts.push(fact);
  }
}

export const account = fc.integer({ min: 1, max: WORLD.accounts });
export const product = fc.integer({ min: 1, max: WORLD.products });
export const count = fc.integer({ min: 1, max: 3 });
/** Commands of the shop before it was lost. */
export const deeds = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('buy' as const), account, product, count }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('credit' as const), account, count }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('upload' as const), product, count }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), product, count }) },
  ),
  { maxLength: 40, size: 'max' },
);
/** Commands after the restore; `nth` chooses among the rows that there are. */
export const repairs = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('receipt' as const), nth: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('credit' as const), nth: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('quarantine' as const), product, count }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constantFrom('release' as const, 'give back' as const), product }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle' as const), nth: fc.nat() }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('buy' as const), account, product, count }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('retry' as const), nth: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('later receipt' as const), nth: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('open' as const) }) },
  ),
  { maxLength: 60, size: 'max' },
);
export type Repair = typeof repairs extends fc.Arbitrary<(infer One)[]> ? One : never;
export const moment = fc.double({ min: 0, max: 1, noNaN: true });

/** The shop as it was before it was lost. */
export function oldShop(
  past: readonly (typeof deeds extends fc.Arbitrary<(infer One)[]> ? One : never)[],
): Shop {
  const shop = new Shop(worldFacts(WORLD), 0);
  for (const [index, deed] of past.entries()) {
    if (deed.kind === 'buy') {
      const { account: accountId, product: productId, count: quantity } = deed;
      const wanted = { accountId, productId, quantity, expectedPriceUsdt: quantity * 2 };
      shop.execute(placeOrder({ ...wanted, idempotencyKey: `key ${index}` }));
    } else if (deed.kind === 'credit') {
      const amountMicros = deed.count * 1_000_000;
      shop.execute({
        kind: 'CreditWallet',
        accountId: deed.account,
        reference: `credit ${index}`,
        amountMicros,
      });
    } else if (deed.kind === 'upload') {
      const firstItem = shop.state.stock.of(deed.product).end;
      shop.execute({ kind: 'AddStock', productId: deed.product, firstItem, count: deed.count });
    } else shop.execute({ kind: 'WithdrawStock', productId: deed.product, count: deed.count });
  }
  return shop;
}

/** The shop after a restore to a moment, with a part of it in the checkpoint, and the receipts of the gap. */
export function restore(old: Shop, at: number, foldedAt: number) {
  const begin = worldFacts(WORLD).length;
  const cut = begin + Math.floor((old.facts.length - begin) * at);
  const shop = new Shop(old.facts.slice(0, cut), Math.floor(cut * foldedAt));
  shop.record(epochBegun(shop.state, { epoch: 2, hash: '', isComplete: false, nowMs: RESTORED_MS }));
  const gap = old.facts.slice(cut);
  const receipts = gap.flatMap((fact) => (fact.kind === 'OrderPlaced' ? [receiptOf(old, fact.order)] : []));
  const credits = gap.filter((fact): fact is FactOf<'WalletCredited'> => fact.kind === 'WalletCredited');
  const uploads = gap.filter((fact): fact is FactOf<'StockAdded'> => fact.kind === 'StockAdded');
  return { shop, receipts, credits, uploads };
}

function receiptOf({ state }: Shop, order: Order): Receipt {
  const { status: _status, firstItem, adjustments: _adjustments, ...bought } = order;
  const items = state.stock.itemsFrom(order.productId, firstItem, order.quantity);
  return { kind: 'RecoverOrder', ...bought, textCount: order.quantity, items };
}

export function creditOf({ credit }: FactOf<'WalletCredited'>): Command {
  const { accountId, reference, amountMicros } = credit;
  return { kind: 'CreditWallet', accountId, reference, amountMicros };
}

export function uploadAgain(shop: Shop, { productId, count: added }: FactOf<'StockAdded'>): void {
  const firstItem = shop.state.stock.of(productId).end;
  shop.execute({ kind: 'AddStock', productId, firstItem, count: added });
}

/** While sales are closed. */
export function release(shop: Shop, productId: number): void {
  const ranges = [...(shop.state.stock.lost(productId)?.quarantined.list ?? [])];
  const result = shop.execute({ kind: 'EndQuarantine', productId, ranges, release: 'inPlace' });
  assert.ok(!(result instanceof Rejection));
}
