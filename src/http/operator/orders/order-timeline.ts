/**
 * GET /orders/{id}/timeline: how an order came about and what became of it, oldest first.
 *
 * Facts are told as the feed tells them, so there is no text of an item in them; operator and reason come with each.
 * The fact of a purchase from own stock is looked for nowhere, since the order's row says all of it. The facts after it
 * are listed by the fold, so the checkpoint must have them first. A webhook event is found by its fact; that of a
 * purchase from own stock by its time, among a bounded number of events.
 */
import { orderOf } from '../../../engine/decide/history.ts';
import { usdtFromMicros } from '../../../engine/money.ts';
import { NO_ITEM, NO_KEY, type Order } from '../../../engine/orders.ts';
import { NO_REQUEST, requestIdOf, requestTimeMs } from '../../../engine/request-number.ts';
import type { OrderIndex } from '../../../persistence/checkpoint/order-index.ts';
import type { Fields } from '../../../views/operator-views.ts';
import type { Delivery } from '../../../webhooks/operator-deliveries.ts';
import { operatorName } from '../caller.ts';
import { BUSY, fromCheckpoint } from '../checkpoint-answer.ts';
import type { OperatorContext } from '../operator-context.ts';
import { type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { READ_TIMELINE } from './order-operations.ts';
import { ORDER_NOT_FOUND } from './orders.ts';

/** The most facts from an order's beginning, and from its end, where it has more than both. */
const MAX_FACTS_OF_AN_END = 500;

/** Facts about an order that a webhook tells. An order has few of them. */
const WITH_EVENT: readonly string[] = ['OrderPaid', 'OrderDelivered', 'OrderFailed'];

const NO_PURCHASE_EVENT = { delivery: undefined, isComplete: true } as const;

interface TimelineEvent extends Fields {
  /** Unix milliseconds. */
  readonly at: number;
  readonly type: string;
}

/** A line of the feed, as far as it is asked for here. */
interface Line extends TimelineEvent {
  readonly seq: number;
  readonly by?: { readonly operatorId?: number; readonly reason?: string; readonly requestId?: string };
  readonly order?: { readonly status: string };
  readonly supplierPurchaseId?: number;
  readonly supplierPurchase?: { readonly supplierPurchaseId: number };
}

export function orderTimelineRoutes(services: OperatorServices): OperatorRoute[] {
  const { engine, history } = services;
  return [
    operatorRoute('GET /orders/{id}/timeline', READ_TIMELINE, (context) => {
      if (orderOf(engine.state, history, context.id) === undefined) {
        return context.failWhenDurable(ORDER_NOT_FOUND);
      }
      fromCheckpoint(context, services, () => answer(context, services));
    }),
  ];
}

async function answer(context: OperatorContext, services: OperatorServices): Promise<void> {
  const { engine, history, webhooks } = services;
  const order = orderOf(engine.state, history, context.id);
  if (order === undefined) return context.fail(ORDER_NOT_FOUND);
  const told = await linesOf(services, order.orderId);
  if (told === 'busy') return context.fail(BUSY);
  const { lines, omitted } = told;
  const placed = purchaseOf(order, lines);
  const isCompleted = placed.some(({ status }) => status === 'completed');
  const bought = isCompleted
    ? await webhooks.ofPurchase(order.accountId, order.orderId, order.createdAtMs)
    : NO_PURCHASE_EVENT;
  const changes = lines.filter(({ type }) => WITH_EVENT.includes(type)).map(({ seq }) => seq);
  const later = await webhooks.ofFacts(order.accountId, changes, engine.state.epochs.list);
  if (bought === undefined || later === undefined) return context.fail(BUSY);
  const { delivery, isComplete } = bought;
  const deliveries = delivery === undefined ? later : [delivery, ...later];
  const nameOf = (operatorId: number): string => operatorName(engine.state, operatorId);
  const events: TimelineEvent[] = [
    ...requestOf(order),
    ...placed,
    ...lines.map((line) => eventOf(line, nameOf)),
    ...deliveries.flatMap(webhookEvents),
  ];
  // What has the same time stays as it is here.
  events.sort((a, b) => a.at - b.at);
  context.succeedWhenDurable(200, {
    orderId: order.orderId,
    events,
    ...(omitted > 0 ? { omitted } : {}),
    ...(isComplete ? {} : { webhooksOmitted: true }),
  });
}

/** The lines about the order, and about the purchases at suppliers that were made for it. */
async function linesOf({ orderIndex, feed }: OperatorServices, orderId: number) {
  const own = endsOf(orderIndex.orderFacts(orderId));
  const lines = await feed.lines(own.positions);
  if (lines === 'busy') return lines;
  const all = lines.map((line) => JSON.parse(line) as Line);
  let { count } = own;
  const known = new Set(own.positions);
  // A hold that was passed on leads to the purchase at the source before.
  for (let last = all; last.length > 0; ) {
    const others = holdPositions(orderIndex, last).filter((position) => !known.has(position));
    const rest = await feed.lines(others);
    if (rest === 'busy') return rest;
    for (const position of others) known.add(position);
    count += others.length;
    last = rest.map((line) => JSON.parse(line) as Line);
    all.push(...last);
  }
  all.sort((a, b) => a.seq - b.seq);
  return { lines: all, omitted: count - all.length };
}

function endsOf(positions: Iterable<number>): { readonly positions: number[]; readonly count: number } {
  const first: number[] = [];
  const last: number[] = [];
  let count = 0;
  for (const position of positions) {
    count += 1;
    if (first.length < MAX_FACTS_OF_AN_END) first.push(position);
    else last.push(position);
    if (last.length > 2 * MAX_FACTS_OF_AN_END) last.splice(0, MAX_FACTS_OF_AN_END);
  }
  return { positions: [...first, ...last.slice(-MAX_FACTS_OF_AN_END)], count };
}

/** Each has few facts, and an order few purchases at suppliers. */
function holdPositions(orderIndex: OrderIndex, lines: readonly Line[]): number[] {
  const ids = new Set<number>();
  for (const { supplierPurchaseId, supplierPurchase } of lines) {
    for (const id of [supplierPurchaseId, supplierPurchase?.supplierPurchaseId])
      if (id !== undefined) ids.add(id);
  }
  const positions = Array.from(ids, (id) => [...orderIndex.holdFacts(id)]).flat();
  return [...new Set(positions)].sort((a, b) => a - b);
}

function requestOf({ requestNumber }: Order): TimelineEvent[] {
  if (requestNumber === NO_REQUEST) return [];
  return [{ at: requestTimeMs(requestNumber), type: 'Requested', requestId: requestIdOf(requestNumber) }];
}

/** Unless one of the lines is the order's first. */
function purchaseOf(order: Order, lines: readonly Line[]): TimelineEvent[] {
  const isFirst = ({ type, at }: Line): boolean =>
    type === 'OrderRecovered' || (type === 'HoldCaptured' && at === order.createdAtMs);
  if (order.idempotencyKey === NO_KEY || lines.some(isFirst)) return [];
  const isDelivered = order.firstItem !== NO_ITEM || order.fileId !== null;
  return [
    {
      at: order.createdAtMs,
      type: 'OrderPlaced',
      status: isDelivered ? 'completed' : 'pending_delivery',
      totalPriceUsdt: usdtFromMicros(order.totalMicros),
      balanceAfterUsdt: usdtFromMicros(order.balanceAfterMicros),
    },
  ];
}

function eventOf(line: Line, nameOf: (operatorId: number) => string): TimelineEvent {
  const { at, type, seq, by, order, accountId, productId, orderId, ...more } = line;
  const { operatorId, ...why } = by ?? {};
  return {
    at,
    type,
    seq,
    ...(order === undefined ? {} : { status: order.status }),
    ...more,
    ...(operatorId === undefined ? {} : { operator: nameOf(operatorId) }),
    ...why,
  };
}

function webhookEvents({ eventId, type: event, status, createdAtMs, attempts }: Delivery): TimelineEvent[] {
  return [
    { at: createdAtMs, type: 'WebhookEvent', eventId, event, status },
    ...attempts.map(({ startedAtMs, durationMs, status: answered, error }) => ({
      at: startedAtMs,
      type: 'WebhookAttempt',
      eventId,
      event,
      durationMs,
      ...(answered === undefined ? {} : { status: answered }),
      ...(error === undefined ? {} : { error }),
    })),
  ];
}
