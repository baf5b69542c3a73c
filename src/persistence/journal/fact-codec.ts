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

/** Takes purchases, and their refusals, as far as who doesn't want them must know of them. */
export interface PurchaseVisitor {
  /** Whether the facts of this account's purchases are wanted: then nothing is passed over. */
  wants(accountId: number): boolean;
  /** A purchase was passed over; `productId` is what it took items of, or 0. */
  passed(productId: number, sequence: number, atMs: number): void;
}

/** Passes over the fact of a purchase, and makes nothing of it. False, and nothing is read, for all other facts. */
export function passPurchase(input: ByteReader, visitor?: PurchaseVisitor, sequence = 0): boolean {
  const tag = input.peek();
  if (tag !== TAG_ORDER_PLACED && tag !== TAG_PURCHASE_REFUSED && tag !== TAG_ORDER_PLACED_LOW) return false;
  const { offset } = input;
  input.skip(1);
  const atMs = input.number();
  if (tag === TAG_ORDER_PLACED_LOW) input.skip(NUMBER_BYTES);
  if (visitor !== undefined) {
    const request = input.offset;
    // An account is the first of what orders and refusals have.
    if (visitor.wants(input.number())) {
      input.back(offset);
      return false;
    }
    input.back(request);
  }
  let productId = 0;
  if (tag === TAG_PURCHASE_REFUSED) skipRefusal(input);
  else productId = skipOrder(input);
  visitor?.passed(productId, sequence, atMs);
  return true;
}

/** Passes over a fact of any kind. Throws `DamagedDataError` when the bytes are none. */
export function skipFact(input: ByteReader): void {
  if (passPurchase(input)) return;
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
