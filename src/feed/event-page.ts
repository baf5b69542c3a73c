/**
 * Pages of an account's events, as `GET /events` gives them: made of facts in the thread that reads the journal, so that a
 * page takes nothing from purchases. Its cost is that of what it tells, and not of how long the history is, nor of what
 * others bought meanwhile.
 *
 * Invariant: events come in the order of their numbers, none is left out, and none twice. A page's `last` is the last event
 * that it looked at, one that the account has, also where its type wasn't wanted. An event that was never given is told from
 * one that is gone: too old, or taken back by a restore.
 */
import { eventBody } from '../persistence/webhooks/event-body.ts';
import { AccountEvents, type EventSource, type ToldEvent } from './account-events.ts';
import type { EventAnswer, EventPage, EventQuestion } from './event-question.ts';

/** A page ends after so many events of types that nobody wants, … */
const MOST_PASSED = 2_000;
/** … and one whose events are long, behind so many characters. */
const MOST_CHARS = 256 * 1024;

export function eventPage(source: EventSource, question: EventQuestion): EventAnswer {
  const events = new AccountEvents(source, question);
  const { after, through } = question;
  if (after === 'latest') return { events: [], last: events.newest(), hasMore: false, through };
  if (after !== 0) {
    const refusal = events.refusalOf(after);
    if (refusal !== undefined) return refusal;
  }
  const page = collect(events.behind(after), question);
  if (page.last > 0) return page;
  return { ...page, last: after === 0 ? events.newest() : after };
}

function collect(events: Iterable<ToldEvent>, question: EventQuestion): EventPage {
  const { accountId, limit, through } = question;
  const types = question.types && new Set(question.types);
  const told: string[] = [];
  let last = 0;
  let chars = 0;
  let passed = 0;
  for (const { number, content, productIds, atMs, cost } of events) {
    if (told.length === limit || passed >= MOST_PASSED || chars >= MOST_CHARS)
      return { events: told, last, hasMore: true, through };
    last = number;
    if (types?.has(content.type) === false) {
      passed += cost;
      continue;
    }
    const body = eventBody({ accountId, number, content }, () => productIds);
    told.push(`${body.slice(0, -1)},"createdAt":${atMs}}`);
    chars += body.length;
  }
  return { events: told, last, hasMore: question.hasMoreRecent, through };
}
