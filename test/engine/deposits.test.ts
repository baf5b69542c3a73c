/**
 * Random deposits, transfers that are reported late, twice and in any order, credits by hand and assignments, with folds and
 * starts between: each transfer credits the account that a naive ledger says, once, and no money appears or vanishes.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { apply } from '../../src/engine/apply/apply.ts';
import { brokenInvariants } from '../../src/engine/apply/invariants.ts';
import { decide } from '../../src/engine/decide/decide.ts';
import { noHistory } from '../../src/engine/decide/history.ts';
import type { CreditResult } from '../../src/engine/decide/idempotency.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import {
  type Deposit,
  LATE_MS,
  MAX_ADDED_MICROS,
  SHOWN_MS,
  type Transfer,
} from '../../src/engine/deposits/deposit.ts';
import type { OpenTransfer } from '../../src/engine/deposits/deposit-commands.ts';
import { MAX_DEPOSITS_MICROS, MAX_UNCLAIMED_TRANSFERS } from '../../src/engine/limits.ts';
import { State } from '../../src/engine/state.ts';
import { canonicalTables } from '../../src/persistence/state-tables.ts';
import { type Random, randomFromEnvironment, roundsOr } from '../support/random.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { execute, NOW_MS, worldFacts, worldState } from './commands.ts';
import { SpendingShop } from './spending/spending-shop.ts';

const STEPS = 1_000;
const ACCOUNTS = 4;
const WINDOW_MS = 3_600_000;
const ADDRESSES = ['T1', 'T2'] as const;
/** Few, so that deposits are alike. */
const AMOUNTS = [10_000_000, 25_000_000] as const;

class Scene {
  readonly shop: SpendingShop;
  readonly #random: Random;
  readonly #deposits: Deposit[] = [];
  /** Deposits by number, those that a transfer has paid. */
  readonly #paid = new Set<number>();
  readonly #transfers: Transfer[] = [];
  /** By reference: whom the transfer credited, or that nobody claims it. */
  readonly #outcomes = new Map<string, number | 'unclaimed'>();
  /** By account, in micro-USDT. */
  readonly #credited = new Map<number, number>();
  readonly seen = { credited: 0, unclaimed: 0, waiting: 0, again: 0, assigned: 0, full: 0 };

  constructor(shop: SpendingShop, random: Random) {
    this.shop = shop;
    this.#random = random;
    shop.record(worldFacts({ accounts: ACCOUNTS, products: 0, balanceMicros: 0, stock: 0 }));
  }

  happen(): void {
    const random = this.#random;
    const step = random.next();
    if (step < 0.3) return this.#open();
    if (step < 0.5) return this.#pay();
    if (step < 0.75) return this.#observe(random.chance(0.8));
    if (step < 0.8) return this.#assign();
    if (step < 0.83) return this.#creditByHand();
    if (step < 0.9) return this.shop.foldStep();
    if (step < 0.92) return this.shop.restart();
    const stretch = random.pick([60_000, 60_000, WINDOW_MS, 12 * WINDOW_MS, LATE_MS, SHOWN_MS]);
    this.shop.nowMs += random.between(1, stretch);
  }

  assertWallets(): void {
    for (const { accountId, walletMicros } of this.shop.state.accounts.values())
      assert.equal(walletMicros, this.#credited.get(accountId) ?? 0, `account ${accountId}`);
    const unclaimed = [...this.#outcomes].filter(([, outcome]) => outcome === 'unclaimed');
    const kept = Array.from(this.shop.state.transfers.values(), ({ reference }) => reference);
    assert.deepEqual(kept.sort(), unclaimed.map(([reference]) => reference).sort());
  }

  #open(): void {
    const random = this.#random;
    const accountId = random.between(1, ACCOUNTS);
    const amountMicros = random.pick(AMOUNTS);
    const asked = { accountId, network: 'trc20', address: random.pick(ADDRESSES), amountMicros };
    const result = this.shop.execute({ kind: 'OpenDeposit', ...asked, windowMs: WINDOW_MS });
    if (result instanceof Rejection) {
      assert.equal(result.code, 'RATE_LIMITED');
      const waiting = this.#waiting().filter((deposit) => deposit.accountId === accountId);
      assert.equal(waiting.length, 10);
      this.seen.full += 1;
      return;
    }
    const deposit = { ...(result as Deposit) };
    const added = deposit.payMicros - amountMicros;
    assert.ok(added > 0 && added <= MAX_ADDED_MICROS);
    for (const other of this.#waiting())
      assert.ok(other.address !== deposit.address || other.payMicros !== deposit.payMicros);
    this.#deposits.push(deposit);
  }

  /** A customer pays a deposit, old or young, paid or not, or some other amount. */
  #pay(): void {
    const random = this.#random;
    const [deposit] = random.sample(this.#deposits.slice(-20), 1);
    if (deposit === undefined) return;
    const { network, address, payMicros, amountMicros } = deposit;
    const number = this.#transfers.length;
    const of = { network, address, amountMicros: random.chance(0.8) ? payMicros : amountMicros };
    const reference = `trc20:tx${Math.floor(number / 2)}:${number % 2}`;
    this.#transfers.push({ reference, ...of, paidAtMs: this.shop.nowMs });
  }

  #observe(isConfirmed: boolean): void {
    const [transfer] = this.#random.sample(this.#transfers.slice(-30), 1);
    if (transfer === undefined) return;
    const result = this.shop.execute({ kind: 'ObserveTransfer', transfer, isConfirmed });
    const known = this.#outcomes.get(transfer.reference);
    if (known !== undefined) {
      this.seen.again += 1;
      assert.deepEqual(shown(result), known);
      return;
    }
    const deposit = this.#paidBy(transfer);
    if (!isConfirmed) {
      assert.deepEqual(result, { state: 'waiting', ...(deposit && { accountId: deposit.accountId }) });
      this.seen.waiting += 1;
      return;
    }
    const outcome = deposit?.accountId ?? 'unclaimed';
    assert.deepEqual(shown(result), outcome);
    this.#outcomes.set(transfer.reference, outcome);
    if (deposit === undefined) this.seen.unclaimed += 1;
    else {
      this.seen.credited += 1;
      this.#paid.add(deposit.depositId);
      this.#credit(deposit.accountId, transfer.amountMicros);
    }
  }

  #assign(): void {
    const random = this.#random;
    const [transfer] = random.sample(this.#transfers, 1);
    if (transfer === undefined) return;
    const { reference, amountMicros } = transfer;
    const accountId = random.between(1, ACCOUNTS);
    const result = this.shop.execute({ kind: 'AssignTransfer', reference, accountId });
    const known = this.#outcomes.get(reference);
    if (known === 'unclaimed') {
      assert.equal(shown(result), accountId);
      this.#outcomes.set(reference, accountId);
      this.#credit(accountId, amountMicros);
      this.seen.assigned += 1;
    } else if (known === accountId) assert.equal((result as CreditResult).replayed, true);
    else
      assert.equal((result as Rejection).code, known === undefined ? 'NOT_FOUND' : 'TRANSITION_NOT_ALLOWED');
  }

  /** An operator repeats by hand what a transfer has credited. */
  #creditByHand(): void {
    const [transfer] = this.#random.sample(this.#transfers, 1);
    const accountId = this.#outcomes.get(transfer?.reference ?? '');
    if (transfer === undefined || typeof accountId !== 'number') return;
    const { reference, amountMicros } = transfer;
    const result = this.shop.execute({ kind: 'CreditWallet', accountId, reference, amountMicros });
    assert.equal((result as CreditResult).replayed, true);
  }

  #credit(accountId: number, amountMicros: number): void {
    this.#credited.set(accountId, (this.#credited.get(accountId) ?? 0) + amountMicros);
  }

  #waiting(): Deposit[] {
    const { nowMs } = this.shop;
    return this.#deposits.filter(
      ({ depositId, expiresAtMs }) => !this.#paid.has(depositId) && nowMs < expiresAtMs,
    );
  }

  /** The one that takes the transfer, of all that ever were. */
  #paidBy({ address, amountMicros }: Transfer): Deposit | undefined {
    const takes = this.#deposits.filter(
      (deposit) =>
        !this.#paid.has(deposit.depositId) &&
        deposit.address === address &&
        deposit.payMicros === amountMicros &&
        this.shop.nowMs < deposit.expiresAtMs + LATE_MS,
    );
    assert.ok(takes.length <= 1);
    return takes[0];
  }
}

/** Whom it credited, or its state. */
function shown(result: unknown): number | string {
  const known = result as CreditResult | OpenTransfer;
  return 'credit' in known ? known.credit.accountId : known.state;
}

test('transfers credit whom a naive ledger says, once, folds and starts included', async (context) => {
  const random = randomFromEnvironment();
  context.diagnostic(`PURSER_TEST_SEED=${random.seed}`);
  const folder = await createTemporaryFolder('deposits');
  context.after(() => folder.remove());
  for (let round = roundsOr(1); round > 0; round -= 1) {
    const shop = new SpendingShop(join(folder.path, `round-${round}`), NOW_MS);
    const scene = new Scene(shop, random);
    for (let step = 0; step < STEPS; step += 1) scene.happen();
    const { full: _, ...often } = scene.seen;
    for (const [what, times] of Object.entries(often)) assert.ok(times > 5, `${what} ${times}`);
    scene.assertWallets();
    assert.deepEqual(brokenInvariants(shop.state), []);
    const replayed = new State();
    for (const fact of shop.facts) apply(replayed, fact);
    assert.deepEqual(canonicalTables(shop.state), canonicalTables(replayed));
    shop.restart();
    assert.deepEqual(canonicalTables(shop.state), canonicalTables(replayed));
    scene.assertWallets();
    shop.close();
  }
});

describe('limits of deposits', () => {
  const transferOf = (number: number, amountMicros: number): Transfer => ({
    ...{ reference: `trc20:tx${number}:0`, network: 'trc20', address: 'T1', amountMicros, paidAtMs: NOW_MS },
  });
  const world = () => worldState({ accounts: 1_000, products: 0, balanceMicros: 0, stock: 0 });

  it('the largest transfers that nobody claims are kept, whoever sends dust', () => {
    const state = world();
    for (let number = 1; number <= MAX_UNCLAIMED_TRANSFERS; number += 1) {
      const transfer = transferOf(number, number === 500 || number === 700 ? 20 : 30);
      apply(state, { kind: 'TransferUnclaimed', transfer, atMs: NOW_MS });
    }
    const observe = (number: number, amountMicros: number) => {
      const transfer = transferOf(number, amountMicros);
      const result = execute(state, { kind: 'ObserveTransfer', transfer, isConfirmed: true });
      assert.deepEqual(result, { state: 'unclaimed' });
      return state.transfers.of(transfer.reference) !== undefined;
    };
    assert.equal(observe(20_001, 20), false);
    assert.equal(observe(20_002, 5_000_000), true);
    assert.equal(observe(20_002, 5_000_000), true);
    const kept = [500, 700, 701].map((number) => state.transfers.of(`trc20:tx${number}:0`) !== undefined);
    assert.deepEqual([kept, state.transfers.size], [[false, true, true], MAX_UNCLAIMED_TRANSFERS]);
    assert.equal(observe(500, 20), false, 'it stays away');
  });

  it('an amount is asked for again only once nobody is to pay it, as long as there are others', () => {
    const state = world();
    let nowMs = NOW_MS;
    const open = () => {
      nowMs += WINDOW_MS / 60;
      const accountId = 1 + (state.lastDepositId % 1_000);
      const asked = { accountId, network: 'trc20', address: 'T1', amountMicros: 10, windowMs: 60_000 };
      const fact = decide(state, noHistory, { kind: 'OpenDeposit', ...asked }, nowMs);
      assert.ok('kind' in fact && fact.kind === 'DepositOpened');
      apply(state, fact);
      return fact.deposit.payMicros;
    };
    const amounts = Array.from({ length: MAX_ADDED_MICROS }, open);
    assert.equal(new Set(amounts).size, MAX_ADDED_MICROS);
    state.deposits.pay(5, 'trc20:tx:0');
    assert.equal(open(), amounts[4], 'the only one that nobody is to pay');
    assert.equal(open(), amounts[1], 'one that nobody pays in time any more');
  });

  it('a deposit that no transfer could pay is refused', () => {
    const open = (amountMicros: number) =>
      execute(world(), {
        ...{ kind: 'OpenDeposit', accountId: 1, network: 'trc20', address: 'T1', amountMicros },
        windowMs: WINDOW_MS,
      });
    assert.equal((open(MAX_DEPOSITS_MICROS - MAX_ADDED_MICROS) as Deposit).depositId, 1);
    assert.equal((open(MAX_DEPOSITS_MICROS - MAX_ADDED_MICROS + 1) as Rejection).code, 'BAD_REQUEST');
  });
});
