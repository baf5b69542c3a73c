/**
 * The mark of a fact in lists of events, which says where its events are read: of nearly all facts, those of plain sales,
 * the list itself has it all, and the journal need not be read.
 *
 * Invariant: a mark says nothing that `ownEventsOf` doesn't. The purchase's own kind is looked at first, without making its
 * events: it is what a shop's journal consists of.
 */
import type { Fact } from '../fact.ts';
import { ownEventsOf } from './own-events.ts';

/** `plain`: one event, `order.completed`, of the fact's order. `told`: others, or more, which the fact tells. */
export type EventMark = 'none' | 'plain' | 'told';

export function eventMarkOf(fact: Fact): EventMark {
  if (fact.kind === 'OrderPlaced' && fact.thresholdUsdt === undefined)
    return fact.order.status === 'completed' ? 'plain' : 'none';
  const [event, another] = ownEventsOf(fact);
  if (event === undefined) return 'none';
  return another === undefined && event.content.type === 'order.completed' ? 'plain' : 'told';
}
