/**
 * Deliveries of webhooks: GET /webhooks/{accountId}/deliveries, POST …/deliveries/{eventId}/replay, …/replay and
 * …/test. A record of who asked for a replay or a test is durable before it is done. An account that has deleted its
 * webhook keeps its history; there is nowhere to send anything, though.
 */
import type { Account } from '../../../engine/accounts.ts';
import type { Engine } from '../../../engine/loop/engine.ts';
import type { Webhook } from '../../../engine/webhook.ts';
import type { AttemptRow } from '../../../persistence/webhooks/event-row.ts';
import type { Fields } from '../../../views/operator-views.ts';
import type { Delivery, OperatorDeliveries } from '../../../webhooks/operator-deliveries.ts';
import { apiError } from '../../errors.ts';
import { ACCOUNT_NOT_FOUND } from '../accounts/accounts.ts';
import { MOMENT, notATime, PERIOD_QUERY, type Period, parseMoment } from '../moment.ts';
import { noFields, operatorBody } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { PAGE_QUERY, type Page, pageQuery } from '../page.ts';
import { SUPPORT } from '../roles.ts';
import { LIST_DELIVERIES, REPLAY_MANY, REPLAY_ONE, TEST_WEBHOOK } from './webhook-operations.ts';

/** Each has up to 25 attempts with 1 KB of an answer. */
const MAX_DELIVERIES = 50;
/** The statuses of events that can be replayed. */
const ENDED = ['delivered', 'discarded'] as const;

const REPLAY_SINCE = {
  since: MOMENT,
  status: { type: 'string', enum: ENDED, description: 'Of this status only. Default: both.' },
  dryRun: { type: 'boolean', description: 'With `true` nothing is sent: the answer says how many would be.' },
} as const;

const NO_WEBHOOK = apiError('NOT_FOUND', 'The account has no webhook.');
const NO_EVENT = apiError(
  'NOT_FOUND',
  'The account has no such event, or the event is too old to be kept. Check the id.',
);
export const NOT_NOW = apiError('NOT_READY', 'The node is busy or stopping: try again in a second.');
const NOT_ENDED = 'Only events that were delivered or discarded can be replayed; this one is';

export function webhookRoutes({ engine, webhooks }: OperatorServices): OperatorRoute[] {
  return [
    operatorRoute(
      'GET /webhooks/{id}/deliveries',
      LIST_DELIVERIES,
      (context) => {
        if (accountOf(context, engine) === undefined) return;
        context.withPeriodPage(
          (period, page) => context.run(() => listDeliveries(context, webhooks, period, page)),
          MAX_DELIVERIES,
        );
      },
      { query: { ...PERIOD_QUERY, ...pageQuery(MAX_DELIVERIES) } },
    ),
    bodyRoute('POST /webhooks/{id}/deliveries/{name}/replay', REPLAY_ONE, SUPPORT, noFields(), (context) => {
      const account = accountOf(context, engine);
      if (account !== undefined) context.run(() => replayOne(context, webhooks, account));
    }),
    bodyRoute(
      'POST /webhooks/{id}/replay',
      REPLAY_MANY,
      SUPPORT,
      operatorBody(REPLAY_SINCE, ['since']),
      (context, body) => {
        const sinceMs = parseMoment(String(body.since));
        if (Number.isNaN(sinceMs)) return context.fail(notATime('since', String(body.since)).error);
        if (webhookOf(context, engine) === undefined) return;
        const statuses = body.status === undefined ? ENDED : [body.status];
        context.withPage(({ after }) =>
          context.run(async () => {
            const { id: accountId } = context;
            if (body.dryRun === true) {
              const counted = await webhooks.countSince(accountId, sinceMs, after, statuses);
              if (counted === undefined) return context.fail(NOT_NOW);
              const { count: wouldReplay, next } = counted;
              return context.succeedWhenDurable(200, { wouldReplay, ...cursorOf(next) });
            }
            await context.record({ action: 'WebhooksReplayed', accountId, sinceMs });
            const replayed = await webhooks.replaySince(context.id, sinceMs, after, statuses);
            if (replayed === undefined) return context.fail(NOT_NOW);
            context.succeed(202, { replayed: replayed.count, ...cursorOf(replayed.next) });
          }),
        );
      },
      PAGE_QUERY,
    ),
    bodyRoute('POST /webhooks/{id}/test', TEST_WEBHOOK, SUPPORT, noFields(), (context) => {
      const webhook = webhookOf(context, engine);
      if (webhook === undefined) return;
      context.run(() => test(context, webhooks, webhook));
    }),
  ];
}

function cursorOf(next: number | undefined): Fields {
  return next === undefined ? {} : { nextCursor: String(next) };
}

/** Newest first; a cursor is the number of the page's last event. */
async function listDeliveries(
  context: OperatorContext,
  webhooks: OperatorDeliveries,
  period: Period,
  { limit, after }: Page,
): Promise<void> {
  const events = await webhooks.page(context.id, limit + 1, after === 0 ? undefined : after, period);
  if (events === undefined) return context.fail(NOT_NOW);
  const deliveries = events.slice(0, limit);
  const last = events.length > limit ? deliveries.at(-1) : undefined;
  const nextCursor = last === undefined ? {} : { nextCursor: String(last.number) };
  context.succeedWhenDurable(200, { deliveries: deliveries.map(deliveryFields), ...nextCursor });
}

async function replayOne(
  context: OperatorContext,
  webhooks: OperatorDeliveries,
  account: Account,
): Promise<void> {
  const found = await webhooks.find(account.accountId, context.name);
  if (found === undefined) return context.fail(NOT_NOW);
  const { delivery } = found;
  if (delivery === undefined) return context.fail(NO_EVENT);
  if (account.webhook === null) return context.failWhenDurable(NO_WEBHOOK);
  const { eventId, number, status } = delivery;
  if (!isEnded(status)) return context.fail(apiError('REPLAY_NOT_ALLOWED', `${NOT_ENDED} ${status}.`));
  await context.record({ action: 'WebhookReplayed', accountId: account.accountId, eventId });
  const isTaken = await webhooks.replay(account.accountId, number);
  if (isTaken === undefined) context.fail(NOT_NOW);
  // It had ended a moment ago: somebody else was faster, with a replay or with deleting the webhook.
  else if (!isTaken) context.fail(apiError('REPLAY_NOT_ALLOWED', `${NOT_ENDED} pending or cancelled.`));
  else context.succeed(202, { eventId, status: 'pending' });
}

async function test(context: OperatorContext, webhooks: OperatorDeliveries, webhook: Webhook): Promise<void> {
  await context.record({ action: 'WebhookTested', accountId: context.id });
  const tested = await webhooks.test(context.id, webhook);
  if (tested === undefined) context.fail(NOT_NOW);
  else context.succeed(202, { eventId: tested.eventId, attempt: attemptFields(tested.attempt) });
}

/** Undefined when the answer has been given: there is no such account. */
function accountOf(context: OperatorContext, engine: Engine): Account | undefined {
  const account = engine.state.accounts.get(context.id);
  if (account === undefined) context.fail(ACCOUNT_NOT_FOUND);
  return account;
}

/** Undefined when the answer has been given: there is no such account, or it has no webhook. */
function webhookOf(context: OperatorContext, engine: Engine): Webhook | undefined {
  const account = accountOf(context, engine);
  if (account?.webhook === null) context.failWhenDurable(NO_WEBHOOK);
  return account?.webhook ?? undefined;
}

function deliveryFields({ eventId, type, status, createdAtMs, nextAttemptAtMs, attempts }: Delivery): Fields {
  const next = nextAttemptAtMs === undefined ? {} : { nextAttemptAt: nextAttemptAtMs };
  return { eventId, type, status, createdAt: createdAtMs, ...next, attempts: attempts.map(attemptFields) };
}

/** `status` and `responseHead` when there was an answer, else `error`. */
function attemptFields({ startedAtMs, ...result }: AttemptRow): Fields {
  return { startedAt: startedAtMs, ...result };
}

function isEnded(status: string): boolean {
  return (ENDED as readonly string[]).includes(status);
}
