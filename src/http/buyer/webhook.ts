/**
 * GET, POST and DELETE /webhook (SPEC.md §4): where an account's events go.
 *
 * A registration waits for DNS, and much can happen meanwhile: it counts only if its client is still there to get the
 * secret, and its API key is still the account's, in the turn in which it is decided. A secret that nobody got
 * would silence the receiver that knows the one before.
 */

import { Rejection } from '../../engine/rejection.ts';
import type { Webhook } from '../../engine/webhook.ts';
import { type ApiError, apiError, badRequest, INTERNAL_ERROR, rateLimited, UNAUTHORIZED } from '../errors.ts';
import {
  checkEncoding,
  compileSchema,
  isJsonContentType,
  MAX_BODY_BYTES,
  parseJson,
  type Validator,
} from '../json-body.ts';
import { errorOfRejection, sendError, sendJson } from '../reply.ts';
import {
  WEBHOOK_BODY,
  WEBHOOK_DELETION_BODY,
  type WebhookBody,
  type WebhookDeletionBody,
} from '../schemas/webhook.ts';
import {
  type BuyerContext,
  type BuyerRoute,
  type BuyerServices,
  sendErrorWhenDurable,
  sendWhenDurable,
} from './buyer-route.ts';
import { DELETE_WEBHOOK, GET_WEBHOOK, SET_WEBHOOK } from './webhook-operations.ts';

const NO_WEBHOOK = apiError('NOT_FOUND', 'No webhook is configured. Register one with POST /webhook.');
const UNREADABLE = apiError('WEBHOOK_SECRET_UNREADABLE');
const BUSY_RETRY_SECONDS = 5;

export function webhookRoutes(services: BuyerServices): BuyerRoute[] {
  const validate = compileSchema<WebhookBody>(WEBHOOK_BODY);
  const validateDeletion = compileSchema<WebhookDeletionBody>(WEBHOOK_DELETION_BODY);
  return [
    {
      method: 'GET',
      path: '/webhook',
      scope: 'webhooks:read',
      operation: GET_WEBHOOK,
      handle: (context) => show(services, context),
    },
    {
      method: 'POST',
      path: '/webhook',
      scope: 'webhooks:write',
      operation: SET_WEBHOOK,
      handle: (context) => {
        const { exchange, requestId } = context;
        const isJson = isJsonContentType(exchange.header('content-type'));
        const headError = isJson ? undefined : badRequest('The Content-Type must be application/json.');
        withBody(context, validate, headError, (body, keySha256) => {
          register(services, context, body, keySha256).catch((fault: unknown) => {
            services.onFault(fault, requestId);
            sendError(exchange, requestId, INTERNAL_ERROR);
          });
        });
      },
    },
    {
      method: 'DELETE',
      path: '/webhook',
      scope: 'webhooks:write',
      operation: DELETE_WEBHOOK,
      // SPEC.md asks for no Content-Type here, so none is required.
      handle: (context) => {
        withBody(context, validateDeletion, undefined, (_, keySha256) => {
          remove(services, context, keySha256);
        });
      },
    },
  ];
}

function show({ engine, webhooks }: BuyerServices, context: BuyerContext): void {
  const { requestId, account } = context;
  const { accountId, webhook } = account;
  if (webhook === null) return sendErrorWhenDurable(engine, context, NO_WEBHOOK);
  const secretMasked = webhooks.maskedSecret(accountId, webhook.sealedSecret);
  if (secretMasked === undefined) return sendErrorWhenDurable(engine, context, UNREADABLE);
  const shown = { ...configurationJson(webhook), secretMasked };
  sendWhenDurable(engine, context, JSON.stringify({ success: true, webhook: shown, requestId }));
}

/** Reads the body; the key may have died before all of it was there. */
function withBody<Body>(
  { exchange, requestId, account }: BuyerContext,
  validate: Validator<Body>,
  headError: ApiError | undefined,
  then: (body: Body, keySha256: string | undefined) => void,
): void {
  const { key } = account;
  const error = headError ?? checkEncoding(exchange.header('content-encoding'));
  exchange.readBody(MAX_BODY_BYTES, (bytes) => {
    if (bytes === 'aborted') return;
    if (account.key !== key) return sendError(exchange, requestId, UNAUTHORIZED);
    if (error !== undefined) return sendError(exchange, requestId, error);
    const parsed = parseJson(bytes, MAX_BODY_BYTES, validate);
    if ('error' in parsed) return sendError(exchange, requestId, parsed.error);
    then(parsed.body, key?.sha256);
  });
}

async function register(
  { engine, webhooks }: BuyerServices,
  { exchange, requestId, account }: BuyerContext,
  { url, events, balanceThresholdUsdt }: WebhookBody,
  keySha256: string | undefined,
): Promise<void> {
  const { accountId } = account;
  const refusal = await webhooks.refusalOf(accountId, url);
  if (exchange.finished) return;
  if (refusal !== undefined) {
    const { message, isBusy } = refusal;
    return sendError(
      exchange,
      requestId,
      isBusy ? rateLimited(message, BUSY_RETRY_SECONDS) : badRequest(message),
    );
  }
  const { secret, sealedSecret } = webhooks.newSecret(accountId);
  const webhook: Webhook = {
    url,
    events: [...new Set(events)],
    balanceThresholdUsdt: balanceThresholdUsdt ?? null,
    sealedSecret,
  };
  engine.submit({ kind: 'SetWebhook', accountId, webhook, keySha256 }, (result) => {
    if (result instanceof Rejection) return sendError(exchange, requestId, errorOfRejection(result));
    const shown = { ...configurationJson(webhook), secret };
    sendJson(exchange, requestId, 200, JSON.stringify({ success: true, webhook: shown, requestId }));
  });
}

function remove(
  { engine }: BuyerServices,
  { exchange, requestId, account }: BuyerContext,
  keySha256: string | undefined,
): void {
  const { accountId } = account;
  engine.submit({ kind: 'RemoveWebhook', accountId, keySha256 }, (result) => {
    if (result instanceof Rejection) return sendError(exchange, requestId, errorOfRejection(result));
    const message = 'The webhook was deleted; what was waiting to be delivered is cancelled.';
    sendJson(exchange, requestId, 200, JSON.stringify({ success: true, message, requestId }));
  });
}

/** A threshold that was not given is absent. */
function configurationJson({ url, events, balanceThresholdUsdt }: Webhook): object {
  return balanceThresholdUsdt === null ? { url, events } : { url, events, balanceThresholdUsdt };
}
