/**
 * The rows of an endless list, page by page by the API's cursors, with bounded memory: of a million rows it has those
 * near the view, and of all others only where their pages begin.
 *
 * Invariant: rows on view are loaded first, one request at a time. Rows that the reader looks at never move by
 * themselves: when newer ones come above while he is not at the top, `newer` says so, and he decides. When a page has
 * come out shorter or longer than it was, the pages after it are forgotten, since their cursors may not continue it.
 */
import { signal } from '@preact/signals';

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor?: string | undefined;
}

/** `cursor` is empty for the first page. */
export type LoadPage<Row> = (cursor: string, limit: number, signal: AbortSignal) => Promise<RowPage<Row>>;

export interface RowSource<Row> {
  readonly load: LoadPage<Row>;
  readonly keyOf: (row: Row) => string | number;
  /** New rows come at the end, or at the beginning. */
  readonly grows: 'below' | 'above';
}

interface Segment<Row> {
  readonly cursor: string;
  count: number;
  /** Undefined when it has been dropped. */
  rows: readonly Row[] | undefined;
  isStale: boolean;
}

interface View {
  readonly first: number;
  readonly last: number;
  readonly isAtTop: boolean;
}

export const PAGE_ROWS = 200;
/** Pages that are further from the view are dropped. */
const KEPT_PAGES = 10;

export class PagedRows<Row> {
  /** One more whenever something has changed. */
  readonly version = signal(0);
  /** Whether there are newer rows than the first. */
  readonly newer = signal(false);
  readonly #source: RowSource<Row>;
  readonly #onFailure: (error: unknown) => void;
  readonly #controller = new AbortController();
  #segments: Segment<Row>[] = [];
  /** Undefined: there is nothing after the last. */
  #next: string | undefined = '';
  #view: View = { first: 0, last: 0, isAtTop: true };
  #loading: Promise<void> | undefined;
  /** How often the rows may have changed: what was asked for before that may be without it. */
  #changes = 0;

  constructor(source: RowSource<Row>, onFailure: (error: unknown) => void) {
    this.#source = source;
    this.#onFailure = onFailure;
  }

  /** Rows that are known of, loaded or not. */
  get count(): number {
    return this.#segments.reduce((sum, { count }) => sum + count, 0);
  }

  /** Whether the last row that is known is the last. */
  get isComplete(): boolean {
    return this.#next === undefined;
  }

  /** Undefined while it is not loaded. */
  at(index: number): Row | undefined {
    let begin = 0;
    for (const { count, rows } of this.#segments) {
      if (index < begin + count) return rows?.[index - begin];
      begin += count;
    }
    return undefined;
  }

  /** Loads what is missing of these, and drops what is far from them. Resolves when nothing is missing. */
  show(view: View): Promise<void> {
    this.#view = view;
    return this.#fill();
  }

  /** Asks again for the pages on view. */
  refresh(): Promise<void> {
    this.#changes += 1;
    for (const segment of this.#segments) segment.isStale = true;
    return this.#fill();
  }

  /** From the first page, with what is new. */
  restart(): Promise<void> {
    this.#segments.length = Math.min(this.#segments.length, 1);
    this.#view = { first: 0, last: 0, isAtTop: true };
    this.newer.value = false;
    return this.refresh();
  }

  close(): void {
    this.#controller.abort();
  }

  #fill(): Promise<void> {
    this.#loading ??= this.#loadAll().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #loadAll(): Promise<void> {
    const { signal: aborted } = this.#controller;
    try {
      for (let index = this.#wanted(); index !== undefined && !aborted.aborted; index = this.#wanted()) {
        const segment = this.#segments[index];
        const cursor = segment?.cursor ?? this.#next ?? '';
        const changes = this.#changes;
        const page = await this.#source.load(cursor, PAGE_ROWS, aborted);
        if (aborted.aborted) return;
        // While it was loading, the list may have begun anew.
        if (this.#segments[index] === segment) this.#put(index, cursor, page);
        const put = this.#segments[index];
        if (put !== undefined && changes !== this.#changes) put.isStale = true;
        this.#dropFar();
        this.version.value += 1;
      }
    } catch (error) {
      if (!aborted.aborted) this.#onFailure(error);
    }
  }

  /** The number of the page that is to be loaded next. */
  #wanted(): number | undefined {
    const { first, last } = this.#view;
    let begin = 0;
    for (const [index, { count, rows, isStale }] of this.#segments.entries()) {
      const isOnView = begin <= last && begin + count > first;
      // An empty page may have rows by now, and the first is where new ones come.
      const isEmptyFirst = index === 0 && count === 0;
      if ((isOnView || isEmptyFirst) && (rows === undefined || isStale)) return index;
      begin += count;
    }
    return this.#next !== undefined && begin <= last ? this.#segments.length : undefined;
  }

  #put(index: number, cursor: string, { rows, nextCursor }: RowPage<Row>): void {
    const before = this.#segments[index];
    if (index === 0 && before !== undefined && this.#hasNewer(before, rows)) {
      if (!this.#view.isAtTop) {
        before.rows = this.#updated(before.rows ?? [], rows);
        before.isStale = false;
        this.newer.value = true;
        return;
      }
    }
    if (index === 0) this.newer.value = false;
    this.#segments[index] = { cursor, count: rows.length, rows, isStale: false };
    const follows = this.#segments[index + 1]?.cursor ?? this.#next;
    if (follows === nextCursor && index + 1 < this.#segments.length) return;
    this.#segments.length = index + 1;
    this.#next = nextCursor;
  }

  #hasNewer({ rows = [] }: Segment<Row>, now: readonly Row[]): boolean {
    const [first] = rows;
    const [newest] = now;
    if (this.#source.grows === 'below' || first === undefined || newest === undefined) return false;
    return this.#source.keyOf(first) !== this.#source.keyOf(newest);
  }

  /** Rows that have gone out of the page stay as they were. */
  #updated(rows: readonly Row[], now: readonly Row[]): readonly Row[] {
    const byKey = new Map(now.map((row) => [this.#source.keyOf(row), row]));
    return rows.map((row) => byKey.get(this.#source.keyOf(row)) ?? row);
  }

  /** The first stays: what has come above it is told by it. */
  #dropFar(): void {
    const { first, last } = this.#view;
    const far = KEPT_PAGES * PAGE_ROWS;
    let begin = 0;
    for (const [index, segment] of this.#segments.entries()) {
      const isFar = begin > last + far || begin + segment.count < first - far;
      if (isFar && index > 0) segment.rows = undefined;
      begin += segment.count;
    }
  }
}
