/**
 * Folds the journal into the store: facts are applied to a state of its own and make rows, which become one file; then
 * the list names it. A fold that fails leaves nothing; the state is ahead of the files then, and the fold must be made
 * anew. Merges go on between folds, in parts.
 */
import { apply } from '../../src/engine/apply/apply.ts';
import type { Fact } from '../../src/engine/fact.ts';
import type { State } from '../../src/engine/state.ts';
import { GENESIS, type LogReader } from '../../src/persistence/journal/frame-log.ts';
import type { FactVisitor } from '../../src/persistence/journal/journal-frame.ts';
import { JournalReader } from '../../src/persistence/journal/journal-reader.ts';
import { FactRows } from './fact-rows.ts';
import { StoreFiles, type StoreLimits } from './store-files.ts';
import { StoreReader } from './store-reader.ts';
import { loadState, takeState } from './store-state.ts';

const FOLD_FACTS = 50_000;
/** The state's orders and outcomes are forgotten after so many. */
const STEP_FACTS = 1_000;

export class StoreFold {
  readonly #files: StoreFiles;
  readonly #state: State;
  readonly #journal: JournalReader;
  readonly #rows = new FactRows();

  constructor(folder: string, log: LogReader, limits: Partial<StoreLimits> = {}) {
    this.#files = new StoreFiles(folder, limits);
    const reader = new StoreReader(folder);
    try {
      this.#state = loadState(reader);
    } finally {
      reader.close();
    }
    for (const rows of Object.values(this.#state.changed)) rows.collect();
    const { position, journalHash } = this.#files.list;
    this.#journal = new JournalReader(
      log,
      position === 0 ? GENESIS : { position, hash: Buffer.from(journalHash, 'hex') },
    );
  }

  get position(): number {
    return this.#files.list.position;
  }

  foldThrough(position: number): void {
    while (this.#state.position < position) this.#foldBatch(position);
  }

  readonly #facts: FactVisitor = {
    fact: (fact, position) => this.#apply(fact, position),
  };

  #apply(fact: Fact, position: number): void {
    apply(this.#state, fact);
    this.#rows.take(fact, position, this.#state);
  }

  #foldBatch(position: number): void {
    const state = this.#state;
    const { position: before } = state;
    let forgotten = before;
    for (const applied of this.#journal.visit(position, this.#facts)) {
      if (applied - forgotten >= STEP_FACTS) {
        this.#forget();
        forgotten = applied;
      }
      if (applied - before >= FOLD_FACTS) break;
    }
    this.#forget();
    if (state.position === before) throw new Error(`the journal ends at ${before}`);
    takeState(this.#rows, state, before);
    const { position: head, hash } = this.#journal.head;
    this.#files.add({ position: head, journalHash: hash.toString('hex') }, (writer) =>
      this.#rows.write(writer),
    );
  }

  /** The state's orders and outcomes: rows are made of facts, but for ends of supplier purchases. */
  #forget(): void {
    this.#rows.takeEnds(this.#state);
    this.#state.cut();
    this.#state.dropOlder();
  }

  /** A part of what may wait; false when nothing is due. Throws what `StoreFiles.mergePart` does. */
  mergePart(): boolean {
    return this.#files.mergePart();
  }
}
