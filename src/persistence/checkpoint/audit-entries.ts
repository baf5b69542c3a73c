/**
 * Operators' actions, as the fold collects them and as the audit reads them: an entry for each fact that an operator
 * caused.
 *
 * There are few, so an entry is written three times, into the list of all, of its operator and of its account: a reader
 * then walks one list and looks nothing up. By time, which never goes back, and by the fact's sequence.
 */
import type { Fact } from '../../engine/fact.ts';
import { NO_REQUEST } from '../../engine/request-number.ts';
import { numbersKey } from '../codec/number-key.ts';
import { decodeJson, encodeJson, seal, unseal } from '../codec/sealed-row.ts';
import type { Table } from '../lmdb/lmdb-table.ts';
import type { Place } from './money/movement-row.ts';

const NAME = 'audit';
/** Stored by their place. */
const LISTS = ['all', 'operator', 'account'] as const;

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
  readonly lotId?: number;
  readonly supplierPurchaseId?: number;
  readonly targetOperatorId?: number;
  readonly eventId?: string;
  /** Orders that a search found: at most `MAX_FOUND_ITEMS`. */
  readonly orderIds?: readonly number[];
}

/** A list of entries: of all, of an operator, or of an account. */
export type AuditList = { readonly of: 'all' } | { readonly of: 'operator' | 'account'; readonly id: number };

export class AuditEntries {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  take(fact: Fact, position: number): void {
    const entry = auditEntryOf(fact, position);
    if (entry === undefined) return;
    const { operatorId, accountId } = entry;
    const payload = encodeJson(entry);
    this.#put({ of: 'all' }, entry, payload);
    this.#put({ of: 'operator', id: operatorId }, entry, payload);
    if (accountId !== undefined) this.#put({ of: 'account', id: accountId }, entry, payload);
  }

  /** All has been put. */
  flush(): void {}

  #put(list: AuditList, place: Place, payload: Buffer): void {
    const key = auditKey(list, place);
    this.#table.put(key, seal(key, payload));
  }
}

/** Undefined when no operator caused the fact. */
export function auditEntryOf(fact: Fact, seq: number): AuditEntry | undefined {
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
  table: Table,
  list: AuditList,
  fromMs: number,
  before: Place,
): IterableIterator<AuditEntry> {
  const start = auditKey(list, before);
  const end = auditKey(list, { atMs: fromMs, seq: 0 });
  for (const { key, value } of table.getRange({ start, end, reverse: true })) {
    // The range begins with its start, when there is such a row.
    if (!key.equals(start)) yield decodeJson<AuditEntry>(unseal(NAME, key, value));
  }
}

/** How many keys there are. */
export function countAuditRows(table: Table): number {
  return table.getKeysCount();
}

/** Undefined when there is no such entry. */
export function auditEntryAt(table: Table, list: AuditList, place: Place): AuditEntry | undefined {
  const key = auditKey(list, place);
  const row = table.get(key);
  return row && decodeJson<AuditEntry>(unseal(NAME, key, row));
}

function auditKey(list: AuditList, { atMs, seq }: Place): Buffer {
  return numbersKey(LISTS.indexOf(list.of), 'id' in list ? list.id : 0, atMs, seq);
}
