/**
 * Folds the journal into the checkpoint, batch by batch, through the engine's own `apply`.
 *
 * It has a state of its own, the checkpoint's: accounts, products and the ledger are small, and orders and
 * outcomes are forgotten as soon as their batch is on disk. What always holds: rows and the position they
 * reflect are one transaction. Rejected: writing rows straight from facts, which would be a second account of
 * what a fact means.
 */
import { apply } from '../../engine/apply.ts';
import type { Fact } from '../../engine/fact.ts';
import type { State } from '../../engine/state.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { JournalReader } from '../journal/journal-reader.ts';
import { numberKey } from '../lmdb/lmdb-environment.ts';
import { WriteGate } from '../lmdb/write-gate.ts';
import {
  creditKey,
  encodeCredit,
  encodeRefusal,
  OrderBlock,
  orderBlockOf,
  seal,
  unseal,
} from './checkpoint-rows.ts';
import {
  type CheckpointTables,
  loadState,
  writeAccount,
  writeMeta,
  writeProduct,
  writeSettledSupplies,
  writeSupplier,
  writeSupply,
} from './checkpoint-tables.ts';
import { KeyRuns } from './key-runs.ts';
import { SortedKeys } from './sorted-keys.ts';

/** Bounds the memory of a batch and the time of its transaction. */
const BATCH_FACTS = 25_000;

interface Row {
  readonly key: Buffer;
  readonly value: Buffer;
}

export class CheckpointFold {
  readonly #tables: CheckpointTables;
  readonly #gate: WriteGate;
  readonly #state: State;
  readonly #journal: JournalReader;
  readonly #scratch = new ByteWriter();
  readonly #accounts = new Set<number>();
  readonly #products = new Set<number>();
  readonly #suppliers = new Set<number>();
  readonly #supplies = new Set<number>();
  #isSettledChanged = false;
  readonly #keyRuns: KeyRuns;

  constructor(tables: CheckpointTables, folder: string, gate = new WriteGate()) {
    this.#tables = tables;
    this.#gate = gate;
    const { state, head } = loadState(tables);
    this.#state = state;
    this.#journal = new JournalReader(folder, head);
    this.#keyRuns = new KeyRuns(tables);
  }

  /** The journal position that the checkpoint reflects. */
  get position(): number {
    return this.#state.position;
  }

  /** Folds all facts up to `position`, where a group must end. Throws what LMDB throws. */
  foldThrough(position: number): void {
    let facts = 0;
    for (const frame of this.#journal.read(position)) {
      for (const fact of frame.facts) this.#apply(fact);
      facts += frame.facts.length;
      if (facts >= BATCH_FACTS) {
        this.#write();
        facts = 0;
      }
    }
    if (facts > 0) this.#write();
    if (this.#state.position !== position) {
      throw new Error(`the journal ends at ${this.#state.position}, and ${position} was to be folded`);
    }
  }

  /** What may wait until the facts are folded: keeps the runs of keys few. Throws what LMDB throws. */
  mergeKeys(): void {
    this.#keyRuns.merge(this.#transact);
  }

  async close(): Promise<void> {
    await this.#journal.close();
  }

  readonly #transact = (work: () => void): void => {
    this.#gate.pass(() => this.#tables.environment.root.transactionSync(work));
  };

  #apply(fact: Fact): void {
    this.#touchSupply(fact);
    apply(this.#state, fact);
    switch (fact.kind) {
      case 'OrderPlaced':
      case 'OrderPaid':
        this.#accounts.add(fact.order.accountId);
        this.#products.add(fact.order.productId);
        break;
      case 'OrderOpened':
      case 'OrderDelivered':
      case 'OrderCancelled':
      case 'PurchaseRefused':
        break;
      case 'OrderFailed':
      case 'OrderRefunded':
        this.#accounts.add(fact.order.accountId);
        break;
      case 'WalletCredited':
        this.#accounts.add(fact.credit.accountId);
        break;
      case 'SupplierCreated':
      case 'SupplierUpdated':
        this.#suppliers.add(fact.supplierId);
        break;
      case 'SupplierStockChanged':
        for (const { productId } of fact.changes) this.#products.add(productId);
        break;
      case 'HoldPlaced':
        this.#accounts.add(fact.supply.accountId);
        break;
      case 'HoldCaptured':
        this.#accounts.add(fact.order.accountId);
        break;
      case 'HoldReleased':
        break;
      case 'SupplyReconciled':
        this.#products.add(fact.productId);
        this.#isSettledChanged = true;
        break;
      case 'AccountCreated':
      case 'AccountUpdated':
      case 'KeyIssued':
      case 'KeyRevoked':
      case 'WebhookSet':
      case 'WebhookRemoved':
        this.#accounts.add(fact.accountId);
        break;
      case 'ProductCreated':
      case 'ProductUpdated':
      case 'ProductFileSet':
      case 'StockAdded':
      case 'StockWithdrawn':
        this.#products.add(fact.productId);
        break;
      default:
        throw new Error(`no row is known for ${JSON.stringify(fact satisfies never)}`);
    }
  }

  /** The supply that the fact is about, as it is before; its account's hold may end with it. */
  #touchSupply(fact: Fact): void {
    const { supplies } = this.#state;
    if (fact.kind === 'HoldPlaced') this.#supplies.add(fact.supply.supplyId);
    const supply =
      'supplyId' in fact && fact.supplyId !== undefined
        ? supplies.get(fact.supplyId)
        : 'order' in fact
          ? supplies.ofOrder(fact.order.orderId)
          : undefined;
    if (supply === undefined) return;
    this.#supplies.add(supply.supplyId);
    this.#accounts.add(supply.accountId);
  }

  #write(): void {
    const { orders } = this.#tables;
    const orderRows = this.#orderRows();
    this.#transact(() => {
      for (const { key, value } of orderRows) orders.put(key, value);
      this.#writeOutcomes();
      for (const accountId of this.#accounts) writeAccount(this.#tables, this.#state, accountId);
      for (const productId of this.#products) writeProduct(this.#tables, this.#state, productId);
      for (const supplierId of this.#suppliers) writeSupplier(this.#tables, this.#state, supplierId);
      for (const supplyId of this.#supplies) writeSupply(this.#tables, this.#state, supplyId);
      if (this.#isSettledChanged) writeSettledSupplies(this.#tables, this.#state);
      writeMeta(this.#tables, {
        position: this.#state.position,
        journalHash: this.#journal.head.hash.toString('hex'),
        lastOrderId: this.#state.lastOrderId,
        lastSupplyId: this.#state.lastSupplyId,
        ledger: this.#state.ledger,
      });
    });
    this.#accounts.clear();
    this.#products.clear();
    this.#suppliers.clear();
    this.#supplies.clear();
    this.#isSettledChanged = false;
    this.#state.cut();
    this.#state.dropOlder();
  }

  #orderRows(): Row[] {
    const blocks = new Map<number, OrderBlock>();
    for (const order of this.#state.orders.values()) {
      const number = orderBlockOf(order.orderId);
      let block = blocks.get(number);
      if (block === undefined) {
        block = this.#loadBlock(number);
        blocks.set(number, block);
      }
      block.set(order);
    }
    return Array.from(blocks, ([number, block]) => {
      const key = numberKey(number);
      return { key, value: seal(key, block.encode(this.#scratch)) };
    });
  }

  #loadBlock(number: number): OrderBlock {
    const key = numberKey(number);
    const row = this.#tables.orders.get(key);
    return row === undefined ? new OrderBlock() : OrderBlock.decode(unseal('orders', key, row));
  }

  #writeOutcomes(): void {
    const { refusals, credits } = this.#tables;
    const { idempotency } = this.#state;
    const keys = new SortedKeys();
    idempotency.keys.visit((hash, ref) => keys.add(hash, ref));
    this.#keyRuns.append(keys);
    for (const [position, refusal] of idempotency.refusals.entries()) {
      const key = numberKey(position);
      refusals.put(key, seal(key, encodeRefusal(this.#scratch, refusal)));
    }
    for (const credit of idempotency.credits()) {
      const key = creditKey(credit.accountId, credit.reference);
      credits.put(key, seal(key, encodeCredit(credit)));
    }
  }
}
