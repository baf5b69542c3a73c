/**
 * An order as the value of its row: some 45 bytes, so that nothing need be packed. Numbers are short where they mostly
 * are; a key of 32 hexadecimal digits, with or without the dashes of a UUID, takes 16 bytes.
 */
import { type Adjustment, NO_ADJUSTMENTS } from '../../engine/adjustments.ts';
import { NO_ITEM, NO_KEY, ORDER_STATUSES, type Order } from '../../engine/orders.ts';
import { EPOCH_MS, NO_REQUEST, PER_MS, requestTimeMs } from '../../engine/request-number.ts';
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { isOfList, ruleCode, ruleOf } from '../codec/price-rule-codec.ts';
import { signed, unsigned } from '../codec/varint.ts';

const MICROS = 1e6;
/** The first byte: the status (3 bits), and what the order has. */
const IS_ADJUSTED = 0x08;
const HAS_ITEMS = 0x10;
const HAS_FILE = 0x20;
const HAS_TEXTS = 0x40;
const HAS_RECIPIENT = 0x80;
/** The second one: the form of the key (2 bits), and of the price. */
const KEY_FORM = 0x03;
const KEY_TEXT = 0;
const KEY_HEX = 1;
const KEY_UUID = 2;
/** No key, and behind the time it was made comes when it was paid: an order from the bot that is paid. */
const KEY_PAID_LATER = 3;
const PRICE_IS_TOTAL = 0x04;
const PRICE_IS_MICROS = 0x08;
const HAS_REQUEST = 0x10;
/** The rule of its price, from this bit on. */
const RULE_BIT = 0x20;

const HEX_LENGTH = 32;
const UUID_LENGTH = 36;
const KEY_BYTES = 16;
const NOT_HEX = 255;
const DASHES = [8, 13, 18, 23] as const;
const DIGITS = Uint8Array.from({ length: 256 }, (_, code) => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : NOT_HEX;
});
const digest = new Uint8Array(KEY_BYTES);

export function writeOrderRow(out: ByteWriter, order: Order): void {
  const { expectedPriceUsdt, totalMicros, createdAtMs, requestNumber, recipientUsername, fileId } = order;
  const status = ORDER_STATUSES.indexOf(order.status);
  const isAdjusted = order.adjustments.length > 0;
  const hasItems = order.firstItem !== NO_ITEM;
  out.byte(
    status |
      (isAdjusted ? IS_ADJUSTED : 0) |
      (hasItems ? HAS_ITEMS : 0) |
      (fileId === null ? 0 : HAS_FILE) |
      (order.textCount > 0 ? HAS_TEXTS : 0) |
      (recipientUsername === null ? 0 : HAS_RECIPIENT),
  );
  const priceMicros = Math.round(expectedPriceUsdt * MICROS);
  const isMicros =
    priceMicros >= 0 && priceMicros / MICROS === expectedPriceUsdt && !Object.is(expectedPriceUsdt, -0);
  const isTotal = isMicros && priceMicros === totalMicros;
  const { paidAtMs } = order;
  const keyForm = paidAtMs === undefined ? keyFormOf(order.idempotencyKey) : KEY_PAID_LATER;
  out.byte(
    keyForm |
      (isTotal ? PRICE_IS_TOTAL : 0) |
      (isMicros ? PRICE_IS_MICROS : 0) |
      (requestNumber === NO_REQUEST ? 0 : HAS_REQUEST) |
      (ruleCode(order) * RULE_BIT),
  );
  if (keyForm === KEY_TEXT) out.text(order.idempotencyKey);
  else if (keyForm !== KEY_PAID_LATER) out.part(digest, 0, KEY_BYTES);
  out.varint(order.accountId);
  out.varint(order.productId);
  out.varint(order.quantity);
  out.varint(totalMicros);
  if (!isMicros) out.number(expectedPriceUsdt);
  else if (!isTotal) out.varint(priceMicros);
  out.varint(order.balanceAfterMicros);
  out.varint(signed(createdAtMs - EPOCH_MS));
  if (paidAtMs !== undefined) out.varint(signed(paidAtMs - createdAtMs));
  if (requestNumber !== NO_REQUEST) {
    out.varint(signed(createdAtMs - requestTimeMs(requestNumber)));
    out.varint(requestNumber % PER_MS);
  }
  if (hasItems) out.varint(order.firstItem);
  if (fileId !== null) out.text(fileId);
  if (order.textCount > 0) out.varint(order.textCount);
  if (recipientUsername !== null) out.text(recipientUsername);
  if (order.priceListId !== null) out.varint(order.priceListId);
  if (isAdjusted) out.text(JSON.stringify(order.adjustments));
}

export function readOrderRow(orderId: number, bytes: Uint8Array): Order {
  const input = new ByteReader(bytes);
  const has = input.byte();
  const form = input.byte();
  const status = ORDER_STATUSES[has & 0x07];
  if (status === undefined) throw new DamagedDataError('an order has an unknown status');
  const keyForm = form & KEY_FORM;
  const idempotencyKey = readKey(input, keyForm);
  const accountId = input.varint();
  const productId = input.varint();
  const quantity = input.varint();
  const totalMicros = input.varint();
  const expectedPriceUsdt =
    (form & PRICE_IS_MICROS) === 0
      ? input.number()
      : ((form & PRICE_IS_TOTAL) === 0 ? input.varint() : totalMicros) / MICROS;
  const balanceAfterMicros = input.varint();
  const createdAtMs = unsigned(input.varint()) + EPOCH_MS;
  const paidAtMs = keyForm === KEY_PAID_LATER ? createdAtMs + unsigned(input.varint()) : undefined;
  const requestNumber =
    (form & HAS_REQUEST) === 0
      ? NO_REQUEST
      : (createdAtMs - unsigned(input.varint()) - EPOCH_MS) * PER_MS + input.varint();
  const priceRule = ruleOf(Math.floor(form / RULE_BIT));
  return {
    orderId,
    accountId,
    idempotencyKey,
    productId,
    quantity,
    expectedPriceUsdt,
    requestNumber,
    status,
    totalMicros,
    balanceAfterMicros,
    createdAtMs,
    firstItem: has & HAS_ITEMS ? input.varint() : NO_ITEM,
    fileId: has & HAS_FILE ? input.text() : null,
    textCount: has & HAS_TEXTS ? input.varint() : 0,
    recipientUsername: has & HAS_RECIPIENT ? input.text() : null,
    priceRule,
    priceListId: isOfList(priceRule) ? input.varint() : null,
    ...(paidAtMs === undefined ? undefined : { paidAtMs }),
    adjustments: has & IS_ADJUSTED ? (JSON.parse(input.text()) as readonly Adjustment[]) : NO_ADJUSTMENTS,
  };
}

/** The digits are in `digest` then, when there are any. */
function keyFormOf(key: string): typeof KEY_TEXT | typeof KEY_HEX | typeof KEY_UUID {
  const isUuid = key.length === UUID_LENGTH;
  if (!isUuid && key.length !== HEX_LENGTH) return KEY_TEXT;
  if (isUuid) for (const at of DASHES) if (key.charCodeAt(at) !== 0x2d) return KEY_TEXT;
  let at = 0;
  for (let index = 0; index < KEY_BYTES; index += 1) {
    // Two digits of a byte lie together in a UUID, too.
    if (isUuid && (at === 8 || at === 13 || at === 18 || at === 23)) at += 1;
    const high = DIGITS[key.charCodeAt(at) & 0xff] ?? NOT_HEX;
    const low = DIGITS[key.charCodeAt(at + 1) & 0xff] ?? NOT_HEX;
    if (high === NOT_HEX || low === NOT_HEX || (key.charCodeAt(at) | key.charCodeAt(at + 1)) > 0xff)
      return KEY_TEXT;
    digest[index] = (high << 4) | low;
    at += 2;
  }
  return isUuid ? KEY_UUID : KEY_HEX;
}

function readKey(input: ByteReader, form: number): string {
  if (form === KEY_PAID_LATER) return NO_KEY;
  return form === KEY_TEXT ? input.text() : keyOf(input.bytes(KEY_BYTES), form);
}

function keyOf(bytes: Buffer, form: number): string {
  const hex = bytes.toString('hex');
  if (form === KEY_HEX) return hex;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
