/**
 * Cuts an upload's bytes into lines, wherever the chunks end: only whole lines are looked at, so a character
 * that lies on both sides of a cut is never seen in halves. Holds at most one unfinished line.
 *
 * A carriage return before the line feed and a byte order mark at the start of a line (files were joined) are some
 * editor's, not an item's; blank lines are no items. A control character other than the tab is a sign that the file is not
 * what its sender thinks (UTF-16, a spreadsheet, lines that end in a bare carriage return), so it refuses the upload:
 * selling such a line would be worse; and so does a line of characters that nobody sees. Blanks around a text are the
 * item's, since nobody here can know better.
 */
import { isUtf8 } from 'node:buffer';
import { MAX_ITEM_BYTES } from '../file/stock-block.ts';
import { isVisible, withoutMark } from '../likeness.ts';
import { badItem, StockError } from '../stock-errors.ts';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const DELETE = 0x7f;
const LEAD_OF_C1 = 0xc2;
const LAST_C1 = 0x9f;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** Bytes of marks at the start of one line. */
const MAX_MARK_BYTES = 4 * BYTE_ORDER_MARK.length;
const NOTHING = Buffer.alloc(0);

export type TakeLine = (text: Buffer, lineNumber: number) => void;

export class LineSplitter {
  readonly #take: TakeLine;
  readonly #onBad: ((error: StockError) => void) | undefined;
  #unfinished: Buffer = NOTHING;
  #lineNumber = 0;
  /** A line was too long before its end came: what is left of it is passed over. */
  #isPassing = false;

  /**
   * `take` gets each line that is an item. The bytes are those of the chunk, not a copy. With `onBad`, which is told of
   * lines that can't be items, nothing throws.
   */
  constructor(take: TakeLine, onBad?: (error: StockError) => void) {
    this.#take = take;
    this.#onBad = onBad;
  }

  /** `chunk` must not be changed afterwards. Throws `bad-item`. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      if (this.#isPassing) this.#isPassing = false;
      else this.#line(this.#finish(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (this.#isPassing) return;
    if (start < chunk.length) this.#unfinished = this.#finish(chunk.subarray(start));
    // Longer than any line can become by losing marks at its start and a carriage return at its end.
    if (this.#unfinished.length > MAX_ITEM_BYTES + MAX_MARK_BYTES + 1) {
      this.#line(this.#finish(NOTHING));
      this.#isPassing = true;
    }
  }

  /** The last line needs no line feed. Throws `bad-item`. */
  end(): void {
    if (this.#unfinished.length > 0) this.#line(this.#finish(NOTHING));
  }

  /** The unfinished line, with `rest` behind it. */
  #finish(rest: Buffer): Buffer {
    if (this.#unfinished.length === 0) return rest;
    const line = Buffer.concat([this.#unfinished, rest]);
    this.#unfinished = NOTHING;
    return line;
  }

  #line(line: Buffer): void {
    this.#lineNumber += 1;
    let start = 0;
    while (start < MAX_MARK_BYTES && startsWithMark(line, start)) start += BYTE_ORDER_MARK.length;
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    if (start >= end) return;
    const text = line.subarray(start, end);
    if (!isBlank(text) && this.#isItem(text)) this.#take(text, this.#lineNumber);
  }

  #isItem(text: Buffer): boolean {
    try {
      checkItem(text, this.#lineNumber);
      refuseControlCharacter(text, this.#lineNumber, false);
      return true;
    } catch (error) {
      if (this.#onBad === undefined || !StockError.is(error, 'bad-item')) throw error;
      this.#onBad(error);
      return false;
    }
  }
}

/** Throws `bad-item` for a text that is too long or not UTF-8. */
function checkItem(text: Buffer, lineNumber: number): void {
  if (text.length > MAX_ITEM_BYTES) {
    throw badItem(lineNumber, `is longer than ${MAX_ITEM_BYTES} bytes`);
  }
  if (!isUtf8(text)) throw badItem(lineNumber, 'is not valid UTF-8');
  const [first = 0] = text;
  if (isAsciiVisible(first)) return;
  if (!isVisible(text.toString())) throw badItem(lineNumber, 'has no visible character');
}

/** The bytes of an item that came as a whole. Throws `bad-item`, with the item's place as line number. */
export function itemBytes(sent: string | Buffer, place: number): Buffer {
  if (typeof sent !== 'string' && !isUtf8(sent)) throw badItem(place, 'is not valid UTF-8');
  const item = withoutMark(sent.toString());
  if (item.trim() === '') throw badItem(place, item === '' ? 'is empty' : 'is blank');
  if (!item.isWellFormed()) throw badItem(place, 'is not valid Unicode');
  const text = Buffer.from(item);
  checkItem(text, place);
  refuseControlCharacter(text, place, true);
  return text;
}

/** Nothing but what Unicode calls white space. */
function isBlank(text: Buffer): boolean {
  const [first = 0] = text;
  return !isAsciiVisible(first) && text.toString().trim() === '';
}

function isAsciiVisible(byte: number): boolean {
  return byte > SPACE && byte < DELETE;
}

/** Throws `bad-item` for a control character. `text` is valid UTF-8. */
function refuseControlCharacter(text: Buffer, lineNumber: number, mayHaveLines: boolean): void {
  for (let index = 0; index < text.length; index += 1) {
    const byte = text[index] ?? 0;
    if (byte >= SPACE && byte !== DELETE && byte !== LEAD_OF_C1) continue;
    // U+0080 to U+009F are this byte and one up to 0x9f; what follows it in other characters is higher.
    const code = byte === LEAD_OF_C1 ? (text[index + 1] ?? 0) : byte;
    if (byte === LEAD_OF_C1 && code > LAST_C1) continue;
    if (code === TAB || (mayHaveLines && (code === LINE_FEED || code === CARRIAGE_RETURN))) continue;
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    throw badItem(lineNumber, `has a control character (${name}); send plain UTF-8 text`);
  }
}

function startsWithMark(line: Buffer, start: number): boolean {
  return line[start] === BYTE_ORDER_MARK[0] && BYTE_ORDER_MARK.equals(line.subarray(start, start + 3));
}
