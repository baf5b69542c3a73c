/**
 * POST /orders (SPEC.md §4): what Purser exists for.
 *
 * Here the request is only understood and the answer written; whether it is allowed, and that it happens exactly once,
 * is the engine's. A malformed request ends before the engine and uses up no key.
 */
import { PurchaseInProgress, type PurchaseResult } from '../../engine/decide/command.ts';
import { Rejection } from '../../engine/decide/rejection.ts';
import { type ApiError, badRequest } from '../errors.ts';
import { keyFormError } from '../idempotency-key.ts';
import {
  checkEncoding,
  compileSchema,
  isJsonContentType,
  MAX_BODY_BYTES,
  type ParsedBody,
  parseJson,
} from '../json-body.ts';
import { errorOfRejection, replayHeaders } from '../reply.ts';
import { PURCHASE_BODY, type PurchaseBody } from '../schemas/order.ts';
import type { BodyFailure } from '../transport/transport.ts';
import type { BuyerContext } from './buyer-context.ts';
import { type BuyerRoute, type BuyerServices, buyerRoute } from './buyer-route.ts';
import { orderAnswer } from './order-answer.ts';
import { purchaseHead } from './order-json.ts';
import { PLACE_ORDER } from './order-operations.ts';
import { PlainPurchaseReader } from './plain-purchase.ts';

/** Below the base path of the buyers' API. */
export const ORDERS_PATH = '/orders';

export function purchaseRoutes(services: BuyerServices): BuyerRoute[] {
  const { engine, lowBalance } = services;
  const readBody = bodyReader();
  return [
    {
      throttle: (account) => lowBalance.throttle(account),
      ...buyerRoute(`POST ${ORDERS_PATH}`, 'orders:write', PLACE_ORDER, (context) => {
        const { request, account } = context;
        const idempotencyKey = request.header('idempotency-key') ?? '';
        const headError =
          checkHead(idempotencyKey, request.header('content-type')) ??
          checkEncoding(request.header('content-encoding'));
        request.readBody(MAX_BODY_BYTES, (bytes) => {
          if (bytes === 'aborted') return;
          const error = context.lateRefusal() ?? headError;
          if (error !== undefined) return context.fail(error);
          const parsed = readBody(bytes);
          if ('error' in parsed) return context.fail(parsed.error);
          const { body } = parsed;
          const recipientUsername = body.recipient?.username ?? body.recipientUsername ?? null;
          if (body.recipientUsername !== undefined && body.recipientUsername !== recipientUsername) {
            return context.fail(
              badRequest('recipient.username and recipientUsername differ: send one of them.'),
            );
          }
          const { walletMicros } = account;
          engine.submit(
            {
              kind: 'PlaceOrder',
              accountId: account.accountId,
              idempotencyKey,
              productId: body.productId,
              quantity: body.quantity ?? 1,
              expectedPriceUsdt: body.expectedPriceUsdt,
              recipientUsername,
              requestNumber: context.requestNumber,
              keySha256: context.key?.sha256,
            },
            (result) => answerPurchase(services, context, walletMicros, result),
          );
        });
      }),
    },
  ];
}

function bodyReader(): (bytes: Uint8Array | BodyFailure) => ParsedBody<PurchaseBody> {
  const validate = compileSchema<PurchaseBody>(PURCHASE_BODY);
  const plain = new PlainPurchaseReader();
  return (bytes) => {
    const body = typeof bytes === 'string' ? undefined : plain.read(bytes);
    return body === undefined ? parseJson(bytes, MAX_BODY_BYTES, validate) : { body };
  };
}

function checkHead(idempotencyKey: string, contentType: string | undefined): ApiError | undefined {
  if (idempotencyKey === '') {
    return badRequest('The header Idempotency-Key is missing: send a unique string per purchase.');
  }
  const formError = keyFormError(idempotencyKey);
  if (formError !== undefined) return formError;
  if (!isJsonContentType(contentType)) return badRequest('The Content-Type must be application/json.');
  return undefined;
}

/** Answers now, or when the supplier has; that it must wait is known only now, and nothing was prepared for it. */
function answerPurchase(
  services: BuyerServices,
  context: BuyerContext,
  walletMicros: number,
  result: PurchaseResult | PurchaseInProgress | Rejection,
): void {
  if (result instanceof PurchaseInProgress) {
    services.supplied.wait(result, (ended) => replyPurchase(services, context, walletMicros, ended));
    return;
  }
  if (!(result instanceof Rejection) && result.order.status === 'pending_delivery') {
    const reply = (ended: PurchaseResult | Rejection) =>
      replyPurchase(services, context, walletMicros, ended);
    if (services.supplied.waitForDelivery(result.order, reply)) return;
  }
  replyPurchase(services, context, walletMicros, result);
}

function replyPurchase(
  services: BuyerServices,
  context: BuyerContext,
  walletMicros: number,
  result: PurchaseResult | Rejection,
): void {
  if (result instanceof Rejection && result.code === 'INSUFFICIENT_BALANCE') {
    services.lowBalance.refused(context.account.accountId, walletMicros);
  }
  if (context.request.finished) return;
  if (result instanceof Rejection) {
    context.fail(errorOfRejection(result));
    return;
  }
  const { order, replayed } = result;
  let send: ReturnType<typeof orderAnswer>;
  try {
    send = orderAnswer(services, context, order, purchaseHead(order, context.requestId));
  } catch (error) {
    // The purchase stands; the same key brings its items once they can be read.
    context.fault(error);
    return;
  }
  send(201, replayHeaders(replayed));
}
