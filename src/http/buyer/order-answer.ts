/**
 * An order as a buyer gets it. One of few texts is written at once; of many, the texts are opened in slices, when the
 * client takes them. HEAD opens none of these, so it doesn't say how long they are.
 */

import type { Order } from '../../engine/orders.ts';
import { ownTick } from '../../shared/event-loop.ts';
import { Semaphore } from '../../shared/semaphore.ts';
import { type ApiError, apiError, rateLimited } from '../errors.ts';
import { deliveryOf } from '../order-delivery.ts';
import { jsonHeaders } from '../reply.ts';
import { SlicedAnswer } from '../sliced-answer.ts';
import type { ReplyHeaders } from '../transport/reply-headers.ts';
import type { BuyerContext } from './buyer-context.ts';
import type { BuyerServices } from './buyer-route.ts';
import { orderJson, orderParts } from './order-json.ts';

/** Few long answers at once: each keeps a slice and the block that its texts come from. */
const MOST_ANSWERS = 64;
const ANSWER_LIMITS = { each: 4, waiting: 4_096, waitingEach: 128 };
/** A request waits, since the items may be paid for already. */
const PATIENCE_MS = 10_000;
const RETRY_SECONDS = 5;
const BUSY = rateLimited(
  'Too many orders of many items are being read: read the answers that you have, and try again.',
  RETRY_SECONDS,
);
/** 429 would say that nothing was charged. */
const BUSY_BOUGHT: ApiError = {
  ...apiError(
    'INTERNAL_ERROR',
    'The purchase is made, but too many orders of many items are being read: read the answers that you have, and repeat the purchase with the same Idempotency-Key for its items.',
  ),
  headers: BUSY.headers ?? [],
  cause: 'answers of many items that the account does not read',
};

/** Slots of long answers, for each account and for all. */
export function answerSlots(): Semaphore<number> {
  return new Semaphore(MOST_ANSWERS, ANSWER_LIMITS);
}

type Send = (status: 200 | 201, more?: ReplyHeaders) => void;

/**
 * The answer with an order. Its texts are read now and sent later. `head` begins its JSON. Throws what `texts` throws.
 */
export function orderAnswer(
  services: BuyerServices,
  context: BuyerContext,
  order: Order,
  head: string,
): Send {
  const { texts } = services;
  if (order.status !== 'completed' || order.fileId !== null || !texts.areMany(order)) {
    const json = orderJson(head, deliveryOf(order, texts.itemsOf));
    return (status, more) => context.send(status, json, more);
  }
  const parts = orderParts(head, texts.textsOf(order));
  return (status, more) => {
    if (context.request.method !== 'HEAD') void sendParts(services, context, parts, status, more);
    else {
      const nothing = new SlicedAnswer('', parts);
      context.replyStream(status, jsonHeaders(context.requestId, more), nothing);
    }
  };
}

async function sendParts(
  { answerSlots }: BuyerServices,
  context: BuyerContext,
  parts: Generator<string>,
  status: 200 | 201,
  more: ReplyHeaders | undefined,
): Promise<void> {
  const { request } = context;
  const isGone = () => request.finished;
  const sharer = context.account.accountId;
  const giveBack = await answerSlots.take({ sharer, patienceMs: PATIENCE_MS, isGone });
  if (giveBack === undefined) return context.fail(status === 201 ? BUSY_BOUGHT : BUSY);
  try {
    await ownTick();
    context.sendInSlices(status, parts, more, giveBack);
  } catch (error) {
    context.fault(error);
  }
}
