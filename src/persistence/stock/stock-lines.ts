/**
 * Cuts an upload's bytes into lines, wherever the chunks end: only whole lines are looked at, so a character
 * that lies on both sides of a cut is never seen in halves. Holds at most one unfinished line.
 *
 * A carriage return before the line feed and a byte order mark at the very start are some editor's, not an
 * item's; empty lines are no items.
 */
import { isUtf8 } from 'node:buffer';
import { MAX_ITEM_BYTES } from './stock-block.ts';
import { BadItemError } from './stock-errors.ts';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NOTHING = Buffer.alloc(0);

export type TakeLine = (text: Buffer) => void;

export class LineSplitter {
  readonly #take: TakeLine;
  #unfinished: Buffer = NOTHING;
  #lineNumber = 0;

  /** `take` gets each line that is an item. The bytes are those of the chunk, not a copy. */
  constructor(take: TakeLine) {
    this.#take = take;
  }

  /** `chunk` must not be changed afterwards. Throws `BadItemError`. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#line(this.#finish(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) this.#unfinished = this.#finish(chunk.subarray(start));
    // Longer than any line can become by losing a mark at its start and a carriage return at its end.
    if (this.#unfinished.length > MAX_ITEM_BYTES + BYTE_ORDER_MARK.length + 1) {
      this.#line(this.#finish(NOTHING));
    }
  }

  /** The last line needs no line feed. Throws `BadItemError`. */
  end(): void {
    if (this.#unfinished.length > 0) this.#line(this.#finish(NOTHING));
  }

  /** What was unfinished, with `rest` behind it. */
  #finish(rest: Buffer): Buffer {
    if (this.#unfinished.length === 0) return rest;
    const line = Buffer.concat([this.#unfinished, rest]);
    this.#unfinished = NOTHING;
    return line;
  }

  #line(line: Buffer): void {
    this.#lineNumber += 1;
    const start = this.#lineNumber === 1 && startsWithMark(line) ? BYTE_ORDER_MARK.length : 0;
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    if (start >= end) return;
    const text = line.subarray(start, end);
    checkItem(text, this.#lineNumber);
    this.#take(text);
  }
}

/** Throws `BadItemError` for a text that is too long or not UTF-8. */
function checkItem(text: Buffer, lineNumber: number): void {
  if (text.length > MAX_ITEM_BYTES) {
    throw new BadItemError(lineNumber, `is longer than ${MAX_ITEM_BYTES} bytes`);
  }
  if (!isUtf8(text)) throw new BadItemError(lineNumber, 'is not valid UTF-8');
}

/** The bytes of an item that came as a string. Throws `BadItemError`, with the item's place as line number. */
export function itemBytes(item: string, place: number): Buffer {
  if (item === '') throw new BadItemError(place, 'is empty');
  if (LONE_SURROGATE.test(item)) throw new BadItemError(place, 'is not valid Unicode');
  const text = Buffer.from(item);
  checkItem(text, place);
  return text;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function startsWithMark(line: Buffer): boolean {
  return BYTE_ORDER_MARK.equals(line.subarray(0, BYTE_ORDER_MARK.length));
}
