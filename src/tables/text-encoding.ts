/**
 * Makes UTF-8 of the text that spreadsheets write: UTF-8 with or without a mark, UTF-16 with one, and Windows-1252 where
 * somebody says so.
 *
 * Invariant: a mark decides, whatever is said, and is no part of the text. A text without a mark is passed on as it is,
 * so whether it is UTF-8 is for those to see who know which cell they read. Rejected: `TextDecoder` for Windows-1252,
 * which some versions of Node take for Latin-1.
 */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

export type Charset = 'windows-1252';
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | Charset;

const MARKS: readonly (readonly [encoding: TextEncoding, mark: Buffer])[] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];

/** The characters 0x80 to 0x9f; those that aren't defined stay control characters, which nobody takes for text. */
const HIGH_CONTROLS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const FIRST_HIGH_CONTROL = 0x80;

/** The encoding of a text by its mark, else the given one. */
export function encodingOf(beginning: Buffer, charset?: Charset): TextEncoding {
  return markOf(beginning)?.[0] ?? charset ?? 'utf-8';
}

/** The encoding by a mark, else UTF-8 where that fits, else a guess. `beginning` ends with a whole character. */
export function likelyEncodingOf(beginning: Buffer): TextEncoding {
  return encodingOf(beginning, isUtf8(beginning) ? undefined : 'windows-1252');
}

/** Decodes one text, in parts that are cut anywhere. */
export class Utf8Maker {
  readonly #encoding: TextEncoding;
  readonly #utf16: TextDecoder | undefined;
  #hasBegun = false;

  constructor(encoding: TextEncoding) {
    this.#encoding = encoding;
    if (encoding === 'utf-16le' || encoding === 'utf-16be')
      this.#utf16 = new TextDecoder(encoding, { fatal: true });
  }

  /** The first part has the whole mark. Throws `TypeError` for what is no UTF-16. */
  push(part: Buffer): Buffer {
    if (this.#utf16 !== undefined) return Buffer.from(this.#utf16.decode(part, { stream: true }));
    const text = this.#hasBegun ? part : part.subarray(markOf(part)?.[1].length ?? 0);
    this.#hasBegun = true;
    return this.#encoding === 'windows-1252' ? Buffer.from(windows1252(text)) : text;
  }

  /** Throws `TypeError` for UTF-16 that ends within a character. */
  end(): void {
    this.#utf16?.decode();
  }
}

function markOf(beginning: Buffer) {
  return MARKS.find(([, mark]) => mark.equals(beginning.subarray(0, mark.length)));
}

function windows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(
      /[\u0080-\u009f]/g,
      (control) => HIGH_CONTROLS[control.charCodeAt(0) - FIRST_HIGH_CONTROL] ?? '',
    );
}
