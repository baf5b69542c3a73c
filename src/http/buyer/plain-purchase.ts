/**
 * Reads the body of a purchase where it says the three numbers of nearly every purchase and nothing else:
 * `{"productId":7,"quantity":1,"expectedPriceUsdt":9.99}`, in any order and spacing.
 *
 * Invariant: its result is that of `JSON.parse` and the schema; every other body, right or wrong, is left to them. To
 * parse and to validate cost a purchase a twentieth of all it takes.
 */
import type { PurchaseBody } from '../schemas/order.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** So many digits, and their power of ten, are exact as doubles, and so is the nearest double to their quotient. */
const MAX_DIGITS = 15;
const POWERS_OF_TEN = Array.from({ length: MAX_DIGITS + 1 }, (_, digits) => 10 ** digits);

/** `productId` and `quantity` are whole numbers. */
const NAMES = ['productId', 'quantity', 'expectedPriceUsdt'] as const;
const NAME_BYTES = NAMES.map((name) => Buffer.from(name));

const NO_BYTES = new Uint8Array(0);
const ABSENT = -1;

export class PlainPurchaseReader {
  #bytes: Uint8Array = NO_BYTES;
  #at = 0;
  readonly #values: [productId: number, quantity: number, expectedPriceUsdt: number] = [0, 0, 0];

  /** Undefined when the body is anything else. */
  read(bytes: Uint8Array): PurchaseBody | undefined {
    this.#bytes = bytes;
    this.#at = 0;
    // By `fill` it would be a call into the runtime.
    this.#values[0] = ABSENT;
    this.#values[1] = ABSENT;
    this.#values[2] = ABSENT;
    const isPlain = this.#readMembers();
    this.#bytes = NO_BYTES;
    if (!isPlain) return undefined;
    const [productId, quantity, expectedPriceUsdt] = this.#values;
    if (productId === ABSENT || expectedPriceUsdt === ABSENT || quantity === 0) return undefined;
    return quantity === ABSENT
      ? { productId, expectedPriceUsdt }
      : { productId, quantity, expectedPriceUsdt };
  }

  #readMembers(): boolean {
    if (!this.#takes(OPEN)) return false;
    do {
      const place = this.#readName();
      if (place === ABSENT || this.#values[place] !== ABSENT || !this.#takes(COLON)) return false;
      const value = this.#readNumber(NAMES[place] === 'expectedPriceUsdt');
      if (value === ABSENT) return false;
      this.#values[place] = value;
    } while (this.#takes(COMMA));
    if (!this.#takes(CLOSE)) return false;
    this.#skipSpace();
    return this.#at === this.#bytes.length;
  }

  /** The name's place among `NAMES`. */
  #readName(): number {
    if (!this.#takes(QUOTE)) return ABSENT;
    for (let place = 0; place < NAME_BYTES.length; place += 1) {
      if (this.#takesName(NAME_BYTES[place] ?? NO_BYTES)) return place;
    }
    return ABSENT;
  }

  /** Whether it is next, and the quote behind it. */
  #takesName(name: Uint8Array): boolean {
    const bytes = this.#bytes;
    const at = this.#at;
    for (let index = 0; index < name.length; index += 1) if (bytes[at + index] !== name[index]) return false;
    if (bytes[at + name.length] !== QUOTE) return false;
    this.#at = at + name.length + 1;
    return true;
  }

  /** Digits without a sign or an exponent. */
  #readNumber(mayHaveDecimals: boolean): number {
    this.#skipSpace();
    const start = this.#at;
    let digits = this.#readDigits(0);
    const whole = this.#at - start;
    // A leading zero stands alone.
    if (whole === 0 || (whole > 1 && this.#bytes[start] === ZERO)) return ABSENT;
    let decimals = 0;
    if (this.#bytes[this.#at] === POINT) {
      this.#at += 1;
      digits = this.#readDigits(digits);
      decimals = this.#at - start - whole - 1;
      if (decimals === 0 || !mayHaveDecimals) return ABSENT;
    }
    if (whole + decimals > MAX_DIGITS) return ABSENT;
    return decimals === 0 ? digits : digits / (POWERS_OF_TEN[decimals] ?? Number.NaN);
  }

  /** `before` with the digits that follow behind it. */
  #readDigits(before: number): number {
    let digits = before;
    for (; ; this.#at += 1) {
      const digit = (this.#bytes[this.#at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) return digits;
      digits = digits * 10 + digit;
    }
  }

  /** Whether `byte` is next, behind white space. */
  #takes(byte: number): boolean {
    this.#skipSpace();
    if (this.#bytes[this.#at] !== byte) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    for (; ; this.#at += 1) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
    }
  }
}
