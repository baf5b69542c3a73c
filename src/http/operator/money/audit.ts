/**
 * GET /audit: the operators' acts, each with who and when, newest first. Every fact that an operator caused is an
 * entry, and nothing else is. The changes of an update are told by its fact, as long as the journal has it.
 */

import type { FactKind } from '../../../engine/fact.ts';
import { ROOT_NAME, ROOT_OPERATOR } from '../../../engine/origin.ts';
import type { State } from '../../../engine/state.ts';
import {
  type AuditEntry,
  type AuditList,
  auditNewestFirst,
  hasAuditEntry,
} from '../../../persistence/checkpoint/audit.ts';
import type { Place } from '../../../persistence/checkpoint/places.ts';
import { Slices } from '../../../shared/slices.ts';
import { type Fields, requestField } from '../../../views/operator-views.ts';
import { type ApiError, badRequest } from '../../errors.ts';
import { operatorName } from '../caller.ts';
import {
  BAD_CURSOR,
  BUSY,
  type CheckpointServices,
  cursorOf,
  fromCheckpoint,
  takeCursor,
} from '../checkpoint-answer.ts';
import { PERIOD_QUERY, type Period, parsePeriod } from '../moment.ts';
import type { OperatorContext } from '../operator-context.ts';
import { type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { READ_AUDIT } from '../operators/operator-operations.ts';
import { ORDER_QUERY } from '../orders/order-filter.ts';
import { PAGE_QUERY, parseInteger } from '../page.ts';

/** Entries that one call looks at when it asks for an operator and an account. */
const MAX_EXAMINED = 20_000;

const UPDATES: readonly string[] = [
  'AccountUpdated',
  'ProductUpdated',
  'SupplierUpdated',
  'PriceListUpdated',
  'PricesChanged',
] satisfies FactKind[];

interface AuditFilter {
  readonly operatorId: number | undefined;
  readonly accountId: number | undefined;
}

type Services = CheckpointServices & Pick<OperatorServices, 'feed'>;

const AUDIT_QUERY = {
  ...PERIOD_QUERY,
  operator: {
    type: 'string',
    description: 'The name of an operator: only what he did. The owner is `root`.',
  },
  accountId: ORDER_QUERY.accountId,
  ...PAGE_QUERY,
} as const;

export function auditRoutes(services: Services): OperatorRoute[] {
  return [
    operatorRoute('GET /audit', READ_AUDIT, (context) => answer(context, services), {
      query: AUDIT_QUERY,
    }),
  ];
}

function answer(context: OperatorContext, services: Services): void {
  const { query } = context;
  const period = parsePeriod(query);
  if ('error' in period) return context.fail(period.error);
  const filter = parseFilter(query, services.engine.state);
  if ('error' in filter) return context.fail(filter.error);
  const before = takeCursor(query, period);
  if (before !== undefined && 'error' in before) return context.fail(before.error);
  context.withPage(({ limit }) =>
    fromCheckpoint(context, services, async () => {
      if (before !== undefined && !isEntry(services, filter, before)) return context.fail(BAD_CURSOR);
      const start = before ?? endOf(period);
      const { entries, nextCursor } = await pageOfAudit(services, filter, period.fromMs, start, limit);
      const changes = await changesOf(services, entries);
      if (changes === 'busy') return context.fail(BUSY);
      const { state } = services.engine;
      const rows = entries.map((entry) => ({ ...entryView(state, entry), ...changes.get(entry.seq) }));
      context.succeed(200, { entries: rows, ...nextCursor });
    }),
  );
}

async function pageOfAudit(
  { checkpoint }: CheckpointServices,
  filter: AuditFilter,
  fromMs: number,
  before: Place,
  limit: number,
): Promise<{ entries: AuditEntry[]; nextCursor: Fields }> {
  const slices = new Slices();
  const entries: AuditEntry[] = [];
  let last = before;
  for (let examined = 0; ; ) {
    let isPaused = false;
    for (const entry of auditNewestFirst(checkpoint, listOf(filter), fromMs, last)) {
      if (entries.length === limit || examined === MAX_EXAMINED) {
        return { entries, nextCursor: { nextCursor: cursorOf(last) } };
      }
      last = entry;
      examined += 1;
      if (filter.operatorId === undefined || entry.operatorId === filter.operatorId) entries.push(entry);
      isPaused = slices.isFull;
      if (isPaused) break;
    }
    if (!isPaused) return { entries, nextCursor: {} };
    await slices.rest();
  }
}

/** The field `changes` of updates, by their sequence. */
async function changesOf(
  { feed }: Services,
  entries: readonly AuditEntry[],
): Promise<ReadonlyMap<number, Fields> | 'busy'> {
  const updates = entries.filter(({ action }) => UPDATES.includes(action)).map(({ seq }) => seq);
  const lines = await feed.lines(updates.reverse());
  if (lines === 'busy') return lines;
  const facts = lines.map((line) => JSON.parse(line) as { readonly seq: number; readonly changes?: unknown });
  return new Map(facts.map(({ seq, changes }) => [seq, changes === undefined ? {} : { changes }]));
}

function isEntry({ checkpoint }: CheckpointServices, filter: AuditFilter, place: Place): boolean {
  return hasAuditEntry(checkpoint, listOf(filter), place);
}

/** The shorter one is mostly that of the account. */
function listOf({ operatorId, accountId }: AuditFilter): AuditList {
  if (accountId !== undefined) return { of: 'account', id: accountId };
  return operatorId === undefined ? { of: 'all' } : { of: 'operator', id: operatorId };
}

function parseFilter(query: URLSearchParams, state: State): AuditFilter | { readonly error: ApiError } {
  const name = query.get('operator');
  const account = query.get('accountId');
  const operatorId = name === null ? undefined : operatorIdOf(state, name);
  const accountId = account === null ? undefined : parseInteger(account);
  if (Number.isNaN(accountId)) return { error: badRequest('accountId must be an id.') };
  if (operatorId !== undefined || name === null) return { operatorId, accountId };
  const said = JSON.stringify(name.slice(0, 80));
  return { error: badRequest(`There is no operator ${said}, and never was: GET /operators lists them.`) };
}

function operatorIdOf(state: State, name: string): number | undefined {
  if (name === ROOT_NAME) return ROOT_OPERATOR;
  for (const { operatorId, profile } of state.operators.values())
    if (profile.name === name) return operatorId;
  return undefined;
}

/** The place behind the last entry of a period. */
function endOf({ toMs }: Period): Place {
  return { atMs: Math.min(toMs, Number.MAX_SAFE_INTEGER), seq: 0 };
}

function entryView(state: State, entry: AuditEntry): Fields {
  const { seq, atMs, operatorId, action, reason, requestNumber, targetOperatorId, ...about } = entry;
  return {
    seq,
    at: atMs,
    operator: operatorName(state, operatorId),
    action,
    ...(reason === undefined ? {} : { reason }),
    ...requestField(requestNumber),
    ...about,
    ...(targetOperatorId === undefined ? {} : { targetOperator: operatorName(state, targetOperatorId) }),
  };
}
