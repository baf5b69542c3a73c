/**
 * Operators' actions, as the fold collects them and as the audit reads them: an entry for each fact that an operator
 * caused, by its position, and lists of the entries of an operator and of an account.
 */
import type { Fact } from '../../engine/fact.ts';
import { NO_REQUEST } from '../../engine/request-number.ts';
import { decodeJson } from '../codec/sealed-row.ts';
import type { StoreReader } from '../store/store-reader.ts';
import type { StoreTable } from '../store/store-table.ts';
import { type Place, positionOf } from './places.ts';
import type { RowBatches } from './row-batches.ts';
import { TABLES } from './tables.ts';

export interface AuditEntry extends Place {
  readonly operatorId: number;
  /** The fact's kind, or what it says that was done. */
  readonly action: string;
  readonly requestNumber: number;
  readonly reason?: string;
  /** The subjects of the action, by their ids, as far as it has them. */
  readonly accountId?: number;
  readonly productId?: number;
  readonly orderId?: number;
  readonly supplierId?: number;
  readonly priceListId?: number;
  readonly lotId?: number;
  readonly supplierPurchaseId?: number;
  readonly targetOperatorId?: number;
  readonly eventId?: string;
  /** Orders that a search found: at most `MAX_FOUND_ITEMS`. */
  readonly orderIds?: readonly number[];
}

/** A list of entries: of all, of an operator, or of an account. */
export type AuditList = { readonly of: 'all' } | { readonly of: 'operator' | 'account'; readonly id: number };

export function takeAudit(rows: RowBatches, fact: Fact, position: number): void {
  const entry = auditEntryOf(fact, position);
  if (entry === undefined) return;
  rows.put(TABLES.audit, position, 0, entry);
  rows.of(TABLES.operatorAudit).add(entry.operatorId, position);
  if (entry.accountId !== undefined) rows.of(TABLES.accountAudit).add(entry.accountId, position);
}

/** Undefined when no operator caused the fact. */
function auditEntryOf(fact: Fact, seq: number): AuditEntry | undefined {
  const { operatorId, reason, requestNumber = NO_REQUEST } = fact.origin ?? {};
  if (operatorId === undefined) return undefined;
  return {
    seq,
    atMs: fact.atMs,
    operatorId,
    action: fact.kind === 'OperatorActed' ? fact.action : fact.kind,
    requestNumber,
    ...(reason === undefined ? {} : { reason }),
    ...subjectOf(fact),
  };
}

/** The ids that a fact has, wherever its kind has them. */
function subjectOf(fact: Fact): Omit<AuditEntry, 'seq' | 'atMs' | 'operatorId' | 'action' | 'requestNumber'> {
  if (
    fact.kind === 'OperatorCreated' ||
    fact.kind === 'OperatorTokenIssued' ||
    fact.kind === 'OperatorRevoked'
  )
    return idsOf({ targetOperatorId: fact.operatorId });
  if (fact.kind === 'PricesChanged' && fact.prices.length === 1) {
    return idsOf({ ...fact, productId: fact.prices[0]?.productId });
  }
  if (fact.kind === 'LotRecalled') return idsOf({ ...fact.lot });
  if (fact.kind === 'StockAdded') return idsOf({ productId: fact.productId, lotId: fact.lot.lotId });
  if (fact.kind === 'ItemsSearched') {
    const orderIds = [...new Set(fact.found.flatMap(({ orderId }) => orderId ?? []))];
    return { ...idsOf({ ...fact }), ...(orderIds.length === 0 ? {} : { orderIds }) };
  }
  if (fact.kind === 'OperatorActed' && fact.eventId !== undefined) {
    return { ...idsOf({ ...fact }), eventId: fact.eventId };
  }
  if ('order' in fact) return idsOf({ ...fact.order });
  if ('credit' in fact) return idsOf({ ...fact.credit });
  if ('supplierPurchase' in fact) return idsOf({ ...fact.supplierPurchase });
  return idsOf({ ...fact });
}

const ID_FIELDS = [
  'accountId',
  'productId',
  'orderId',
  'supplierId',
  'priceListId',
  'lotId',
  'supplierPurchaseId',
  'targetOperatorId',
] as const;

/** An id of 0 is none. */
function idsOf(row: Readonly<Record<string, unknown>>): Record<string, number> {
  const ids: Record<string, number> = {};
  for (const field of ID_FIELDS) {
    const id = row[field];
    if (typeof id === 'number' && (id > 0 || field === 'targetOperatorId')) ids[field] = id;
  }
  return ids;
}

/**
 * Newest first, those at or after `fromMs` and before `before`. Not beyond this turn of the event loop.
 */
export function* auditNewestFirst(
  store: StoreReader,
  list: AuditList,
  fromMs: number,
  before: Place,
): IterableIterator<AuditEntry> {
  const end = positionOf(before, store.list.position, (position) => {
    for (const seq of positions(store, list, position, Number.MAX_SAFE_INTEGER))
      return entryAt(store, seq)?.atMs;
    return undefined;
  });
  for (const seq of positions(store, list, end - 1, -1)) {
    const entry = entryAt(store, seq);
    if (entry === undefined) continue;
    if (entry.atMs < fromMs) return;
    yield entry;
  }
}

/** Whether the list has an entry there. */
export function hasAuditEntry(store: StoreReader, list: AuditList, { atMs, seq }: Place): boolean {
  for (const first of positions(store, list, seq, seq + 1)) return entryAt(store, first)?.atMs === atMs;
  return false;
}

/** Positions of the list's entries from `from` to before `to`, downwards when that is less. */
function* positions(store: StoreReader, list: AuditList, from: number, to: number): IterableIterator<number> {
  const reverse = to < from;
  if (list.of === 'all') {
    for (const { a } of store.range(TABLES.audit, { fromA: from, toA: to, reverse })) yield a;
    return;
  }
  const table: StoreTable = list.of === 'operator' ? TABLES.operatorAudit : TABLES.accountAudit;
  const range = { fromA: list.id, fromB: from, toA: list.id, toB: to, reverse };
  for (const { b } of store.range(table, range)) yield b;
}

function entryAt(store: StoreReader, seq: number): AuditEntry | undefined {
  return store.get(TABLES.audit, seq, 0, decodeJson<AuditEntry>);
}
