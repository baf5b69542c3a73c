/**
 * One reader's way through the journal: from after a fact that it names, a chunk of lines at a time.
 *
 * Sequence numbers are those of the facts, so a reader that finds them consecutive has missed nothing. Invariant: lines
 * come in order, each once, and the chain of frames is proved from the first one read; where facts are missing there is
 * an error and never a gap. Between two chunks a reader keeps the rest of one group, no more. A reader may want lines
 * of some types only: others are passed over, so many at a time, and none is made of them.
 */

import type { Fact } from '../engine/fact.ts';
import { type Epoch, epochAt } from '../engine/recovery/epochs.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import type { LogReader } from '../persistence/journal/frame-log.ts';
import { JournalReader } from '../persistence/journal/journal-reader.ts';
import { feedLine } from './feed-line.ts';
import { type OwnAccounts, OwnFacts } from './own-facts.ts';

/** A chunk ends behind the line with which it reaches this many characters. */
const CHUNK_CHARS = 128 * 1024;
/** … or when it has passed over so many facts since: other readers have their turns. */
const MOST_PASSED = 16_384;
/** The encoder, whose results have memory of their own, which can be handed to another thread. */
const ENCODER = new TextEncoder();

export interface FeedChunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Up to here the reader has been told all that it wants; it may be nothing. */
  readonly last: number;
}

/** The lines and fields that a reader gets of the facts. */
export interface FeedView {
  /** Only lines of these types; default all. */
  readonly types?: readonly string[] | undefined;
  /** Lines leave out what goods cost the shop. */
  readonly hidesCosts?: boolean;
  /** Only lines about a bot's own accounts; default all. */
  readonly own?: OwnAccounts | undefined;
}

export class FeedReader {
  readonly #journal: JournalReader;
  readonly #epochs: readonly Epoch[];
  /** Undefined for all. */
  readonly #types: ReadonlySet<string> | undefined;
  readonly #hidesCosts: boolean;
  readonly #own: OwnFacts | undefined;
  /** The group that was read last, of which the facts from `#next` on are still to be told. */
  #facts: readonly Fact[] = [];
  #next = 0;
  /** The last sequence told, or passed over. */
  #last: number;

  private constructor(
    journal: JournalReader,
    after: number,
    epochs: readonly Epoch[],
    { types, hidesCosts = false, own }: FeedView,
  ) {
    this.#journal = journal;
    this.#epochs = epochs;
    this.#types = types && new Set(types);
    this.#hidesCosts = hidesCosts;
    this.#own = own && new OwnFacts(own);
    this.#last = after;
  }

  /** `epochs` are the journal's. `close` closes `log`, too. */
  static open(log: LogReader, after: number, epochs: readonly Epoch[] = [], view: FeedView = {}): FeedReader {
    return new FeedReader(JournalReader.at(log, after), after, epochs, view);
  }

  /** The next lines, at least one if all are wanted. `through` is durable, the end of a group, and after the last line told. */
  read(through: number): FeedChunk {
    const lines: string[] = [];
    const first = this.#last;
    const isEnough = () => chars >= CHUNK_CHARS || this.#last - first - lines.length >= MOST_PASSED;
    let chars = this.#tell(lines, 0);
    if (!isEnough()) {
      for (const { firstSequence, facts } of this.#journal.read(through)) {
        this.#facts = facts;
        this.#next = Math.max(0, this.#last + 1 - firstSequence);
        chars = this.#tell(lines, chars);
        if (isEnough()) break;
      }
    }
    if (this.#last === first) {
      throw new DamagedDataError(`the journal's facts from ${this.#last + 1} to ${through} are missing`);
    }
    return { bytes: ENCODER.encode(lines.join('')), last: this.#last };
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  #tell(lines: string[], charsBefore: number): number {
    let chars = charsBefore;
    for (; this.#next < this.#facts.length && chars < CHUNK_CHARS; this.#next += 1) {
      const fact = this.#facts[this.#next];
      if (fact === undefined) break;
      this.#last += 1;
      if (this.#own?.has(fact) === false) continue;
      if (this.#types?.has(fact.kind) === false) continue;
      const line = feedLine(this.#last, fact, epochAt(this.#epochs, this.#last), this.#hidesCosts);
      lines.push(line);
      chars += line.length;
    }
    return chars;
  }
}
