/**
 * An event that is to be delivered to one account, as it lies on disk: its content as numbers, not as JSON.
 *
 * A million of them may wait for endpoints that are dead, and what is mapped of their file counts as the node's memory:
 * 40 bytes or so until the first attempt. The body is made anew for every attempt, with the same bytes, because it
 * depends on nothing else. The products that a grouped event lists are in rows of their own, which all accounts share
 * (`groups/`). The first attempt is most events' only one, and lies in their row: a row of its own would be another
 * page that its delivery has to write.
 */
import type { GroupType, OwnContent } from '../../engine/events/own-events.ts';
import { FIRST_EPOCH } from '../../engine/recovery/epochs.ts';
import type { WebhookEventType } from '../../engine/webhook.ts';
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { numbersKey, readNumberKey } from '../codec/number-key.ts';
import { signed, unsigned } from '../codec/varint.ts';

/** `cancelled`: its webhook was deleted before it could be delivered. */
export const EVENT_STATUSES = ['pending', 'delivered', 'discarded', 'cancelled'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/**
 * The last digit of an event's number, which says its type. Never change it: numbers are on disk, and in the ids
 * that receivers have seen. The order is that in which one fact's events come up, and groups after all of them.
 */
const TYPE_DIGITS: readonly WebhookEventType[] = [
  'order.completed',
  'order.failed',
  'order.refunded',
  'order.items_replaced',
  'balance.credited',
  'balance.low',
  'catalog.updated',
  'stock.changed',
];
const FIRST_GROUP_DIGIT = TYPE_DIGITS.indexOf('catalog.updated');
export const NUMBERS_PER_POSITION = 8;
/**
 * Room for the numbers of an epoch: 2^41 facts. After a restore, facts have positions again that others had before, and
 * receivers take an id that they have seen for a repeat; so the events of each epoch have numbers of their own.
 */
const NUMBERS_PER_EPOCH = 2 ** 44;

/** The outcome of one attempt, as it is stored. */
export interface AttemptRow {
  /** Unix milliseconds. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly status?: number;
  readonly responseHead?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface OutboxEvent {
  readonly accountId: number;
  /** See `eventNumber`. An account has each number once, and gets its events in the order of their numbers. */
  readonly number: number;
  readonly status: EventStatus;
  /** Attempts of the schedule that it is on. */
  readonly attempts: number;
  /** Attempts ever made; more than `attempts` after a replay. */
  readonly loggedAttempts: number;
  /** The outcome of the first attempt ever made; later ones have rows of their own. */
  readonly firstAttempt: AttemptRow | undefined;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
  /** Unix milliseconds: of the next attempt while it is pending, else of its end. */
  readonly dueAtMs: number;
  readonly content: EventContent;
}

/** A group's products are in rows that all accounts share (`groups/`). */
export type EventContent = OwnContent | { readonly type: GroupType };

/**
 * The number of the event of this type that came up at a position of the journal: a fact's own at that fact's,
 * a group at the last one's that had been read when it was closed. So the same facts give the same number. `epoch` is
 * that of the position.
 */
export function eventNumber(position: number, type: WebhookEventType, epoch: number): number {
  return firstNumberAt(position, epoch) + TYPE_DIGITS.indexOf(type);
}

/** No event that came up at this position of the journal, or later, has a lower number. */
export function firstNumberAt(position: number, epoch: number): number {
  return (epoch - FIRST_EPOCH) * NUMBERS_PER_EPOCH + position * NUMBERS_PER_POSITION;
}

/** Where the event with this number came up, if there is one. */
export function placeOfEvent(number: number): { readonly epoch: number; readonly position: number } {
  const epoch = FIRST_EPOCH + Math.floor(number / NUMBERS_PER_EPOCH);
  return { epoch, position: Math.floor((number % NUMBERS_PER_EPOCH) / NUMBERS_PER_POSITION) };
}

export function eventTypeOf(number: number): WebhookEventType {
  const type = TYPE_DIGITS[number % NUMBERS_PER_POSITION];
  if (type === undefined) throw new DamagedDataError(`event ${number} has an unknown type`);
  return type;
}

export function eventKey(accountId: number, number: number): Buffer {
  return numbersKey(accountId, number);
}

/** Valid until `scratch` is written to again. */
export function encodeEvent(scratch: ByteWriter, event: OutboxEvent): Buffer {
  const { content, createdAtMs, firstAttempt } = event;
  scratch.reset();
  scratch.byte(EVENT_STATUSES.indexOf(event.status));
  scratch.varint(event.attempts);
  scratch.varint(event.loggedAttempts);
  scratch.varint(createdAtMs);
  scratch.varint(signed(event.dueAtMs - createdAtMs));
  writeContent(scratch, content);
  if (firstAttempt !== undefined) writeAttempt(scratch, firstAttempt, createdAtMs);
  return scratch.view();
}

/** Throws `DamagedDataError` when key and payload are no event. */
export function decodeEvent(key: Buffer, payload: Buffer): OutboxEvent {
  const number = readNumberKey(key, 8);
  const input = new ByteReader(payload);
  const status = EVENT_STATUSES[input.byte()];
  if (status === undefined) throw new DamagedDataError(`event ${number} has an unknown status`);
  const attempts = input.varint();
  const loggedAttempts = input.varint();
  const createdAtMs = input.varint();
  return {
    accountId: readNumberKey(key),
    number,
    status,
    attempts,
    loggedAttempts,
    createdAtMs,
    dueAtMs: createdAtMs + unsigned(input.varint()),
    content: readContent(input, eventTypeOf(number)),
    firstAttempt: input.isAtEnd ? undefined : readAttempt(input, createdAtMs),
  };
}

/** The type is in the event's number. */
function writeContent(out: ByteWriter, content: EventContent): void {
  switch (content.type) {
    case 'order.completed':
    case 'order.failed':
      return out.varint(content.orderId);
    case 'order.refunded':
      out.varint(content.orderId);
      out.varint(content.amountMicros);
      return out.varint(content.refundedMicros);
    case 'order.items_replaced':
      out.varint(content.orderId);
      out.varint(content.items.length);
      for (const item of content.items) out.varint(item);
      return;
    case 'balance.credited':
      out.varint(content.amountMicros);
      out.varint(content.balanceMicros);
      return out.text(content.reference);
    case 'balance.low':
      out.varint(content.balanceMicros);
      return out.number(content.thresholdUsdt);
    case 'catalog.updated':
    case 'stock.changed':
      return;
  }
}

function readContent(input: ByteReader, type: WebhookEventType): EventContent {
  switch (type) {
    case 'order.completed':
    case 'order.failed':
      return { type, orderId: input.varint() };
    case 'order.refunded': {
      const [orderId, amountMicros] = [input.varint(), input.varint()];
      return { type, orderId, amountMicros, refundedMicros: input.varint() };
    }
    case 'order.items_replaced': {
      const [orderId, count] = [input.varint(), input.varint()];
      return { type, orderId, items: Array.from({ length: count }, () => input.varint()) };
    }
    case 'balance.credited': {
      const [amountMicros, balanceMicros] = [input.varint(), input.varint()];
      return { type, amountMicros, balanceMicros, reference: input.text() };
    }
    case 'balance.low':
      return { type, balanceMicros: input.varint(), thresholdUsdt: input.number() };
    case 'catalog.updated':
    case 'stock.changed':
      return { type };
  }
}

const HAS_STATUS = 0x01;
const HAS_HEAD = 0x02;
const HAS_ERROR = 0x04;

/** Short, for nearly every event has one. Times and durations are whole milliseconds. */
function writeAttempt(out: ByteWriter, attempt: AttemptRow, createdAtMs: number): void {
  const { startedAtMs, durationMs, status, responseHead, error } = attempt;
  out.byte(
    (status === undefined ? 0 : HAS_STATUS) |
      (responseHead === undefined ? 0 : HAS_HEAD) |
      (error === undefined ? 0 : HAS_ERROR),
  );
  out.varint(signed(startedAtMs - createdAtMs));
  out.varint(durationMs);
  if (status !== undefined) out.varint(status);
  if (responseHead !== undefined) out.text(responseHead);
  if (error !== undefined) out.text(JSON.stringify(error));
}

function readAttempt(input: ByteReader, createdAtMs: number): AttemptRow {
  const has = input.byte();
  const startedAtMs = createdAtMs + unsigned(input.varint());
  const durationMs = input.varint();
  return {
    startedAtMs,
    durationMs,
    ...(has & HAS_STATUS ? { status: input.varint() } : {}),
    ...(has & HAS_HEAD ? { responseHead: input.text() } : {}),
    ...(has & HAS_ERROR ? { error: JSON.parse(input.text()) } : {}),
  };
}

export function isGroupType(type: WebhookEventType): type is GroupType {
  return TYPE_DIGITS.indexOf(type) >= FIRST_GROUP_DIGIT;
}

/** Whether the event with this number is a group's. */
export function isGroup(number: number): boolean {
  return number % NUMBERS_PER_POSITION >= FIRST_GROUP_DIGIT;
}
