/** A question for a page of an account's events, and its answer, as they go between the main thread and the one that makes pages. */
import { type EventPlace, saleAt, TOLD } from '../engine/recent/recent-events.ts';
import type { WebhookEventType } from '../engine/webhook.ts';

export interface EventQuestion {
  readonly accountId: number;
  /** The number of an event; 0 for the oldest that is kept. */
  readonly after: number | 'latest';
  /** Undefined for all. */
  readonly types: readonly WebhookEventType[] | undefined;
  /** Whether groups are told, or at least looked at. */
  readonly hasGroups: boolean;
  readonly limit: number;
  /** Durable, and in the folder's journal; with groups also what these have settled up to. */
  readonly through: number;
  /** The checkpoint has what is up to here; behind it is `recent`. */
  readonly folded: number;
  /** See `packPlaces`. */
  readonly recent: Float64Array<ArrayBuffer>;
  /** There are more than those, behind them. */
  readonly hasMoreRecent: boolean;
  /** Events before this time may be passed over. */
  readonly keptFromMs: number;
}

export interface EventPage {
  /** Bodies in JSON, in order. */
  readonly events: readonly string[];
  /** The number of the last event that was looked at; 0 when the account never had one. */
  readonly last: number;
  readonly hasMore: boolean;
  /** Up to this position all was looked at, unless there is more. */
  readonly through: number;
}

/** `unknown`: the event that the page should follow was never given. `gone`: what is behind it isn't all kept. */
export type EventAnswer = EventPage | 'unknown' | 'gone';

/** Three numbers a place: where, and of a plain sale the order and its time, else zeros. */
export function packPlaces(places: readonly EventPlace[]): Float64Array<ArrayBuffer> {
  const packed = new Float64Array(places.length * 3);
  places.forEach(({ position, event }, index) => {
    const orderId = event?.content.type === 'order.completed' ? event.content.orderId : TOLD;
    packed.set([position, orderId, event?.atMs ?? 0], index * 3);
  });
  return packed;
}

export function unpackPlaces(packed: Float64Array): EventPlace[] {
  const places: EventPlace[] = [];
  for (let at = 0; at < packed.length; at += 3) {
    const [position = 0, orderId = TOLD, atMs = 0] = packed.subarray(at, at + 3);
    places.push(saleAt(position, orderId, atMs));
  }
  return places;
}
