/**
 * A list of texts that is no work for the garbage collector: their code units side by side in one array.
 *
 * Strings in a list would each be copied twice and marked again and again until the list is forgotten, and so would
 * the list, each time it has outgrown its place. A text is made again when it is asked for.
 */
import { emptied, grown } from './kept-room.ts';

const FIRST_TEXTS = 2 ** 11;
/** Room for `FIRST_TEXTS` keys of 36 characters each, and some. */
const FIRST_UNITS = FIRST_TEXTS * 40;
/** How many units become a text at once: what a call surely takes as arguments. */
const UNITS_AT_ONCE = 2 ** 10;
const MAX_BYTE = 0xff;

export class KeyTexts {
  /** A byte each, as keys are ASCII; two as soon as a text needs them, so that every text comes back as it was. */
  #units: Uint8Array | Uint16Array = new Uint8Array(FIRST_UNITS);
  /** Where each ends, and the next begins. */
  #ends = new Uint32Array(FIRST_TEXTS);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  push(text: string): void {
    const start = this.#startOf(this.#count);
    const end = start + text.length;
    if (this.#count === this.#ends.length) this.#ends = grown(this.#ends);
    if (end > this.#units.length) this.#units = grown(this.#units, end);
    const units = this.#units;
    let all = 0;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      units[start + index] = unit;
      all |= unit;
    }
    if (all > MAX_BYTE && units instanceof Uint8Array) {
      this.#units = Uint16Array.from(units);
      this.push(text);
      return;
    }
    this.#ends[this.#count] = end;
    this.#count += 1;
  }

  /** The text at an index below `count`. */
  at(index: number): string {
    const end = this.#startOf(index + 1);
    let text = '';
    for (let start = this.#startOf(index); start < end; start += UNITS_AT_ONCE) {
      const units = this.#units.subarray(start, Math.min(end, start + UNITS_AT_ONCE));
      text += String.fromCharCode.apply(null, units as unknown as number[]);
    }
    return text;
  }

  /** Whether `at(index)` is `text`. */
  is(index: number, text: string): boolean {
    const start = this.#startOf(index);
    if (this.#startOf(index + 1) - start !== text.length) return false;
    for (let unit = 0; unit < text.length; unit += 1) {
      if (this.#units[start + unit] !== text.charCodeAt(unit)) return false;
    }
    return true;
  }

  /** Forgets all texts. */
  clear(): void {
    const units = this.#units instanceof Uint16Array ? new Uint8Array(this.#units.length) : this.#units;
    this.#units = emptied(units, this.#startOf(this.#count), FIRST_UNITS);
    this.#ends = emptied(this.#ends, this.#count, FIRST_TEXTS);
    this.#count = 0;
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] ?? 0);
  }
}
