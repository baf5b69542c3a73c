/**
 * GET /accounts/{id}/statement: the movements of an account's wallet in a period, and the balances before and after.
 *
 * Invariant: the answer on a period that has ended is always the same, byte by byte, but for `requestId`: it follows
 * from facts, and a name of an operator is never given twice. `position` ties it to the journal: the hash is that of
 * the frame with the account's last movement before `to`, and names all of the journal before it.
 */

import { endOfReference, orderOf } from '../../../engine/decide/history.ts';
import { usdtFromMicros } from '../../../engine/money.ts';
import { NO_ORDER } from '../../../engine/supplying/supplier-purchases.ts';
import {
  lastMovementBefore,
  type Movement,
  movementsBehind,
} from '../../../persistence/checkpoint/movements.ts';
import type { Place } from '../../../persistence/checkpoint/places.ts';
import { GENESIS } from '../../../persistence/journal/frame-log.ts';
import type { Fields } from '../../../views/operator-views.ts';
import { ACCOUNT_NOT_FOUND } from '../accounts/accounts.ts';
import { operatorName } from '../caller.ts';
import { BAD_CURSOR, BUSY, cursorOf, fromCheckpoint, takeCursor } from '../checkpoint-answer.ts';
import { csvFormOf, EXCEL_QUERY, replyCsv } from '../csv-listing.ts';
import type { CsvForm } from '../csv-text.ts';
import { type Period, parseZonedPeriod, ZONED_PERIOD_QUERY } from '../moment.ts';
import type { OperatorContext } from '../operator-context.ts';
import { type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { PAGE_QUERY, type Page } from '../page.ts';
import type { TimeZone } from '../time-zone.ts';
import { READ_STATEMENT } from './money-operations.ts';
import { StatementCsv } from './statement-csv.ts';

const GENESIS_FRAME = { hash: GENESIS.hash.toString('hex') };

/** The services that a statement is read from. */
type Services = Pick<OperatorServices, 'engine' | 'history' | 'checkpointer' | 'checkpoint' | 'feed'>;

type ZonedPeriod = Period & { readonly zone: TimeZone };

export function statementRoutes(services: Services): OperatorRoute[] {
  return [
    operatorRoute('GET /accounts/{id}/statement', READ_STATEMENT, (context) => answer(context, services), {
      query: { ...ZONED_PERIOD_QUERY, ...PAGE_QUERY, ...EXCEL_QUERY },
    }),
  ];
}

function answer(context: OperatorContext, services: Services): void {
  const { query } = context;
  const period = parseZonedPeriod(query);
  if ('error' in period) return context.fail(period.error);
  const csv = csvFormOf(context);
  if ('error' in csv) return context.fail(csv.error);
  const after = takeCursor(query, period);
  if (after !== undefined && 'error' in after) return context.fail(after.error);
  if (services.engine.state.accounts.get(context.id) === undefined) {
    return context.failWhenDurable(ACCOUNT_NOT_FOUND);
  }
  context.withPage((page) =>
    fromCheckpoint(context, services, async () => {
      if (csv.form !== undefined) sendCsv(context, services, period, csv.form);
      else await sendPage(context, services, period, after, page);
    }),
  );
}

async function sendPage(
  context: OperatorContext,
  services: Services,
  period: ZonedPeriod,
  after: Place | undefined,
  { limit }: Page,
): Promise<void> {
  const { checkpoint } = services;
  const { fromMs, toMs } = period;
  if (after !== undefined && !isMovementOf(services, context.id, after)) return context.fail(BAD_CURSOR);
  const opening = lastMovementBefore(checkpoint, context.id, fromMs);
  const closing = lastMovementBefore(checkpoint, context.id, toMs);
  const movements: Movement[] = [];
  const start = after ?? beginningOf(period);
  let nextCursor: Fields = {};
  for (const movement of movementsBehind(checkpoint, context.id, start, toMs)) {
    const last = movements.at(-1);
    if (movements.length === limit && last !== undefined) {
      nextCursor = { nextCursor: cursorOf(last) };
      break;
    }
    movements.push(movement);
  }
  const told = closing.seq === 0 ? GENESIS_FRAME : await services.feed.hashOf(closing.seq);
  if (told === 'busy') return context.fail(BUSY);
  context.succeed(200, {
    openingUsdt: usdtFromMicros(opening.balanceMicros),
    closingUsdt: usdtFromMicros(closing.balanceMicros),
    timeZone: period.zone.name,
    movements: movements.map((movement) => movementView(services, movement, toMs)),
    position: { seq: closing.seq, ...told },
    ...nextCursor,
  });
}

function sendCsv(context: OperatorContext, services: Services, period: ZonedPeriod, form: CsvForm): void {
  const { engine, checkpoint } = services;
  // Of a period that goes on, what comes meanwhile is left to the next statement.
  const { seq: lastSeq } = lastMovementBefore(checkpoint, context.id, period.toMs);
  const body = new StatementCsv({
    movements: (after) => movementsBehind(checkpoint, context.id, after, period.toMs),
    start: beginningOf(period),
    lastSeq,
    nameOf: (operatorId) => operatorName(engine.state, operatorId),
    orderOf: (movement) => orderIdOf(services, movement, period.toMs),
    zone: period.zone,
    form,
  });
  replyCsv(context, body);
}

/** A cursor is the place of a movement: one of another account's would leave out some without a word. */
function isMovementOf({ checkpoint }: Services, accountId: number, { atMs, seq }: Place): boolean {
  const before = { atMs, seq: seq - 1 };
  for (const movement of movementsBehind(checkpoint, accountId, before, atMs + 1))
    return movement.atMs === atMs && movement.seq === seq;
  return false;
}

/** Sequences begin with 1. */
function beginningOf({ fromMs }: Period): Place {
  return { atMs: fromMs, seq: 0 };
}

/**
 * The order that it is about. A hold is placed before there is one: it is the order that it became within the period, so
 * that a period that has ended says the same for ever.
 */
function orderIdOf(
  { engine: { state }, history }: Services,
  { kind, orderId, reference }: Movement,
  toMs: number,
): number {
  if (kind !== 'hold' || orderId !== NO_ORDER) return orderId;
  const open = state.supplierPurchases.ofReference(reference);
  const purchase = open ?? endOfReference(state, history, reference)?.supplierPurchase;
  const order = purchase === undefined ? undefined : orderOf(state, history, purchase.orderId);
  return order !== undefined && order.createdAtMs < toMs ? order.orderId : NO_ORDER;
}

function movementView(services: Services, movement: Movement, toMs: number): Fields {
  const { engine } = services;
  const { seq, atMs, kind, changeMicros, balanceMicros, reference, operatorId, reason } = movement;
  const orderId = orderIdOf(services, movement, toMs);
  return {
    seq,
    at: atMs,
    kind,
    amountUsdt: usdtFromMicros(changeMicros),
    balanceUsdt: usdtFromMicros(balanceMicros),
    ...(orderId === NO_ORDER ? {} : { orderId }),
    ...(reference === '' ? {} : { reference }),
    ...(operatorId === undefined ? {} : { operator: operatorName(engine.state, operatorId) }),
    ...(reason === undefined ? {} : { reason }),
  };
}
