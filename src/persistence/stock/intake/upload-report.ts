/**
 * The report on an upload's lines: which products have the ones that were left out, which look like something that is
 * there, and what buyers will see.
 *
 * Invariant: the report is bounded, however many lines there are: all are counted, and the first are named.
 */
import type { KnownText } from '../delivered/known-texts.ts';
import { orderOfHint } from '../file/stock-fingerprints.ts';
import { type Difference, differences } from '../likeness.ts';
import { type LineNumbers, type LineRange, SortedLines } from './line-numbers.ts';

const MAX_LOOK_ALIKES = 100;
const SAMPLE_ITEMS = 3;

/** A line that looks like another text. */
export interface LookAlike {
  readonly line: number;
  readonly isAdded: boolean;
  readonly differsIn: readonly Difference[];
  /** Where that text is: in a line of the same upload, … */
  readonly likeLine?: number;
  /** … or in the shop. */
  readonly productId?: number;
  readonly item?: number;
  readonly orderId?: number;
}

export interface LookAlikes {
  readonly count: number;
  readonly first: readonly LookAlike[];
}

/** Lines of which one thing is to be said. */
export interface LinesOf<Of> {
  readonly of: Of;
  readonly count: number;
  readonly lines: readonly LineRange[];
}

/** A line that was compared with the shop and with the lines before it. */
export interface ComparedLine {
  readonly number: number;
  readonly text: Buffer;
  readonly isNew: boolean;
  readonly known: KnownText | undefined;
  /** The line before it that is the same or alike. */
  readonly prior: { readonly number: number; readonly text: Buffer } | undefined;
}

export class UploadReport {
  readonly #productId: number;
  readonly #ofProducts = new SortedLines<number>();
  readonly #lookAlikes: LookAlike[] = [];
  #lookAlikeCount = 0;
  readonly sample: string[] = [];

  constructor(productId: number) {
    this.#productId = productId;
  }

  add(line: ComparedLine): void {
    const { number, text, isNew, known, prior } = line;
    if (!isNew) this.#ofProducts.add(known?.holder?.productId ?? this.#productId, number);
    else if (this.sample.length < SAMPLE_ITEMS) this.sample.push(text.toString());
    const like = known?.holder?.text ?? prior?.text;
    if (like === undefined || like.equals(text)) return;
    this.#lookAlikeCount += 1;
    if (this.#lookAlikes.length < MAX_LOOK_ALIKES) this.#lookAlikes.push(lookAlike(line, like));
  }

  get lookAlikes(): LookAlikes {
    return { count: this.#lookAlikeCount, first: this.#lookAlikes };
  }

  /** The products that have the lines that were left out. */
  get duplicatesOf(): LinesOf<number>[] {
    return linesOf(this.#ofProducts);
  }

  get isOfOthers(): boolean {
    return [...this.#ofProducts.of.keys()].some((productId) => productId !== this.#productId);
  }
}

export function linesOf<Of>({ of }: SortedLines<Of>): LinesOf<Of>[] {
  return Array.from(of, ([thing, { count, ranges }]) => ({ of: thing, count, lines: ranges }));
}

function lookAlike({ number, text, isNew, known, prior }: ComparedLine, like: Buffer): LookAlike {
  const differsIn = differences(text.toString(), like.toString());
  const told = { line: number, isAdded: isNew, differsIn };
  if (known?.holder?.text === undefined) return { ...told, likeLine: prior?.number ?? 0 };
  const { productId, hint } = known.holder;
  const orderId = orderOfHint(hint);
  return { ...told, productId, ...(orderId === undefined ? { item: hint } : { orderId }) };
}

/** The lines of an upload that weren't added, by their numbers. */
export interface SortedOutLines {
  readonly duplicates: LineNumbers;
  /** Lines that can't be items. */
  readonly bad: LineNumbers;
  readonly badFor: readonly LinesOf<string>[];
}
