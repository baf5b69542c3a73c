/**
 * JSON of some megabytes whose bulk is one list of texts, such as `{"items": ["…", …], "reason": "…"}`: cut into pieces at
 * the list's commas, each of which `JSON.parse` reads in a tick of its own. As a whole, 8 MB take the thread up to half a
 * second. Rejected: another thread, whose answer of a million texts takes as long to be received; a parser in JavaScript,
 * which takes five times as long; less than 8 MB, for operators' programs may send as much.
 *
 * Invariant: what is read is what `JSON.parse` would read. Refused is what it takes beside that: other elements than
 * texts, and too long ones, before they are parsed; more than a piece around the list; a field of its name behind it.
 */
import { isUtf8 } from 'node:buffer';
import { ownTick } from './event-loop.ts';

/** Bytes of one tick: the worst JSON of this size takes 4 ms to parse. */
export const PIECE_BYTES = 64 * 1024;
/** Bytes that no piece has: the longest item, with each of its characters escaped, has less than half. */
const MAX_PIECE_BYTES = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const MARK = Buffer.from('\ufeff');
const IN_OBJECT = 1;
/** JSON's blanks alone: other ones, such as a no-break space, are no JSON. */
const NOTHING = /^[ \t\n\r]*$/;

/** Long JSON that isn't what its reader wants. The message begins with the place, such as `items.3`. */
export class ListedJsonError extends Error {
  override readonly name = 'ListedJsonError';
}

export interface ListedJson {
  /** All that is around the list; with an empty one in its place, if there is one of that name. */
  readonly fields: unknown;
  readonly texts: readonly string[];
}

/**
 * Throws `SyntaxError` for what is no JSON in UTF-8, and `ListedJsonError` for a list of other than `maxTexts` texts. `bytes`
 * must not be changed meanwhile.
 */
export async function readListedJson(
  bytes: Uint8Array,
  list: string,
  maxTexts = Number.POSITIVE_INFINITY,
): Promise<ListedJson> {
  if (!isUtf8(bytes)) throw new SyntaxError('no UTF-8');
  const pieces = new Pieces(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), list);
  const texts: string[] = [];
  while (pieces.scan()) {
    const piece = pieces.take();
    if (piece !== undefined) addTexts(texts, JSON.parse(piece), list);
    if (texts.length > maxTexts)
      throw new ListedJsonError(`${list} must NOT have more than ${maxTexts} items`);
    await ownTick();
  }
  const fields: unknown = JSON.parse(pieces.rest);
  if (pieces.isNamedAgain) throw new ListedJsonError(`${list} must be there once`);
  return { fields, texts };
}

function addTexts(texts: string[], piece: readonly unknown[], list: string): void {
  if (piece.length === 0) throw new SyntaxError('a comma without an element');
  for (const text of piece) {
    const place = `${list}.${texts.length}`;
    if (typeof text !== 'string') throw new ListedJsonError(`${place} must be string`);
    texts.push(text);
  }
}

/** Pieces of the list. A tick scans `PIECE_BYTES`. */
class Pieces {
  readonly #bytes: Buffer;
  readonly #list: string;
  readonly #name: Buffer;
  readonly #start: number;
  #at: number;
  #depth = 0;
  #isInText = false;
  /** The beginning of the last text that is directly in the object: a name, or a field's value. */
  #textAt = 0;
  /** The place behind the list's bracket; -1 before the list. */
  #listAt = -1;
  /** The list's last bracket; -1 before it. */
  #listEnd = -1;
  /** Elements of the list that have ended. */
  #elements = 0;
  /** The piece that is being scanned. */
  #pieceAt = -1;
  #pieceEnd = -1;

  constructor(bytes: Buffer, list: string) {
    this.#bytes = bytes;
    this.#list = list;
    this.#name = Buffer.from(JSON.stringify(list));
    this.#start = bytes.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0;
    this.#at = this.#start;
  }

  /** Scans for a tick, or up to the end of a piece. False when all has been scanned and taken. */
  scan(): boolean {
    const bytes = this.#bytes;
    if (this.#at >= bytes.length) return false;
    const end = Math.min(bytes.length, this.#at + PIECE_BYTES);
    for (; this.#at < end; this.#at += 1) {
      const byte = bytes[this.#at];
      if (this.#isInText) {
        if (byte === BACKSLASH) this.#at += 1;
        else if (byte === QUOTE) this.#isInText = false;
      } else if (byte === QUOTE) {
        this.#isInText = true;
        if (this.#depth === IN_OBJECT) this.#textAt = this.#at;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (this.#isInList) throw new ListedJsonError(`${this.#list}.${this.#elements} must be string`);
        if (byte === OPEN_BRACKET && this.#depth === IN_OBJECT && this.#isNamed) this.#open();
        this.#depth += 1;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        this.#depth -= 1;
        if (this.#isInList) this.#close();
      } else if (byte === COMMA && this.#isInList) {
        this.#elements += 1;
        if (this.#at - this.#pieceAt >= PIECE_BYTES) this.#pieceEnd = this.#at;
      }
      if (this.#pieceEnd >= 0) {
        this.#at += 1;
        break;
      }
    }
    this.#checkRoom();
    return true;
  }

  /** The piece that has been scanned, as a list of its own. */
  take(): string | undefined {
    if (this.#pieceEnd < 0) return undefined;
    const piece = this.#bytes.toString('utf8', this.#pieceAt, this.#pieceEnd);
    const isWhole = this.#listAt === this.#pieceAt && this.#listEnd === this.#pieceEnd;
    this.#pieceAt = this.#pieceEnd + 1;
    this.#pieceEnd = -1;
    return isWhole && NOTHING.test(piece) ? undefined : `[${piece}]`;
  }

  /** All around the list, with an empty one in its place. */
  get rest(): string {
    const before = this.#listAt < 0 ? this.#bytes.length : this.#listAt;
    return this.#bytes.toString('utf8', this.#start, before) + this.#after;
  }

  /** Whether a field behind the list has its name, however that is written: `JSON.parse` takes the last. `rest` is JSON. */
  get isNamedAgain(): boolean {
    const after = this.#after;
    // Behind an element of a list there is no field.
    if (!after.trimEnd().endsWith('}')) return false;
    return Object.hasOwn(JSON.parse(`{"":[${after}`), this.#list);
  }

  get #after(): string {
    return this.#bytes.toString('utf8', this.#listEnd < 0 ? this.#bytes.length : this.#listEnd);
  }

  get #isInList(): boolean {
    return this.#listAt >= 0 && this.#listEnd < 0;
  }

  /** Whether the last text in the object is the list's name. In JSON it is the name of the field that begins here. */
  get #isNamed(): boolean {
    return this.#bytes.subarray(this.#textAt, this.#textAt + this.#name.length).equals(this.#name);
  }

  #open(): void {
    if (this.#listAt >= 0) throw new ListedJsonError(`${this.#list} must be there once`);
    this.#listAt = this.#at + 1;
    this.#pieceAt = this.#listAt;
  }

  #close(): void {
    this.#listEnd = this.#at;
    this.#pieceEnd = this.#at;
  }

  #checkRoom(): void {
    const before = this.#listAt < 0 ? this.#at : this.#listAt;
    const after = this.#listEnd < 0 ? 0 : this.#at - this.#listEnd;
    if (before + after > PIECE_BYTES)
      throw new ListedJsonError(`${this.#list} must be nearly all of the body`);
    const piece = this.#pieceEnd < 0 ? this.#at : this.#pieceEnd;
    if (this.#pieceAt >= 0 && piece - this.#pieceAt > MAX_PIECE_BYTES)
      throw new ListedJsonError(`${this.#list} must have no element as long as ${MAX_PIECE_BYTES} bytes`);
  }
}
