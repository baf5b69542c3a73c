/**
 * The id and the body of an event, as receivers see them (SPEC.md §6). Both depend on nothing but the event, so every
 * attempt, also of a node that was restarted in between, sends the same bytes.
 */
import { usdtFromMicros } from '../../engine/money.ts';
import type { EventContent } from './event-row.ts';

const PREFIX = 'evt_';
/** Enough for 2^53, and for as many accounts as there can be. */
const NUMBER_DIGITS = 14;
const ACCOUNT_DIGITS = 6;
const EVENT_ID = /^evt_([0-9a-f]{14})([0-9a-f]{6})$/;

export interface EventName {
  readonly accountId: number;
  readonly number: number;
}

export function eventIdOf({ accountId, number }: EventName): string {
  const account = accountId.toString(16).padStart(ACCOUNT_DIGITS, '0');
  return `${PREFIX}${number.toString(16).padStart(NUMBER_DIGITS, '0')}${account}`;
}

/** `X-Request-Id`: which event and, from 1, which attempt. */
export function requestIdOf(event: EventName, attempt: number): string {
  return `${eventIdOf(event).slice(PREFIX.length)}-${attempt}`;
}

/** Undefined when `eventId` is none that `eventIdOf` gives. */
export function parseEventId(eventId: string): EventName | undefined {
  const [, number, account] = EVENT_ID.exec(eventId) ?? [];
  if (number === undefined || account === undefined) return undefined;
  const name = { accountId: Number.parseInt(account, 16), number: Number.parseInt(number, 16) };
  return Number.isSafeInteger(name.number) ? name : undefined;
}

/** JSON. `productsOf` gives the products that the account was told of in a group, the latest last. */
export function eventBody(
  event: EventName & { readonly content: EventContent },
  productsOf: (name: EventName) => readonly number[],
): string {
  const data = dataOf(event, productsOf);
  return JSON.stringify({ ...data, eventId: eventIdOf(event), type: event.content.type });
}

function dataOf(
  event: EventName & { readonly content: EventContent },
  productsOf: (name: EventName) => readonly number[],
): object {
  const { content } = event;
  switch (content.type) {
    case 'order.completed':
    case 'order.failed':
      return { orderId: content.orderId };
    case 'order.refunded': {
      const { orderId, amountMicros, refundedMicros } = content;
      const totalRefundedUsdt = usdtFromMicros(refundedMicros);
      return { orderId, refundedUsdt: usdtFromMicros(amountMicros), totalRefundedUsdt };
    }
    case 'order.items_replaced':
      return { orderId: content.orderId, items: content.items };
    case 'balance.credited': {
      const { amountMicros, balanceMicros, reference } = content;
      const balanceUsdt = usdtFromMicros(balanceMicros);
      return { amountUsdt: usdtFromMicros(amountMicros), balanceUsdt, reference };
    }
    case 'balance.low': {
      const { balanceMicros, thresholdUsdt } = content;
      return { balanceUsdt: usdtFromMicros(balanceMicros), thresholdUsdt };
    }
    case 'catalog.updated':
    case 'stock.changed': {
      const productIds = productsOf(event);
      return { productId: productIds.at(-1), productIds };
    }
  }
}
