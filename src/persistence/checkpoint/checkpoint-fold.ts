/**
 * Folds the journal into the checkpoint through the engine's own `apply`: facts are applied to a state of the fold's own,
 * and make rows, which become one file.
 *
 * The fold's state has accounts, products and the ledger, which are small; orders and outcomes are forgotten every
 * thousand facts, so that what garbage there is dies young. Invariant: a fold that fails leaves nothing behind, but its
 * state is ahead of the files then, so the fold must be made anew.
 */
import { apply } from '../../engine/apply/apply.ts';
import type { Fact } from '../../engine/fact.ts';
import type { State } from '../../engine/state.ts';
import type { LogReader } from '../journal/frame-log.ts';
import type { FactVisitor } from '../journal/journal-frame.ts';
import { JournalReader } from '../journal/journal-reader.ts';
import { StoreFiles, type StoreLimits } from '../store/store-files.ts';
import { StoreReader } from '../store/store-reader.ts';
import { checkpointHead, loadState, takeState } from './checkpoint.ts';
import { FactRows } from './fact-rows.ts';
import { ALL_TABLES } from './tables.ts';

export interface FoldLimits extends StoreLimits {
  /** Facts of one file: bounds what a fold has in memory. */
  readonly fileFacts: number;
}

/** 10 MB, with keys of 36 characters. */
const FILE_FACTS = 50_000;
/** Changed prices of one file: half of what a batch of rows holds. */
const MANY_CHANGES = 400_000;
/** After so many the state's orders and outcomes are forgotten. */
const STEP_FACTS = 1_000;

export class CheckpointFold {
  readonly #files: StoreFiles;
  readonly #fileFacts: number;
  readonly #state: State;
  readonly #journal: JournalReader;
  readonly #facts = new FactRows();
  /** Positions of the ended supplier purchases that the files have. */
  #ended: number[];

  /** `store`: the checkpoint's folder. Throws `DamagedFileError` and `DamagedDataError`. */
  constructor(
    store: string,
    log: LogReader,
    { fileFacts = FILE_FACTS, ...limits }: Partial<FoldLimits> = {},
  ) {
    this.#fileFacts = fileFacts;
    this.#files = new StoreFiles(store, ALL_TABLES, limits);
    const reader = new StoreReader(store);
    try {
      this.#state = loadState(reader);
      this.#journal = new JournalReader(log, checkpointHead(reader));
    } finally {
      reader.close();
    }
    this.#ended = endedIn(this.#state);
    for (const rows of Object.values(this.#state.changed)) rows.collect();
  }

  /** The journal position that the checkpoint reflects. */
  get position(): number {
    return this.#files.list.position;
  }

  /** More files than merges should leave. */
  get hasManyFiles(): boolean {
    return this.#files.areMany;
  }

  /**
   * Folds all facts up to `position`, where a group must end. Throws what the file system throws: this fold is of no use
   * then, and another one begins with what is on disk.
   */
  foldThrough(position: number): void {
    let before = -1;
    while (this.position < position && this.position !== before) {
      before = this.position;
      this.#foldFile(position);
    }
    if (this.position !== position)
      throw new Error(`the journal ends at ${this.position}, and ${position} was to be folded`);
  }

  /**
   * A part of the work that keeps files few, which may wait until the facts are folded; false when none is due. Throws what
   * `StoreFiles.mergePart` does.
   */
  mergePart(): boolean {
    // Amid a merge this thread can't let go of the log (`lmdb-renewal.ts`). The next fold opens it again.
    void this.#journal.close();
    return this.#files.mergePart();
  }

  async close(): Promise<void> {
    this.#files.stop();
    await this.#journal.close();
  }

  readonly #visitor: FactVisitor = {
    fact: (fact, position) => this.#apply(fact, position),
  };

  #apply(fact: Fact, position: number): void {
    apply(this.#state, fact);
    this.#facts.take(fact, position, this.#state);
  }

  #foldFile(position: number): void {
    const state = this.#state;
    const { position: before } = state;
    let forgotten = before;
    for (const applied of this.#journal.visit(position, this.#visitor)) {
      if (applied - forgotten >= STEP_FACTS) {
        this.#forget();
        forgotten = applied;
      }
      if (applied - before >= this.#fileFacts || this.#facts.rows.areFull || hasManyChanges(state)) break;
    }
    if (state.position === before) return;
    this.#forget();
    takeState(this.#facts.rows, state, this.#ended);
    this.#ended = endedIn(state);
    const { head } = this.#journal;
    this.#files.add({ position: head.position, journalHash: head.hash.toString('hex') }, this.#facts);
  }

  #forget(): void {
    this.#state.cut();
    this.#state.dropOlder();
  }
}

/** One fact may change many prices, so facts don't bound the rows that they change. */
function hasManyChanges({ changed }: State): boolean {
  return changed.listPrices.size >= MANY_CHANGES || changed.accountPrices.size >= MANY_CHANGES;
}

function endedIn({ endedSupplierPurchases }: State): number[] {
  return endedSupplierPurchases.values().map(({ position }) => position);
}
