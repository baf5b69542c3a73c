/**
 * Orders and stored refusals as bytes: in the journal's facts and in the checkpoint's rows alike.
 */
import { type Adjustment, NO_ADJUSTMENTS } from '../../engine/adjustments.ts';
import {
  NO_ITEM,
  ORDER_STATUSES,
  type Order,
  type PurchaseRequest,
  STORED_REFUSAL_CODES,
  type StoredRefusal,
} from '../../engine/orders.ts';
import type { PriceRule } from '../../engine/pricing/price-rule.ts';
import { type ByteReader, DamagedDataError } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { isOfList, ruleCode, ruleOf } from './price-rule-codec.ts';

const NO_PRICE = -1;

const NUMBER_BYTES = 8;
const UINT32_BYTES = 4;
const REQUEST_NUMBERS_BYTES = 5 * NUMBER_BYTES;
/** Bytes behind the status: two amounts, the time. */
const ORDER_AMOUNTS_BYTES = 3 * NUMBER_BYTES;
/** A bit in the byte of the status: the order ends with its adjustments, as JSON. Few orders have any. */
const IS_ADJUSTED = 0x80;
/** The status, and from the next bit on the rule of the price. */
const STATUS = 0x07;
const RULE_BIT = 0x10;
/** Another bit of it: before the adjustments comes when it was paid. Orders from the bot have that. */
const IS_PAID_LATER = 0x08;

/** The kind of an order's delivery, which says which field follows. */
const DELIVERS_NOTHING = 0;
const DELIVERS_ITEMS = 1;
const DELIVERS_FILE = 2;
const DELIVERS_TEXTS = 3;
const DELIVERIES = [DELIVERS_NOTHING, DELIVERS_ITEMS, DELIVERS_FILE, DELIVERS_TEXTS] as const;

export function writeOrder(out: ByteWriter, order: Order): void {
  writeRequest(out, order);
  out.number(order.orderId);
  const isAdjusted = order.adjustments.length > 0;
  const rule = ruleCode(order) * RULE_BIT;
  const { paidAtMs } = order;
  const marks = (isAdjusted ? IS_ADJUSTED : 0) | (paidAtMs === undefined ? 0 : IS_PAID_LATER);
  out.byte(ORDER_STATUSES.indexOf(order.status) | rule | marks);
  out.number(order.totalMicros);
  out.number(order.balanceAfterMicros);
  out.number(order.createdAtMs);
  writeDelivery(out, order);
  if (order.priceListId !== null) out.uint32(order.priceListId);
  if (paidAtMs !== undefined) out.number(paidAtMs);
  if (isAdjusted) out.text(JSON.stringify(order.adjustments));
}

function writeDelivery(out: ByteWriter, { firstItem, fileId, textCount }: Order): void {
  if (firstItem !== NO_ITEM) {
    out.byte(DELIVERS_ITEMS);
    out.number(firstItem);
  } else if (fileId !== null) {
    out.byte(DELIVERS_FILE);
    out.text(fileId);
  } else if (textCount > 0) {
    out.byte(DELIVERS_TEXTS);
    out.uint32(textCount);
  } else {
    out.byte(DELIVERS_NOTHING);
  }
}

export function readOrder(input: ByteReader): Order {
  const request = readRequest(input);
  const orderId = input.number();
  const statusByte = input.byte();
  const status = oneOf(ORDER_STATUSES, statusByte & STATUS);
  const priceRule = ruleIn(statusByte);
  const totalMicros = input.number();
  const balanceAfterMicros = input.number();
  const createdAtMs = input.number();
  const delivers = oneOf(DELIVERIES, input.byte());
  return {
    orderId,
    accountId: request.accountId,
    idempotencyKey: request.idempotencyKey,
    productId: request.productId,
    quantity: request.quantity,
    expectedPriceUsdt: request.expectedPriceUsdt,
    recipientUsername: request.recipientUsername,
    requestNumber: request.requestNumber,
    status,
    totalMicros,
    balanceAfterMicros,
    firstItem: delivers === DELIVERS_ITEMS ? input.number() : NO_ITEM,
    fileId: delivers === DELIVERS_FILE ? input.text() : null,
    textCount: delivers === DELIVERS_TEXTS ? input.uint32() : 0,
    createdAtMs,
    priceRule,
    priceListId: isOfList(priceRule) ? input.uint32() : null,
    ...((statusByte & IS_PAID_LATER) === 0 ? undefined : { paidAtMs: input.number() }),
    adjustments: (statusByte & IS_ADJUSTED) === 0 ? NO_ADJUSTMENTS : readAdjustments(input),
  };
}

function readAdjustments(input: ByteReader): readonly Adjustment[] {
  return JSON.parse(input.text()) as readonly Adjustment[];
}

/** Passes over what `readOrder` reads, and makes nothing of it. The product that it took items of; else 0. */
export function skipOrder(input: ByteReader): number {
  const productId = skipRequest(input);
  input.skip(NUMBER_BYTES);
  const statusByte = input.byte();
  input.skip(ORDER_AMOUNTS_BYTES);
  const delivers = oneOf(DELIVERIES, input.byte());
  if (delivers === DELIVERS_ITEMS) input.skip(NUMBER_BYTES);
  else if (delivers === DELIVERS_FILE) input.skipText();
  else if (delivers === DELIVERS_TEXTS) input.skip(UINT32_BYTES);
  if (isOfList(ruleIn(statusByte))) input.skip(UINT32_BYTES);
  if ((statusByte & IS_PAID_LATER) !== 0) input.skip(NUMBER_BYTES);
  if ((statusByte & IS_ADJUSTED) !== 0) input.skipText();
  return delivers === DELIVERS_ITEMS ? productId : 0;
}

function ruleIn(statusByte: number): PriceRule | null {
  return ruleOf((statusByte & ~IS_ADJUSTED) >> 4);
}

export function writeRefusal(out: ByteWriter, refusal: StoredRefusal): void {
  writeRequest(out, refusal);
  out.byte(STORED_REFUSAL_CODES.indexOf(refusal.code));
  out.number(refusal.currentPriceMicros ?? NO_PRICE);
}

export function readRefusal(input: ByteReader): StoredRefusal {
  const request = readRequest(input);
  const code = oneOf(STORED_REFUSAL_CODES, input.byte());
  const priceMicros = input.number();
  return { ...request, code, currentPriceMicros: priceMicros === NO_PRICE ? null : priceMicros };
}

/** Passes over what `readRefusal` reads, and makes nothing of it. */
export function skipRefusal(input: ByteReader): void {
  skipRequest(input);
  input.skip(1 + NUMBER_BYTES);
}

function writeRequest(out: ByteWriter, request: PurchaseRequest): void {
  out.number(request.accountId);
  out.number(request.productId);
  out.number(request.quantity);
  out.number(request.expectedPriceUsdt);
  out.number(request.requestNumber);
  out.text(request.idempotencyKey);
  out.text(request.recipientUsername ?? '');
}

function readRequest(input: ByteReader): PurchaseRequest {
  const accountId = input.number();
  const productId = input.number();
  const quantity = input.number();
  const expectedPriceUsdt = input.number();
  const requestNumber = input.number();
  const idempotencyKey = input.text();
  const recipientUsername = input.text();
  return {
    accountId,
    idempotencyKey,
    productId,
    quantity,
    expectedPriceUsdt,
    recipientUsername: recipientUsername === '' ? null : recipientUsername,
    requestNumber,
  };
}

/** The product. */
function skipRequest(input: ByteReader): number {
  input.skip(NUMBER_BYTES);
  const productId = input.number();
  input.skip(REQUEST_NUMBERS_BYTES - 2 * NUMBER_BYTES);
  input.skipText();
  input.skipText();
  return productId;
}

function oneOf<const Value>(values: readonly Value[], index: number): Value {
  const value = values[index];
  if (value === undefined) throw new DamagedDataError(`a record has an unknown code, ${index}`);
  return value;
}
