/**
 * Orders and stored refusals as bytes: in the journal's facts and in the checkpoint's rows alike.
 */
import {
  ORDER_STATUSES,
  type Order,
  type PurchaseRequest,
  STORED_REFUSAL_CODES,
  type StoredRefusal,
} from '../../engine/orders.ts';
import { type ByteReader, DamagedDataError } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';

const NO_PRICE = -1;

export function writeOrder(out: ByteWriter, order: Order): void {
  writeRequest(out, order);
  out.number(order.orderId);
  out.byte(ORDER_STATUSES.indexOf(order.status));
  out.number(order.totalMicros);
  out.number(order.balanceAfterMicros);
  out.number(order.firstItem);
  out.number(order.createdAtMs);
}

export function readOrder(input: ByteReader): Order {
  const request = readRequest(input);
  return {
    orderId: input.number(),
    accountId: request.accountId,
    idempotencyKey: request.idempotencyKey,
    productId: request.productId,
    quantity: request.quantity,
    expectedPriceUsdt: request.expectedPriceUsdt,
    recipientUsername: request.recipientUsername,
    status: oneOf(ORDER_STATUSES, input.byte()),
    totalMicros: input.number(),
    balanceAfterMicros: input.number(),
    firstItem: input.number(),
    createdAtMs: input.number(),
  };
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

function writeRequest(out: ByteWriter, request: PurchaseRequest): void {
  out.number(request.accountId);
  out.number(request.productId);
  out.number(request.quantity);
  out.number(request.expectedPriceUsdt);
  out.text(request.idempotencyKey);
  out.text(request.recipientUsername ?? '');
}

function readRequest(input: ByteReader): PurchaseRequest {
  const accountId = input.number();
  const productId = input.number();
  const quantity = input.number();
  const expectedPriceUsdt = input.number();
  const idempotencyKey = input.text();
  const recipientUsername = input.text();
  return {
    accountId,
    idempotencyKey,
    productId,
    quantity,
    expectedPriceUsdt,
    recipientUsername: recipientUsername === '' ? null : recipientUsername,
  };
}

function oneOf<const Value>(values: readonly Value[], index: number): Value {
  const value = values[index];
  if (value === undefined) throw new DamagedDataError(`a record has an unknown code, ${index}`);
  return value;
}
