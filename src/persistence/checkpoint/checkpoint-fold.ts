/**
 * Folds the journal into the checkpoint, batch by batch, through the engine's own `apply`.
 *
 * The fold has a state of its own, the checkpoint's: accounts, products and the ledger are small, and orders and
 * outcomes are forgotten as soon as their rows are written, every thousand facts; what garbage there is dies young.
 * Invariant: rows and the position they reflect are one transaction, within which the journal is read; when it fails,
 * the state is ahead of the rows, and the fold must be made anew. Rejected: writing rows straight from facts, which
 * would be a second account of what a fact means; the state notes which rows `apply` changes (`changed-rows.ts`).
 * Orders alone are taken from facts: each has the whole order, which `apply` puts in its place as it is, and which need
 * not be put together again.
 */
import { apply } from '../../engine/apply/apply.ts';
import type { Fact } from '../../engine/fact.ts';
import type { State } from '../../engine/state.ts';
import { WriteGate } from '../../threads/write-gate.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { numberKey } from '../codec/number-key.ts';
import { encodeJson, seal } from '../codec/sealed-row.ts';
import type { LogReader } from '../journal/frame-log.ts';
import type { FactVisitor } from '../journal/journal-frame.ts';
import { JournalReader } from '../journal/journal-reader.ts';
import { Compaction, type CompactionLimits, type StepDone } from '../runs/compaction.ts';
import { callKey, encodeRefusal, endKey, ownedKey } from './checkpoint-rows.ts';
import { CHECKPOINT_RUNS, type CheckpointTables, loadState, writeChanges } from './checkpoint-tables.ts';
import { type FoldIndex, foldIndexes } from './fold-index.ts';
import { KeyRuns, purchaseKeys } from './keys/key-runs.ts';
import { movedKeys } from './keys/moved-keys.ts';
import { SortedKeys } from './keys/sorted-keys.ts';
import { recipientRuns } from './order-recipients.ts';
import { OrderRows } from './order-rows.ts';

export interface FoldSteps {
  /** Facts of one transaction: bounds its time, for which an exit waits, and what LMDB holds until it ends. */
  readonly transactionFacts: number;
  /** After so many the state's orders and outcomes are written and forgotten. */
  readonly stepFacts: number;
}

/** 50,000 facts are 10 MB of pages, with keys of 36 characters. */
const STEPS: FoldSteps = { transactionFacts: 50_000, stepFacts: 1_000 };

export class CheckpointFold {
  readonly #tables: CheckpointTables;
  readonly #gate: WriteGate;
  readonly #steps: FoldSteps;
  readonly #state: State;
  readonly #journal: JournalReader;
  readonly #scratch = new ByteWriter();
  readonly #orders: OrderRows;
  readonly #keys = new SortedKeys();
  readonly #keyRuns: KeyRuns;
  readonly #recipients: KeyRuns;
  readonly #compaction: Compaction;
  readonly #indexes: readonly FoldIndex[];

  constructor(
    tables: CheckpointTables,
    log: LogReader,
    gate = new WriteGate(),
    steps = STEPS,
    compaction: Partial<CompactionLimits> = {},
  ) {
    this.#tables = tables;
    this.#gate = gate;
    this.#steps = steps;
    const { state, head } = loadState(tables);
    this.#state = state;
    for (const rows of Object.values(state.changed)) rows.collect();
    this.#journal = new JournalReader(log, head);
    this.#orders = new OrderRows(tables.orders);
    this.#keyRuns = new KeyRuns(purchaseKeys(tables));
    this.#recipients = new KeyRuns(recipientRuns(tables));
    this.#indexes = foldIndexes(tables, this.#recipients);
    const hashed = [
      movedKeys('keys', this.#keyRuns, compaction.movedKeys),
      movedKeys('recipients', this.#recipients, compaction.movedKeys),
    ];
    this.#compaction = new Compaction(
      { ...tables, kind: CHECKPOINT_RUNS, hashed },
      this.#transact,
      compaction,
    );
  }

  /** The journal position that the checkpoint reflects. */
  get position(): number {
    return this.#state.position;
  }

  /**
   * Folds all facts up to `position`, where a group must end. Throws what LMDB throws: this fold is of no use then, and
   * another one begins with what is on disk.
   */
  foldThrough(position: number): void {
    let before = -1;
    while (this.#state.position < position && this.#state.position !== before) {
      before = this.#state.position;
      this.#transact(() => this.#foldBatch(position));
    }
    if (this.#state.position !== position) {
      throw new Error(`the journal ends at ${this.#state.position}, and ${position} was to be folded`);
    }
  }

  /**
   * A part of the work that may wait until the facts are folded: it keeps runs few, and the database small. False when
   * nothing is left. Throws what LMDB and the file system do, and `DamagedFileError` for a run that can't be merged.
   */
  compact(): StepDone {
    // Amid a part this thread can't let go of the log (`lmdb-renewal.ts`). The next fold opens it again.
    void this.#journal.close();
    this.#keyRuns.merge(this.#transact);
    this.#recipients.merge(this.#transact);
    return this.#compaction.step();
  }

  async close(): Promise<void> {
    this.#compaction.stop();
    await this.#journal.close();
  }

  readonly #transact = (work: () => void): void => {
    this.#gate.pass(() => this.#tables.environment.transactionSync(work));
  };

  readonly #facts: FactVisitor = {
    fact: (fact, position) => this.#apply(fact, position),
  };

  #apply(fact: Fact, position: number): void {
    apply(this.#state, fact);
    if ('order' in fact) this.#orders.set(fact.order);
    for (const index of this.#indexes) index.take(fact, position);
  }

  /** Inside a transaction. */
  #foldBatch(position: number): void {
    const { position: before } = this.#state;
    let written = before;
    for (const applied of this.#journal.visit(position, this.#facts)) {
      if (applied - written >= this.#steps.stepFacts) {
        this.#writeHistory();
        written = applied;
      }
      if (applied - before >= this.#steps.transactionFacts) break;
    }
    if (this.#state.position === before) return;
    this.#writeHistory();
    this.#keyRuns.append(this.#keys);
    this.#keys.clear();
    for (const index of this.#indexes) index.flush();
    writeChanges(this.#tables, this.#state, before, this.#journal.head.hash.toString('hex'));
  }

  /** Writes the orders and outcomes that the state has, which then forgets them. */
  #writeHistory(): void {
    this.#orders.flush();
    this.#writeOutcomes();
    this.#state.cut();
    this.#state.dropOlder();
  }

  #writeOutcomes(): void {
    const { refusals, credits } = this.#tables;
    const { idempotency } = this.#state;
    idempotency.keys.visit((hash, ref) => this.#keys.add(hash, ref));
    for (const [position, refusal] of idempotency.refusals.entries()) {
      const key = numberKey(position);
      refusals.put(key, seal(key, encodeRefusal(this.#scratch, refusal)));
    }
    for (const credit of idempotency.credits()) {
      const key = ownedKey(credit.accountId, credit.reference);
      credits.put(key, seal(key, encodeJson(credit)));
    }
    for (const call of idempotency.calls()) {
      const key = callKey(call.operatorId, call.key);
      credits.put(key, seal(key, encodeJson(call)));
    }
    for (const [supplierPurchaseId, end] of this.#state.supplierPurchaseEnds.entries()) {
      const key = endKey(supplierPurchaseId);
      credits.put(key, seal(key, encodeJson(end)));
    }
  }
}
