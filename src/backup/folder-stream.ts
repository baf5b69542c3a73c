/**
 * A folder as the stream that a backup is: from a place in the journal on, what each fact names, and then the frame with
 * the facts.
 *
 * Each frame is proved as it is read (`FrameChain`), so nothing is shipped that isn't the journal. Between two reads it
 * keeps one frame at most, and how far it has come with what that one names: whoever takes entries may stop behind any
 * of them, and go on later where it stopped.
 */
import type { Fact } from '../engine/fact.ts';
import { FrameChain } from '../persistence/journal/frame-chain.ts';
import type { LogHead, LogReader } from '../persistence/journal/frame-log.ts';
import { extentOf, type FrameHead, visitFacts } from '../persistence/journal/journal-frame.ts';
import type { ChunkEntry } from './chunk-entries.ts';
import { type NamedContent, namesContent } from './named-content.ts';

interface OpenFrame {
  readonly frame: Buffer;
  readonly named: Iterator<ChunkEntry>;
  readonly lastAtMs: number;
}

export class FolderStream {
  readonly #log: LogReader;
  readonly #content: NamedContent;
  readonly #chain: FrameChain;
  #lastAtMs: number;
  #head: LogHead;
  /** The frame whose entries have been begun, and which hasn't been given itself. */
  #open: OpenFrame | undefined;

  /** `from` is in the log, and its last fact was at `lastAtMs` (0 when that isn't known, or there is none). */
  constructor(log: LogReader, content: NamedContent, from: LogHead, lastAtMs: number) {
    this.#log = log;
    this.#content = content;
    this.#chain = new FrameChain(from);
    this.#head = from;
    this.#lastAtMs = lastAtMs;
  }

  /** The place behind the last frame that was given. */
  get head(): LogHead {
    return this.#head;
  }

  /** The time of the last fact that was given, Unix milliseconds. */
  get lastAtMs(): number {
    return this.#lastAtMs;
  }

  /**
   * The next entries, up to the frame that has fact `through`, or to where the log ends. Take them within one tick of the
   * event loop; a frame's bytes are valid until the next entry. Throws `DamagedDataError`, `StockError` and
   * `FileError`.
   */
  *read(through = Number.POSITIVE_INFINITY): IterableIterator<ChunkEntry> {
    if (this.#open !== undefined) yield* this.#rest(this.#open);
    if (this.#head.position >= through) return;
    for (const bytes of this.#log.read(this.#head.position)) {
      if (extentOf(bytes).last <= this.#head.position) continue;
      const head = this.#chain.add(bytes);
      const { named, lastAtMs } = contentOf(bytes, head);
      if (named.length === 0) {
        yield* this.#give(bytes, lastAtMs);
      } else {
        this.#open = { frame: Buffer.from(bytes), named: this.#entries(named), lastAtMs };
        yield* this.#rest(this.#open);
      }
      if (this.#head.position >= through) return;
    }
  }

  /** Closes `log`, too; the content is the caller's. */
  async close(): Promise<void> {
    this.#open?.named.return?.();
    this.#open = undefined;
    await this.#log.close();
  }

  *#entries(facts: readonly Fact[]): IterableIterator<ChunkEntry> {
    for (const fact of facts) yield* this.#content.of(fact);
  }

  *#rest({ frame, named, lastAtMs }: OpenFrame): IterableIterator<ChunkEntry> {
    for (let next = named.next(); next.done !== true; next = named.next()) yield next.value;
    this.#open = undefined;
    yield* this.#give(frame, lastAtMs);
  }

  *#give(frame: Buffer, lastAtMs: number): IterableIterator<ChunkEntry> {
    this.#head = this.#chain.head;
    this.#lastAtMs = lastAtMs;
    yield { kind: 'frame', frame };
  }
}

/** The facts that name something, and when the last fact of all happened. Purchases are passed over, but for the last. */
function contentOf(frame: Buffer, head: FrameHead): { readonly named: Fact[]; readonly lastAtMs: number } {
  const named: Fact[] = [];
  let left = head.count;
  let lastAtMs = 0;
  visitFacts(frame, head, {
    get skipsPurchases() {
      left -= 1;
      return left > 0;
    },
    fact: (fact) => {
      lastAtMs = fact.atMs;
      if (namesContent(fact)) named.push(fact);
    },
  });
  return { named, lastAtMs };
}
