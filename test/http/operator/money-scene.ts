/**
 * A data folder with some days of random traffic, and an outside ledger of it that knows nothing of movements and sums:
 * it looks at the wallets, the holds and the ledger before and after each fact.
 */
import { join } from 'node:path';
import { apply } from '../../../src/engine/apply/apply.ts';
import type { Command } from '../../../src/engine/decide/command.ts';
import { decide } from '../../../src/engine/decide/decide.ts';
import { isFact } from '../../../src/engine/decide/decision.ts';
import { noHistory } from '../../../src/engine/decide/history.ts';
import type { Fact } from '../../../src/engine/fact.ts';
import type { Ledger } from '../../../src/engine/ledger.ts';
import type { Origin } from '../../../src/engine/origin.ts';
import { State } from '../../../src/engine/state.ts';
import { checkpointIn } from '../../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../../src/persistence/checkpoint/checkpoint-fold.ts';
import { beginFolder, STOCK_FILE } from '../../../src/persistence/folder/data-folder.ts';
import { extentOf, frameHash } from '../../../src/persistence/journal/journal-frame.ts';
import { openLogReader } from '../../../src/persistence/journal/open-log.ts';
import { KeyRing } from '../../../src/persistence/keys/key-ring.ts';
import { productStock } from '../../../src/persistence/stock/product-stock.ts';
import { openStockStore } from '../../../src/persistence/stock/stock-store.ts';
import { PRODUCT, placeOrder } from '../../engine/commands.ts';
import { JournalFolder } from '../../persistence/journal/journal-folder.ts';
import type { Random } from '../../support/random.ts';

/** Clocks are set back in Europe, and, later, forward: days of 25 and of 23 hours. */
export const START_MS = Date.parse('2024-10-25T13:37:00.123Z');
const SPRING_MS = Date.parse('2025-03-28T13:37:00.123Z');
export const ACCOUNTS = 5;
/** Own stock, by hand, from a supplier. */
const OWN = 1;
const MANUAL = 2;
const SUPPLIED = 3;
const STOCK = 2_000;
const OPERATORS = ['root', 'anna', 'boris'] as const;
const REASONS = [
  ...['goodwill', 'said "no",\r\nthen yes', '=1+1', 'Überweisung; zurück', '\nnext line', '＝1+1'],
  ...['\ufeff=1+1', ' \t@SUM(1)'],
];
/** Requests came long after the beginning of their numbers. */
const FIRST_REQUEST = 4_096_000_000;

/** The effect of one fact, as the outside ledger saw it. */
export interface LedgerLine {
  readonly seq: number;
  readonly at: number;
  readonly fact: Fact;
  readonly accountId: number;
  readonly productId: number | undefined;
  /** In micro-USDT. */
  readonly wallet: number;
  readonly balance: number;
  readonly held: number;
  readonly deposits: number;
  readonly sales: number;
  readonly refunds: number;
}

export interface MoneyScene {
  readonly facts: readonly Fact[];
  readonly lines: readonly LedgerLine[];
  /** By the sequence of each fact. */
  readonly hashes: readonly string[];
}

/** Makes the folder, folds some of it in random steps, and leaves the rest to the node. */
export async function makeMoneyScene(folder: string, random: Random, steps: number): Promise<MoneyScene> {
  await beginFolder(folder);
  await addItems(folder);
  const traffic = new Traffic(random);
  traffic.begin();
  for (let step = 0; step < steps; step += 1) {
    if (step === Math.floor(steps / 2)) traffic.waitUntil(SPRING_MS);
    traffic.step();
  }
  traffic.endHolds();
  const { facts, lines } = traffic;
  const journal = await JournalFolder.open(folder, 64 * 1024);
  const ends: number[] = [];
  for (let next = 0; next < facts.length; ) {
    const group = facts.slice(next, next + random.between(1, 12));
    await journal.append(group);
    next += group.length;
    ends.push(next);
  }
  await journal.close();
  let folded = 0;
  for (const end of random.sample(ends, 4).sort((a, b) => a - b)) {
    await foldThrough(folder, end, random);
    folded = end;
  }
  if (folded === 0) throw new Error('nothing was folded');
  return { facts, lines, hashes: await hashesOf(folder) };
}

async function addItems(folder: string): Promise<void> {
  const { keys } = KeyRing.load({
    folder,
    fromEnvironment: undefined,
    isBegun: false,
    hasTexts: () => false,
  });
  const onFatal = (error: unknown) => {
    throw error;
  };
  const stock = await openStockStore({ file: join(folder, STOCK_FILE), keys, onFatal });
  const readStock = async () => productStock(OWN, 0);
  const intake = await stock.beginIntake({ productId: OWN, allowDuplicates: false, readStock });
  await intake.writeItems(Array.from({ length: STOCK }, (_, index) => `item ${index}`));
  await intake.finish();
  intake.close();
  await stock.close();
}

async function foldThrough(folder: string, position: number, random: Random): Promise<void> {
  const limits = { fileFacts: random.between(5, 80) };
  const fold = new CheckpointFold(checkpointIn(folder), openLogReader(folder), limits);
  fold.foldThrough(position);
  await fold.close();
}

async function hashesOf(folder: string): Promise<string[]> {
  const hashes = ['0'.repeat(64)];
  const log = openLogReader(folder);
  for (const frame of log.read(0)) {
    const { first, last } = extentOf(frame);
    for (let seq = first; seq <= last; seq += 1) hashes[seq] = frameHash(frame).toString('hex');
  }
  await log.close();
  return hashes;
}

interface Figures {
  readonly accounts: readonly {
    readonly accountId: number;
    readonly wallet: number;
    readonly held: number;
  }[];
  readonly ledger: Ledger;
}

/** Random commands, and what their facts did. */
class Traffic {
  readonly facts: Fact[] = [];
  readonly lines: LedgerLine[] = [];
  readonly #random: Random;
  readonly #state = new State();
  #nowMs = START_MS;
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  begin(): void {
    const root = { operatorId: 0, requestNumber: FIRST_REQUEST };
    for (const name of OPERATORS.slice(1)) {
      const token = { sha256: name.repeat(13).slice(0, 64), expiresAtMs: null };
      this.#execute({ kind: 'CreateOperator', profile: { name, role: 'finance' }, token }, root);
    }
    const supplier = { name: 'S', url: 'http://127.0.0.1:9', sealedSecret: '' };
    this.#execute({ kind: 'CreateSupplier', profile: supplier }, root);
    const source = { supplierId: 1, sku: 'x' };
    for (const profile of [PRODUCT, { ...PRODUCT, type: 'manual' as const }, { ...PRODUCT, source }])
      this.#execute({ kind: 'CreateProduct', profile }, root);
    this.#execute({ kind: 'AddStock', productId: OWN, firstItem: 0, count: STOCK }, root);
    const available = { productId: SUPPLIED, sku: 'x', available: 'unlimited' } as const;
    this.#execute({ kind: 'RecordSupplierStock', supplierId: 1, changes: [available] }, {});
    for (let account = 1; account <= ACCOUNTS; account += 1) {
      const profile = { name: `Account ${account}`, rateLimitPerMinute: null, webhookConcurrency: 1 };
      this.#execute({ kind: 'CreateAccount', profile }, root);
    }
  }

  waitUntil(ms: number): void {
    this.#nowMs = Math.max(this.#nowMs, ms);
  }

  step(): void {
    const random = this.#random;
    // Often no time goes by, sometimes half a day.
    if (random.chance(0.7)) this.#nowMs += random.between(0, random.chance(0.03) ? 43_200_000 : 900_000);
    // The last account never gets anything; the one before is quiet.
    const accountId = random.chance(0.02) ? ACCOUNTS - 1 : random.between(1, ACCOUNTS - 2);
    const request = { requestNumber: FIRST_REQUEST + this.#count };
    const reason = random.chance(0.5) ? { reason: random.pick(REASONS) } : {};
    const operator = { ...request, ...reason, operatorId: random.between(0, OPERATORS.length - 1) };
    const orderId = random.between(1, Math.max(1, this.#state.lastOrderId));
    const [hold] = random.sample([...this.#state.supplierPurchases.values()], 1);
    const { supplierPurchaseId = 0, accountId: holder = 1 } = hold ?? {};
    const held = { supplierPurchaseId, accountId: holder, productId: SUPPLIED };
    this.#count += 1;
    const deeds: (() => void)[] = [
      () => this.#credit(accountId, operator),
      () => {
        const productId = random.pick([OWN, MANUAL]);
        const order = { accountId, productId, quantity: 1, recipientUsername: null, ...request };
        this.#execute({ kind: 'OpenOrder', ...order }, operator);
      },
      () => this.#execute({ kind: 'PayOrder', orderId, expectedPriceUsdt: null }, operator),
      () => this.#execute({ kind: 'FailOrder', orderId }, operator),
      () => this.#refund(orderId, operator),
      () => this.#execute({ kind: 'CaptureHold', ...held }, request),
      () => {
        const code = random.pick(['OUT_OF_STOCK', 'PURCHASE_FAILED'] as const);
        this.#execute({ kind: 'ReleaseHold', ...held, code, isUnresolved: false }, request);
      },
      () => this.#execute({ kind: 'ShowItemTexts', orderId }, operator),
    ];
    const deed = deeds[random.between(0, 11)] ?? (() => this.#buy(accountId, request));
    deed();
  }

  /** The node would go on with them. */
  endHolds(): void {
    for (const each of [...this.#state.supplierPurchases.values()]) {
      const { supplierPurchaseId, accountId, productId, phase, orderId } = each;
      const held = { supplierPurchaseId, accountId, productId };
      if (phase === 'held')
        this.#execute({ kind: 'ReleaseHold', ...held, code: 'PURCHASE_FAILED', isUnresolved: false }, {});
      else if (phase === 'pending') this.#execute({ kind: 'FailOrder', orderId, supplierPurchaseId }, {});
    }
  }

  #credit(accountId: number, operator: Origin): void {
    const random = this.#random;
    const amountMicros = random.chance(0.2) ? -random.between(1, 3_000_000) : random.between(1, 90_000_000);
    const reference = random.pick(['wire', '=cmd|x', 'a,b', '-5 "x"']) + this.#count;
    this.#execute({ kind: 'CreditWallet', accountId, reference, amountMicros }, operator);
  }

  /** Refunds of what a supplier still owes leave it unresolved, and the node would ask. */
  #refund(orderId: number, operator: Origin): void {
    if (this.#state.supplierPurchases.ofOrder(orderId) !== undefined) return;
    this.#execute({ kind: 'RefundOrder', orderId }, operator);
  }

  #buy(accountId: number, request: Origin & { readonly requestNumber: number }): void {
    const productId = this.#random.pick([OWN, OWN, MANUAL, SUPPLIED]);
    const quantity = this.#random.between(1, 3);
    const idempotencyKey = `key ${this.#count}`;
    const expectedPriceUsdt = quantity * 2;
    this.#execute(
      placeOrder({ accountId, productId, quantity, idempotencyKey, expectedPriceUsdt, ...request }),
      undefined,
    );
  }

  #execute(command: Command, origin: Origin | undefined): void {
    const decision = decide(this.#state, noHistory, command, this.#nowMs);
    if (!isFact(decision)) return;
    const fact = origin === undefined ? decision : { ...decision, origin };
    const before = this.#figures();
    apply(this.#state, fact);
    this.facts.push(fact);
    this.#write(fact, before);
  }

  #write(fact: Fact, before: Figures): void {
    const after = this.#figures();
    const { ledger: now } = after;
    const { ledger: then } = before;
    const revenue = now.revenueMicros - then.revenueMicros;
    const moved = after.accounts.find(({ wallet, held }, index) => {
      const was = before.accounts[index];
      return was !== undefined && (was.wallet !== wallet || was.held !== held);
    });
    if (moved === undefined) return;
    const was = before.accounts[moved.accountId - 1] ?? moved;
    const holder =
      'order' in fact ? fact.order : 'supplierPurchase' in fact ? fact.supplierPurchase : undefined;
    this.lines.push({
      seq: this.facts.length,
      at: fact.atMs,
      fact,
      accountId: moved.accountId,
      productId: holder?.productId ?? (fact.kind === 'HoldReleased' ? SUPPLIED : undefined),
      wallet: moved.wallet - was.wallet,
      balance: moved.wallet,
      held: now.heldMicros - then.heldMicros,
      deposits: then.depositsMicros - now.depositsMicros,
      sales: Math.max(0, revenue),
      refunds: Math.max(0, -revenue),
    });
  }

  #figures(): Figures {
    const accounts = Array.from(this.#state.accounts.values(), ({ accountId, walletMicros, heldMicros }) => ({
      accountId,
      wallet: walletMicros,
      held: heldMicros,
    }));
    return { accounts, ledger: { ...this.#state.ledger } };
  }
}
