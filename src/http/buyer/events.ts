/**
 * GET /events: an account's events in their order, from where its program stopped; with `wait` the answer comes when there
 * is one. Beyond SPEC.md; a webhook delivers the same events, by the same ids.
 *
 * A request that waits is a number in a map and a timer (`BuyerEvents`), and holds nothing that a purchase needs: no place
 * of the thread that makes pages, and none of the answers under way.
 */
import { WEBHOOK_EVENTS, type WebhookEventType } from '../../engine/webhook.ts';
import type { WantedEvents } from '../../feed/buyer-events.ts';
import type { EventPage } from '../../feed/event-question.ts';
import { eventIdOf, parseEventId } from '../../persistence/webhooks/event-body.ts';
import { type ApiError, apiError, badRequest, rateLimited } from '../errors.ts';
import type { BuyerContext } from './buyer-context.ts';
import { type BuyerRoute, type BuyerServices, buyerRoute } from './buyer-route.ts';
import { EVENTS_QUERY, LIST_EVENTS, MAX_EVENTS, MAX_WAIT_SECONDS } from './event-operations.ts';
import { type WaitingPlace, WaitingRequests } from './waiting-requests.ts';

const DEFAULT_EVENTS = 100;
const LATEST = 'latest';
const LIMIT = /^[1-9]\d{0,3}$/;
const WAIT = /^\d{1,2}(?:\.\d{1,3})?$/;

const BAD_LIMIT = badRequest(`limit must be a whole number from 1 to ${MAX_EVENTS}.`);
const BAD_WAIT = badRequest(`wait must be a number of seconds from 0 to ${MAX_WAIT_SECONDS}.`);
const NEVER_GIVEN = badRequest(
  'after must be the id of an event of this account, such as the lastEventId of an answer, or latest.',
);
const REFUSALS = {
  unknown: NEVER_GIVEN,
  gone: apiError('EVENTS_GONE'),
  busy: rateLimited('Too many ask for events now. Try again in a second.', 1),
} as const;

interface Asked extends WantedEvents {
  readonly waitMs: number;
}

export function eventRoutes({ events }: Pick<BuyerServices, 'events'>): BuyerRoute[] {
  const waiting = new WaitingRequests();
  return [
    buyerRoute(
      'GET /events',
      'webhooks:read',
      LIST_EVENTS,
      (context) => {
        const asked = parse(new URLSearchParams(context.request.query), context.account.accountId);
        if ('code' in asked) return context.fail(asked);
        const place = asked.waitMs === 0 ? undefined : waiting.take(asked.accountId, context, asked.waitMs);
        if (place !== undefined && 'code' in place) return context.fail(place);
        answer(context, events, asked, place)
          .catch((error: unknown) => context.fault(error))
          .finally(() => place?.giveBack());
      },
      EVENTS_QUERY,
    ),
  ];
}

function parse(query: URLSearchParams, accountId: number): Asked | ApiError {
  const limit = query.get('limit') ?? String(DEFAULT_EVENTS);
  if (!LIMIT.test(limit) || Number(limit) > MAX_EVENTS) return BAD_LIMIT;
  const wait = query.get('wait') ?? '0';
  if (!WAIT.test(wait) || Number(wait) > MAX_WAIT_SECONDS) return BAD_WAIT;
  const types = query.get('types')?.split(',');
  const stranger = types?.find((type) => !isEventType(type));
  if (stranger !== undefined)
    return badRequest(`types has ${JSON.stringify(stranger)}: types are ${WEBHOOK_EVENTS.join(', ')}.`);
  const after = afterOf(query.get('after'), accountId);
  if (after === undefined) return NEVER_GIVEN;
  return {
    accountId,
    after,
    types: types?.filter(isEventType),
    limit: Number(limit),
    waitMs: Number(wait) * 1_000,
  };
}

/** Undefined when it can't be an event of the account. */
function afterOf(after: string | null, accountId: number): WantedEvents['after'] | undefined {
  if (after === null) return 0;
  if (after === LATEST) return LATEST;
  const name = parseEventId(after);
  return name === undefined || name.accountId !== accountId ? undefined : name.number;
}

function isEventType(type: string): type is WebhookEventType {
  return (WEBHOOK_EVENTS as readonly string[]).includes(type);
}

/** Without a place it doesn't wait. */
async function answer(
  context: BuyerContext,
  events: BuyerServices['events'],
  asked: Asked,
  place: WaitingPlace | undefined,
): Promise<void> {
  const mayWait = asked.after !== LATEST;
  let { after } = asked;
  let seen: EventPage | undefined;
  for (;;) {
    const answered = await events.page({ ...asked, after });
    // A node that stops makes no more pages: the request has waited until now.
    const page = answered === 'busy' ? (seen ?? answered) : answered;
    if (typeof page === 'string') return context.fail(REFUSALS[page]);
    const restMs = mayWait && page.events.length === 0 && page !== seen ? (place?.restMs ?? 0) : 0;
    if (restMs <= 0) return send(context, page);
    seen = page;
    after = page.last;
    if (page.hasMore) continue;
    const hasCome = await new Promise<boolean>((resolve) => {
      const end = events.wait(asked, page.through, restMs, resolve);
      place?.whenGone(() => {
        end();
        resolve(false);
      });
    });
    if (!hasCome) return send(context, page);
  }
}

/** The key may have died while the request waited. */
function send(context: BuyerContext, { events, last, hasMore }: EventPage): void {
  const refusal = context.lateRefusal();
  if (refusal !== undefined) return context.fail(refusal);
  const { accountId } = context.account;
  const lastEventId = last === 0 ? null : eventIdOf({ accountId, number: last });
  const rest = JSON.stringify({ lastEventId, hasMore, requestId: context.requestId });
  context.send(200, `{"success":true,"events":[${events.join(',')}],${rest.slice(1)}`);
}
