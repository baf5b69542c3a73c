/**
 * Facts as bytes. The two kinds that a purchase gives are laid out field by field, because the purchase path
 * and recovery pay for them; the operator's kinds are JSON, which costs more and reads itself.
 *
 * A tag never changes its meaning: a new layout gets a new tag. The names in the operator's kinds are part of the
 * folder's format.
 */
import type { Fact } from '../../engine/fact.ts';
import { type ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import {
  readOrder,
  readRefusal,
  skipOrder,
  skipRefusal,
  writeOrder,
  writeRefusal,
} from '../codec/order-codec.ts';

const TAG_JSON = 1;
const TAG_ORDER_PLACED = 2;
const TAG_PURCHASE_REFUSED = 3;
/** Between time and order has the threshold that the balance fell below. */
const TAG_ORDER_PLACED_LOW = 4;
const NUMBER_BYTES = 8;
/** The bytes of a purchase's tag and time. */
const PURCHASE_HEAD_BYTES = 1 + NUMBER_BYTES;

export function writeFact(out: ByteWriter, fact: Fact): void {
  switch (fact.kind) {
    case 'OrderPlaced':
      out.byte(fact.thresholdUsdt === undefined ? TAG_ORDER_PLACED : TAG_ORDER_PLACED_LOW);
      out.number(fact.atMs);
      if (fact.thresholdUsdt !== undefined) out.number(fact.thresholdUsdt);
      writeOrder(out, fact.order);
      break;
    case 'PurchaseRefused':
      out.byte(TAG_PURCHASE_REFUSED);
      out.number(fact.atMs);
      writeRefusal(out, fact.refusal);
      break;
    default:
      out.byte(TAG_JSON);
      out.text(JSON.stringify(fact));
  }
}

/** Passes over the fact of a purchase, and makes nothing of it. False, and nothing is read, for all other kinds. */
export function skipPurchase(input: ByteReader): boolean {
  switch (input.peek()) {
    case TAG_ORDER_PLACED:
      input.skip(PURCHASE_HEAD_BYTES);
      skipOrder(input);
      return true;
    case TAG_ORDER_PLACED_LOW:
      input.skip(PURCHASE_HEAD_BYTES + NUMBER_BYTES);
      skipOrder(input);
      return true;
    case TAG_PURCHASE_REFUSED:
      input.skip(PURCHASE_HEAD_BYTES);
      skipRefusal(input);
      return true;
    default:
      return false;
  }
}

/** Passes over a fact of any kind. Throws `DamagedDataError` when the bytes are none. */
export function skipFact(input: ByteReader): void {
  if (skipPurchase(input)) return;
  const tag = input.byte();
  if (tag !== TAG_JSON) throw unknownTag(tag);
  input.skipText();
}

/** Throws `DamagedDataError` when the bytes are no fact. */
export function readFact(input: ByteReader): Fact {
  const tag = input.byte();
  switch (tag) {
    case TAG_ORDER_PLACED:
      return { kind: 'OrderPlaced', atMs: input.number(), order: readOrder(input) };
    case TAG_ORDER_PLACED_LOW: {
      const [atMs, thresholdUsdt] = [input.number(), input.number()];
      return { kind: 'OrderPlaced', atMs, order: readOrder(input), thresholdUsdt };
    }
    case TAG_PURCHASE_REFUSED:
      return { kind: 'PurchaseRefused', atMs: input.number(), refusal: readRefusal(input) };
    case TAG_JSON:
      return JSON.parse(input.text()) as Fact;
    default:
      throw unknownTag(tag);
  }
}

function unknownTag(tag: number): DamagedDataError {
  return new DamagedDataError(`a fact has an unknown tag, ${tag}`);
}
