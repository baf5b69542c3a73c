/**
 * Sameness of texts, to people who see them, and their likeness.
 *
 * - The *visible form* of a text has no characters that nobody sees, one blank where there are some, none at its ends,
 *   and the composed form of Unicode. Texts of one visible form are one text: nobody could tell which of them he has.
 * - The *likeness* has neither blanks nor case, and Unicode's compatible forms. Case may be meant, so texts of one
 *   likeness that don't look the same are different texts; operators are told of them.
 *
 * Invariant: texts of one visible form have one likeness.
 */

/**
 * Characters that Unicode says are to be ignored where they can't be shown, byte order marks among it; and marks of
 * annotations.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
/** U+2800 is a cell of Braille without a dot. */
const BLANKS = /[\s\u2800]+/gu;
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\s\u2800]/u;
/** Nothing in it is to be changed. */
const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
const MARKS_BEFORE = /^\ufeff+/;

/** Kinds of differences between texts that look like each other, in the order in which they are taken away. */
const KINDS = ['Unicode forms', 'invisible characters', 'case', 'blanks'] as const;
export type Difference = (typeof KINDS)[number];
const WITHOUT: Readonly<Record<Difference, (text: string) => string>> = {
  'invisible characters': (text) => text.replace(INVISIBLE, ''),
  'Unicode forms': (text) => text.normalize('NFKC'),
  case: (text) => text.toUpperCase().toLowerCase(),
  blanks: (text) => text.replace(BLANKS, ''),
};

const SPACE = 0x20;
const FIRST_VISIBLE = 0x21;
const FIRST_CAPITAL = 0x41;
const LAST_CAPITAL = 0x5a;
const TO_SMALL = 0x20;
const DELETE = 0x7f;

export function visibleForm(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(INVISIBLE, '').replace(BLANKS, ' ').trim().normalize();
}

/** Whether anything is seen of it. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

export function likeness(text: string): string {
  return likenessOf(text, KINDS);
}

/** The likeness in UTF-8 of a text in UTF-8, put into `to` when it is plain; there is room for the text. */
export function likenessBytes(text: Uint8Array, to: Buffer, start: number): Buffer {
  let end = start;
  for (let index = 0; index < text.length; index += 1) {
    const byte = text[index] ?? 0;
    if (byte >= DELETE) return Buffer.concat([to.subarray(0, start), likenessBuffer(text)]);
    if (byte < FIRST_VISIBLE && isBlank(byte)) continue;
    to[end] = byte >= FIRST_CAPITAL && byte <= LAST_CAPITAL ? byte + TO_SMALL : byte;
    end += 1;
  }
  return to.subarray(0, end);
}

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  const [a, b] = [bufferOf(one), bufferOf(other)];
  return a.equals(b) || visibleForm(a.toString()) === visibleForm(b.toString());
}

export function isAlike(one: Uint8Array, other: Uint8Array): boolean {
  return likenessBuffer(one).equals(likenessBuffer(other));
}

/** Differences of two texts that look like each other. */
export function differences(one: string, other: string): Difference[] {
  return KINDS.filter((kind) => {
    const others = KINDS.filter((each) => each !== kind);
    return likenessOf(one, others) !== likenessOf(other, others);
  });
}

/** Byte order marks at the beginning are some editor's. */
export function withoutMark(text: string): string {
  return text.replace(MARKS_BEFORE, '');
}

/** Without these differences. */
function likenessOf(text: string, kinds: readonly Difference[]): string {
  // Twice: what stands next to each other only then may be composed, and a form may be made of what is not seen.
  return [...kinds, ...kinds].reduce((left, kind) => WITHOUT[kind](left), text);
}

function likenessBuffer(text: Uint8Array): Buffer {
  return Buffer.from(likeness(bufferOf(text).toString()));
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Whether a byte is one of ASCII's blanks that \s has. */
function isBlank(byte: number): boolean {
  return byte === SPACE || (byte >= 0x09 && byte <= 0x0d);
}
