/**
 * GET, POST and DELETE /webhook (SPEC.md §4): where an account's events go.
 *
 * A registration waits for DNS, and much can happen meanwhile: it counts only if its client is still there to get the
 * secret, and its API key is still the account's, in the turn in which it is decided. A secret that nobody got
 * would silence the receiver that knows the one before.
 */

import type { Webhook } from '../../engine/webhook.ts';
import { apiError, badRequest, rateLimited } from '../errors.ts';
import { jsonBody } from '../json-body.ts';
import {
  WEBHOOK_BODY,
  WEBHOOK_DELETION_BODY,
  type WebhookBody,
  type WebhookDeletionBody,
} from '../schemas/webhook.ts';
import type { BuyerContext } from './buyer-context.ts';
import { type BuyerRoute, type BuyerServices, buyerRoute } from './buyer-route.ts';
import { DELETE_WEBHOOK, GET_WEBHOOK, SET_WEBHOOK } from './webhook-operations.ts';

const NO_WEBHOOK = apiError('NOT_FOUND', 'No webhook is configured. Register one with POST /webhook.');
const UNREADABLE = apiError('WEBHOOK_SECRET_UNREADABLE');
const BUSY_RETRY_SECONDS = 5;

export function webhookRoutes(services: BuyerServices): BuyerRoute[] {
  const webhookBody = jsonBody<WebhookBody>(WEBHOOK_BODY);
  // SPEC.md asks for no Content-Type here, so none is required.
  const deletionBody = { ...jsonBody<WebhookDeletionBody>(WEBHOOK_DELETION_BODY), isUntyped: true };
  return [
    buyerRoute('GET /webhook', 'webhooks:read', GET_WEBHOOK, (context) => show(services, context)),
    buyerRoute('POST /webhook', 'webhooks:write', SET_WEBHOOK, (context) =>
      context.readJson(webhookBody, (body) => {
        register(services, context, body).catch((fault: unknown) => context.fault(fault));
      }),
    ),
    buyerRoute('DELETE /webhook', 'webhooks:write', DELETE_WEBHOOK, (context) =>
      context.readJson(deletionBody, () => remove(context)),
    ),
  ];
}

function show({ webhooks }: BuyerServices, context: BuyerContext): void {
  const { accountId, webhook } = context.account;
  if (webhook === null) return context.failWhenDurable(NO_WEBHOOK);
  const secretMasked = webhooks.maskedSecret(accountId, webhook.sealedSecret);
  if (secretMasked === undefined) return context.failWhenDurable(UNREADABLE);
  context.succeedWhenDurable(200, { webhook: { ...configurationJson(webhook), secretMasked } });
}

async function register(
  { webhooks }: BuyerServices,
  context: BuyerContext,
  { url, events, balanceThresholdUsdt }: WebhookBody,
): Promise<void> {
  const { accountId } = context.account;
  const refusal = await webhooks.refusalOf(accountId, url);
  if (context.request.finished) return;
  if (refusal !== undefined) {
    const { message, isBusy } = refusal;
    return context.fail(isBusy ? rateLimited(message, BUSY_RETRY_SECONDS) : badRequest(message));
  }
  const { sealedSecret, ...secrets } = webhooks.newSecret(accountId);
  const webhook: Webhook = {
    url,
    events: [...new Set(events)],
    balanceThresholdUsdt: balanceThresholdUsdt ?? null,
    sealedSecret,
  };
  const keySha256 = context.key?.sha256;
  context.submit({ kind: 'SetWebhook', accountId, webhook, keySha256 }, () =>
    context.succeed(200, { webhook: { ...configurationJson(webhook), ...secrets } }),
  );
}

function remove(context: BuyerContext): void {
  const { accountId } = context.account;
  context.submit({ kind: 'RemoveWebhook', accountId, keySha256: context.key?.sha256 }, () =>
    context.succeed(200, {
      message: 'The webhook was deleted; events that waited for delivery are cancelled.',
    }),
  );
}

/** A threshold that was not given is absent. */
function configurationJson({ url, events, balanceThresholdUsdt }: Webhook): object {
  return balanceThresholdUsdt === null ? { url, events } : { url, events, balanceThresholdUsdt };
}
