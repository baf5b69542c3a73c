/** Rows of `webhooks.mdb`, apart from events (`event-row.ts`). */
import type { Price } from '../../engine/pricing/price.ts';
import { FIRST_EPOCH } from '../../engine/recovery/epochs.ts';
import type { Webhook } from '../../engine/webhook.ts';
import { numbersKey } from '../codec/number-key.ts';
import type { LogHead } from '../journal/frame-log.ts';
import type { OutboxEvent } from './event-row.ts';

/** An account that has, or had, a webhook, or may have several deliveries under way. */
export interface Subscriber {
  readonly webhook: Webhook | null;
  readonly webhookConcurrency: number;
}

/** Where an account's first attempts stand. All are numbers of events. */
export interface QueueRow {
  /** The lowest event without a first attempt: lower ones have had theirs, or were cancelled before. */
  readonly firstOpen: number;
  /** The bound of cancelled events: lower ones are cancelled if they are still pending, whatever their rows say. */
  readonly cancelBelow: number;
  /** The bound of events whose rows say so: those of lower ones do. */
  readonly sweptBelow: number;
}

export interface OutboxCounters {
  /** Rows that are pending. */
  readonly pending: number;
  readonly delivered: number;
  readonly discarded: number;
  readonly cancelled: number;
  readonly failedAttempts: number;
}

/** A row of what prices follow from: a list's percent, a price, or an account's list; `a` and `b` are whose it is. */
export type PricingRow = { readonly a: number; readonly b: number } & (
  | { readonly kind: 'list'; readonly value: { readonly percent: number | null } | undefined }
  | { readonly kind: 'listPrice' | 'ownPrice'; readonly value: Price | undefined }
  | { readonly kind: 'account'; readonly value: { readonly priceListId: number } | undefined }
);
/** Rows have a kind by its place, so new ones come last. */
export const PRICING_KINDS = ['list', 'listPrice', 'ownPrice', 'account'] as const;

/** The open group, and what facts say of events to come. No group is open while it has no products. */
export interface EventGroupRow {
  /** Products, each once, in the order of their latest change: by list, and of accounts that are told by themselves. */
  readonly catalog: readonly (readonly [listId: number, productIds: readonly number[]])[];
  readonly accounts: readonly (readonly [accountId: number, productIds: readonly number[]])[];
  readonly stock: readonly number[];
  /** Unix milliseconds, by the fact that opened it. */
  readonly openedAtMs: number;
  /** How long groups last, by the latest fact that says so. */
  readonly windowMs: number;
  /** The epoch of the last fact that was read. */
  readonly epoch: number;
}

/** Before any fact says how long groups last. As the option's default, so that most journals never need to say it. */
const FIRST_WINDOW_MS = 1_000;

export const NO_GROUP: EventGroupRow = {
  catalog: [],
  accounts: [],
  stock: [],
  openedAtMs: 0,
  windowMs: FIRST_WINDOW_MS,
  epoch: FIRST_EPOCH,
};

export interface OutboxMeta {
  readonly head: LogHead;
  /** The latest time that the schedule went by, Unix milliseconds. */
  readonly clockMs: number;
  readonly counters: OutboxCounters;
}

export const NO_COUNTS: OutboxCounters = {
  pending: 0,
  delivered: 0,
  discarded: 0,
  cancelled: 0,
  failedAttempts: 0,
};

/**
 * The key in `due` of an event that is to be attempted again. Others have none: one that waits for its first attempt is
 * found by its number, and one that has ended is found by nobody but who asks for it, or removes what is old.
 */
export function dueKeyOf({
  accountId,
  dueAtMs,
  number,
  status,
  loggedAttempts,
}: OutboxEvent): Buffer | undefined {
  return status === 'pending' && loggedAttempts > 0 ? numbersKey(accountId, dueAtMs, number) : undefined;
}
