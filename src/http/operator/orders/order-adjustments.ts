/**
 * Operators' changes of an order after its sale: POST /orders/{id}/refund and POST /orders/{id}/replace
 * (docs/orders.md).
 *
 * Invariant: a call that could happen twice by a retry needs the header `Idempotency-Key`. A refund of all that is left
 * needs none, for there is nothing left for a second one. A refund's answer has no texts; a replacement's has, and a
 * record that they were shown is durable before.
 */
import type { PurchaseResult, RefundResult } from '../../../engine/decide/command.ts';
import { MAX_ADJUSTED_ITEMS } from '../../../engine/limits.ts';
import { usdtFromMicros } from '../../../engine/money.ts';
import { NO_KEY } from '../../../engine/orders.ts';
import { type ApiError, badRequest } from '../../errors.ts';
import { keyFormError } from '../../idempotency-key.ts';
import { deliveryOf } from '../../order-delivery.ts';
import { parseCredit } from '../accounts/amounts.ts';
import { MAX_PLACES_BODY_BYTES, operatorBody, optionalBody } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices } from '../operator-route.ts';
import { SUPPORT } from '../roles.ts';
import { REFUND_ORDER, REPLACE_ITEMS } from './adjustment-operations.ts';
import { singleOrder, whenShown } from './orders.ts';

const ITEMS = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_ADJUSTED_ITEMS,
  items: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  description: 'Places in the order, from 0.',
} as const;
const REFUND = {
  amountUsdt: { type: 'number', description: 'More than 0; not together with `items`.' },
  items: ITEMS,
} as const;

const KEY_MISSING = badRequest(
  'The header Idempotency-Key is missing: send a unique string, and the same one when you repeat the call.',
);

type Refund = { readonly amountUsdt?: number | undefined; readonly items?: readonly number[] | undefined };
type Part = { readonly amountMicros: number } | { readonly items: readonly number[] } | Record<never, never>;

export function adjustmentRoutes({ texts }: OperatorServices): OperatorRoute[] {
  const succeedReplacement = (context: OperatorContext, { order, replayed }: PurchaseResult) => {
    const answer = () =>
      context.succeedInSlices(200, {
        ...singleOrder(order),
        delivery: deliveryOf(order, texts.textsOf),
        ...repeatedField(replayed),
      });
    whenShown(context, order, answer);
  };
  return [
    bodyRoute(
      'POST /orders/{id}/refund',
      REFUND_ORDER,
      SUPPORT,
      optionalBody(REFUND, MAX_PLACES_BODY_BYTES),
      (context, body) => {
        const part = partOf(body);
        if ('error' in part) return context.fail(part.error);
        const key = keyOf(context, 'items' in part || 'amountMicros' in part);
        if (typeof key !== 'string') return context.fail(key.error);
        context.submit({ kind: 'RefundOrder', orderId: context.id, key, ...part }, (result) =>
          context.succeed(200, refundFields(result)),
        );
      },
    ),
    bodyRoute(
      'POST /orders/{id}/replace',
      REPLACE_ITEMS,
      SUPPORT,
      operatorBody({ items: ITEMS }, ['items'], MAX_PLACES_BODY_BYTES),
      (context, body) => {
        const items = parseItems(body.items);
        if ('error' in items) return context.fail(items.error);
        const key = keyOf(context, true);
        if (typeof key !== 'string') return context.fail(key.error);
        context.submit({ kind: 'ReplaceItems', orderId: context.id, key, ...items }, (result) =>
          succeedReplacement(context, result),
        );
      },
    ),
  ];
}

function refundFields({ order, balanceMicros, replayed }: RefundResult) {
  // The wallet as it was after the sale would be taken for the one as it is now.
  const { balanceAfterUsdt: _, ...rest } = singleOrder(order);
  return { ...rest, balanceUsdt: usdtFromMicros(balanceMicros), ...repeatedField(replayed) };
}

function repeatedField(replayed: boolean): { readonly repeated?: true } {
  return replayed ? { repeated: true } : {};
}

/** Nothing of the part is all that is left. */
function partOf({ amountUsdt, items }: Refund): Part | { readonly error: ApiError } {
  if (amountUsdt !== undefined && items !== undefined) {
    return { error: badRequest('Send amountUsdt or items, not both; neither refunds all that is left.') };
  }
  if (items !== undefined) return parseItems(items);
  if (amountUsdt === undefined) return {};
  if (amountUsdt < 0) return { error: badRequest('amountUsdt must be more than 0.') };
  return parseCredit(amountUsdt);
}

/** Items in ascending order: the same items are the same request. */
function parseItems(
  given: readonly number[],
): { readonly items: readonly number[] } | { readonly error: ApiError } {
  const items = given.toSorted((a, b) => a - b);
  const twice = items.find((item, at) => item === items[at + 1]);
  if (twice === undefined) return { items };
  return { error: badRequest(`items has ${twice} twice: name each item once.`) };
}

/** The `Idempotency-Key`, `NO_KEY` where none is needed and none was sent, or what is wrong with it. */
function keyOf(
  { idempotencyKey: key }: OperatorContext,
  isRequired: boolean,
): string | { readonly error: ApiError } {
  if (key === undefined) return isRequired ? { error: KEY_MISSING } : NO_KEY;
  const error = keyFormError(key);
  return error === undefined ? key : { error };
}
