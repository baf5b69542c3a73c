/**
 * A shop that is restored to any moment of its past, and what it lost comes back in any order: against a naive shop that
 * knows each item by its text. No text is sold twice, no money appears or vanishes, and keys are answered as before.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apply } from '../../src/engine/apply/apply.ts';
import type { Command, PurchaseResult, RecoveryResult } from '../../src/engine/decide/command.ts';
import { orderOf } from '../../src/engine/decide/history.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { countOf } from '../../src/engine/item-ranges.ts';
import { State } from '../../src/engine/state.ts';
import { canonicalTables } from '../../src/persistence/state-tables.ts';
import { roundsOr } from '../support/random.ts';
import { placeOrder } from './commands.ts';
import { NaiveGap, numbersOf, ordersOf } from './restored/naive-gap.ts';
import {
  count,
  creditOf,
  deeds,
  moment,
  oldShop,
  product,
  type Repair,
  release,
  repairs,
  restore,
  uploadAgain,
  WORLD,
} from './restored/restored-shop.ts';

function perform(
  { shop, receipts, credits }: ReturnType<typeof restore>,
  model: NaiveGap,
  step: Repair,
  entered: Set<string>,
  name: string,
): void {
  const { state } = shop;
  const receipt = 'nth' in step ? receipts[step.nth % Math.max(1, receipts.length)] : undefined;
  switch (step.kind) {
    case 'receipt': {
      if (receipt === undefined) return;
      const result = shop.execute(receipt);
      const said =
        result instanceof Rejection ? 'refused' : (result as RecoveryResult).replayed ? 'again' : 'done';
      assert.equal(said, model.recover(receipt));
      return;
    }
    case 'credit': {
      const lost = credits[step.nth % Math.max(1, credits.length)];
      if (lost === undefined) return;
      shop.execute(creditOf(lost));
      const { accountId, reference, amountMicros } = lost.credit;
      if (!entered.has(reference)) model.wallets[accountId] = (model.wallets[accountId] ?? 0) + amountMicros;
      entered.add(reference);
      return;
    }
    case 'quarantine':
      shop.execute({ kind: 'QuarantineItems', productId: step.product, count: step.count });
      return model.quarantine(step.product, step.count);
    case 'release':
    case 'give back': {
      const ranges = state.stock.lost(step.product)?.quarantined.list ?? [];
      if (step.kind === 'release' && !model.isOpen) {
        release(shop, step.product);
        return model.putBack(step.product);
      }
      const firstItem = step.kind === 'release' ? state.stock.of(step.product).end : undefined;
      const asNew = firstItem === undefined ? {} : { release: { firstItem } };
      shop.execute({ kind: 'EndQuarantine', productId: step.product, ranges: [...ranges], ...asNew });
      return model.endQuarantine(step.product, firstItem);
    }
    case 'later receipt': {
      if (receipt === undefined || !model.hasKey(receipt.accountId, receipt.idempotencyKey)) return;
      const { orderId, accountId, productId } = receipt;
      const [item] = [...model.numbers(productId, 'quarantine'), ...model.numbers(productId, 'sale')];
      if (item === undefined || orderOf(state, shop.history, orderId) === undefined) return;
      const replaced = [{ place: 0, item }];
      const items = [{ firstItem: item, count: 1 }];
      const ids = { orderId, accountId, productId };
      const result = shop.execute({ kind: 'AmendOrder', ...ids, items, textCount: 0, replaced });
      assert.ok(!(result instanceof Rejection));
      assert.equal((result as RecoveryResult).order.adjustments.at(-1)?.kind, 'replacement');
      return model.replace(receipt, item);
    }
    case 'settle': {
      if (receipt === undefined) return;
      const { orderId, accountId } = receipt;
      const result = shop.execute({ kind: 'SettleDebit', orderId, accountId });
      assert.equal(result instanceof Rejection, !model.settle(orderId, accountId));
      return;
    }
    case 'open':
      shop.execute({ kind: 'OpenSales' });
      model.isOpen = true;
      return;
    case 'buy': {
      const { account: accountId, product: productId, count: quantity } = step;
      const wanted = { accountId, productId, quantity, expectedPriceUsdt: quantity * 2 };
      const result = shop.execute(placeOrder({ ...wanted, idempotencyKey: name }));
      if (!(result instanceof Rejection)) model.bought((result as PurchaseResult).order);
      assert.equal(result instanceof Rejection && result.code === 'SALES_CLOSED', !model.isOpen);
      return;
    }
    case 'retry': {
      // The buyer asks again with the key of a purchase that was lost.
      if (receipt === undefined) return;
      const { kind: _kind, ...request } = receipt;
      const { accountId, idempotencyKey } = receipt;
      const isKnown = model.hasKey(accountId, idempotencyKey);
      const result = shop.execute(placeOrder(request));
      if (result instanceof Rejection) {
        assert.equal(isKnown, false);
        if (result.code === 'INSUFFICIENT_BALANCE') model.refuse(accountId, idempotencyKey);
        return;
      }
      const { order, replayed } = result as PurchaseResult;
      assert.equal(replayed, isKnown);
      if (replayed) return;
      return model.bought(order);
    }
  }
}

test('whatever comes back after a restore, and in whatever order, the shop is as a naive one', () => {
  fc.assert(
    fc.property(deeds, moment, moment, repairs, (past, at, foldedAt, steps) => {
      const old = oldShop(past);
      const restored = restore(old, at, foldedAt);
      const { shop } = restored;
      const { state } = shop;
      const model = new NaiveGap(state, ordersOf(shop.facts));
      for (const upload of restored.uploads) {
        model.upload(upload.productId, state.stock.of(upload.productId).end, upload.count);
        uploadAgain(shop, upload);
      }
      const entered = new Set<string>();
      for (const [index, step] of steps.entries()) {
        perform(restored, model, step, entered, `new ${index}`);
        for (const { accountId, walletMicros } of state.accounts.values()) {
          assert.equal(walletMicros, model.wallets[accountId], `${step.kind}: account ${accountId}`);
        }
        const waiting = Array.from(state.waitingDebits.values(), (debit): [number, number] => [
          debit.orderId,
          debit.amountMicros,
        ]);
        assert.deepEqual(waiting, [...model.waiting]);
        for (let productId = 1; productId <= WORLD.products; productId += 1) {
          const { next, end } = state.stock.of(productId);
          const unsold = numbersOf(state.stock.unsoldIn(productId, next, end - next));
          assert.deepEqual(unsold, model.numbers(productId, 'sale'), step.kind);
          const aside = numbersOf(state.stock.lost(productId)?.quarantined.list ?? []);
          assert.deepEqual(aside, model.numbers(productId, 'quarantine'), step.kind);
        }
      }
      for (const [text, orders] of model.sold()) assert.equal(orders.length, 1, `${text} was sold twice`);
      assert.equal(state.orderCount, ordersOf(shop.facts).length + recoveredIn(shop.facts));
      const replayed = new State();
      for (const fact of shop.facts) apply(replayed, fact);
      assert.deepEqual(canonicalTables(replayed), canonicalTables(state));
    }),
    { numRuns: roundsOr(80) },
  );
});

test('with all receipts and credits, in any order, the gap closes without a trace', () => {
  fc.assert(
    fc.property(
      deeds,
      moment,
      moment,
      fc.array(fc.nat(), { minLength: 80, maxLength: 80 }),
      fc.nat(6),
      (past, at, foldedAt, order, aside) => {
        const old = oldShop(past.filter(({ kind }) => kind !== 'withdraw'));
        const { shop, receipts, credits, uploads } = restore(old, at, foldedAt);
        const { state } = shop;
        for (const upload of uploads) uploadAgain(shop, upload);
        for (let productId = 1; productId <= WORLD.products; productId += 1) {
          shop.execute({ kind: 'QuarantineItems', productId, count: aside });
        }
        const tasks: Command[] = [...receipts, ...credits.map(creditOf)];
        const shuffled = tasks
          .map((task, index) => ({ task, place: order[index % order.length] ?? 0 }))
          .sort((a, b) => a.place - b.place);
        for (const { task } of shuffled) assert.equal(shop.execute(task) instanceof Rejection, false);
        for (const { accountId, orderId } of [...state.waitingDebits.values()]) {
          shop.execute({ kind: 'SettleDebit', accountId, orderId });
        }
        for (const { accountId, walletMicros } of old.state.accounts.values()) {
          assert.equal(state.accounts.get(accountId)?.walletMicros, walletMicros);
        }
        assert.deepEqual(state.ledger, old.state.ledger);
        for (let productId = 1; productId <= WORLD.products; productId += 1) {
          release(shop, productId);
          assert.equal(state.stock.available(productId), old.state.stock.available(productId));
        }
        shop.execute({ kind: 'OpenSales' });
        for (const { kind: _kind, ...request } of receipts) {
          const { order: again, replayed } = shop.execute(placeOrder(request)) as PurchaseResult;
          assert.deepEqual(
            [again.orderId, again.balanceAfterMicros, replayed],
            [request.orderId, request.balanceAfterMicros, true],
          );
        }
      },
    ),
    { numRuns: roundsOr(40) },
  );
});

test('as many as the gap sold are set aside, however often some were released before, and none is sold again', () => {
  const asides = fc.array(fc.record({ product, count, isReleased: fc.boolean() }), { maxLength: 12 });
  fc.assert(
    fc.property(deeds, moment, moment, asides, (past, at, foldedAt, steps) => {
      const { shop, receipts, uploads } = restore(
        oldShop(past.filter(({ kind }) => kind !== 'withdraw')),
        at,
        foldedAt,
      );
      const { stock } = shop.state;
      for (const upload of uploads) uploadAgain(shop, upload);
      for (const step of steps) {
        shop.execute({ kind: 'QuarantineItems', productId: step.product, count: step.count });
        if (step.isReleased) release(shop, step.product);
      }
      for (let productId = 1; productId <= WORLD.products; productId += 1) {
        const sold = receipts.filter((order) => order.productId === productId).flatMap(({ items }) => items);
        release(shop, productId);
        shop.execute({ kind: 'QuarantineItems', productId, count: countOf(sold) });
        assert.deepEqual(numbersOf(stock.lost(productId)?.quarantined.list ?? []), numbersOf(sold));
      }
    }),
    { numRuns: roundsOr(40) },
  );
});

function recoveredIn(facts: readonly Fact[]): number {
  return facts.filter(({ kind }) => kind === 'OrderRecovered').length;
}
