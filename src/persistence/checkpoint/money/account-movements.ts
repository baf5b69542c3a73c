/**
 * Each account's movements, as the fold collects them and as statements read them (`movement-row.ts`).
 *
 * Invariant: an account that has any movement has a last row (`lastRowKey`), and all its other rows are full and never
 * change. So to add a movement is one look-up at most, and none while the row is still in memory from the fold before:
 * accounts that buy often stay there, a bounded number of them.
 */
import { DamagedDataError } from '../../codec/byte-reader.ts';
import { ByteWriter } from '../../codec/byte-writer.ts';
import { readNumberKey } from '../../codec/number-key.ts';
import { sealIn, unseal } from '../../codec/sealed-row.ts';
import type { Table } from '../../lmdb/lmdb-table.ts';
import {
  CAPTURE,
  lastRowKey,
  MOVEMENT_COLUMNS,
  type Movement,
  type MovementDetails,
  movementKey,
  movementsOf,
  OpenMovementRow,
  type Place,
  readMovementHead,
} from './movement-row.ts';

const NAME = 'movements';
const NUMBER_BYTES = 8;
/** Rows that stay in memory between folds, of two kilobytes at most. */
const MAX_KEPT_ROWS = 2_048;
/** Within a fold, of however many accounts. */
const MAX_OPEN_ROWS = 8_192;

/** Before an account's first movement. */
const NOTHING = { seq: 0, balanceMicros: 0 };

export class AccountMovements {
  readonly #table: Table;
  readonly #scratch = new ByteWriter();
  readonly #rows = new Map<number, OpenMovementRow>();

  constructor(table: Table) {
    this.#table = table;
  }

  /**
   * An account's movements, after all those before: rows of `MOVEMENT_COLUMNS` numbers, from `start` on and before `end`.
   * Inside a transaction, like `flush`.
   */
  add(
    accountId: number,
    values: Float64Array,
    start: number,
    end: number,
    details: ReadonlyMap<number, MovementDetails>,
  ): void {
    const row = this.#rowOf(accountId);
    for (let at = start; at < end; at += MOVEMENT_COLUMNS) {
      if (values[at + 2] === CAPTURE) continue;
      const seq = values[at] ?? 0;
      if (row.isFull && row.first !== undefined) {
        this.#put(movementKey(accountId, row.first), row);
        row.startAnew();
      }
      row.add(
        seq,
        values[at + 1] ?? 0,
        values[at + 2] ?? 0,
        values[at + 3] ?? 0,
        values[at + 4] ?? 0,
        details.get(seq),
      );
    }
  }

  flush(): void {
    for (const [accountId, row] of this.#rows) if (row.isChanged) this.#put(lastRowKey(accountId), row);
    if (this.#rows.size > MAX_KEPT_ROWS) this.#rows.clear();
  }

  #rowOf(accountId: number): OpenMovementRow {
    let row = this.#rows.get(accountId);
    if (row === undefined) {
      if (this.#rows.size >= MAX_OPEN_ROWS) this.flush();
      row = this.#load(accountId);
      this.#rows.set(accountId, row);
    }
    return row;
  }

  #load(accountId: number): OpenMovementRow {
    const key = lastRowKey(accountId);
    const row = this.#table.get(key);
    return new OpenMovementRow(row && unseal(NAME, key, row));
  }

  #put(key: Buffer, row: OpenMovementRow): void {
    this.#scratch.reset();
    this.#scratch.bytes(row.encode());
    this.#table.put(key, sealIn(this.#scratch, key));
  }
}

/** The account's last movement before `toMs`: its sequence, and the wallet after it. Zeros when there is none. */
export function lastMovementBefore(
  table: Table,
  accountId: number,
  toMs: number,
): { readonly seq: number; readonly balanceMicros: number } {
  const payload = rowAround(table, accountId, { atMs: toMs, seq: 0 });
  if (payload === undefined) return NOTHING;
  const { first, last, balanceAfterMicros } = readMovementHead(payload);
  if (last.atMs < toMs) return { seq: last.seq, balanceMicros: balanceAfterMicros };
  // The account's first row may begin later.
  let found: { readonly seq: number; readonly balanceMicros: number } = NOTHING;
  if (first.atMs >= toMs) return found;
  for (const movement of movementsOf(payload)) {
    if (movement.atMs >= toMs) break;
    found = movement;
  }
  return found;
}

/**
 * The account's movements behind `after` and before `toMs`, oldest first. Reads a row when it is asked for the next
 * movement of it: not beyond this turn of the event loop.
 */
export function* movementsBehind(
  table: Table,
  accountId: number,
  after: Place,
  toMs: number,
): IterableIterator<Movement> {
  const start = rowKeyAround(table, accountId, after);
  for (const payload of rowsFrom(table, accountId, start)) {
    for (const movement of movementsOf(payload)) {
      if (movement.atMs >= toMs) return;
      if (isBehind(movement, after)) yield movement;
    }
  }
}

export function isBehind(place: Place, { atMs, seq }: Place): boolean {
  return place.atMs === atMs ? place.seq > seq : place.atMs > atMs;
}

/**
 * All movements, account by account; each row proves its own. Throws `DamagedDataError`, also when a row is of an account
 * that has no last row.
 */
export function* allMovements(table: Table): IterableIterator<{ accountId: number; movement: Movement }> {
  let rows = 0;
  for (const key of table.getKeys({ start: lastRowKey(0) })) {
    const accountId = readNumberKey(key, NUMBER_BYTES);
    for (const payload of rowsFrom(table, accountId, movementKey(accountId, { atMs: 0, seq: 0 }))) {
      rows += 1;
      for (const movement of movementsOf(payload)) yield { accountId, movement };
    }
  }
  if (rows !== table.getKeysCount()) throw new DamagedDataError('a row of movements belongs to no account');
}

/** The account's rows in their order, from the one with this key on. */
function* rowsFrom(table: Table, accountId: number, start: Buffer): IterableIterator<Buffer> {
  const last = lastRowKey(accountId);
  if (!start.equals(last)) {
    const end = movementKey(accountId + 1, { atMs: 0, seq: 0 });
    for (const { key, value } of table.getRange({ start, end })) yield unseal(NAME, key, value);
  }
  const row = table.get(last);
  if (row !== undefined) yield unseal(NAME, last, row);
}

/** The row in which the place is, or would be. */
function rowAround(table: Table, accountId: number, place: Place): Buffer | undefined {
  const key = rowKeyAround(table, accountId, place);
  const row = table.get(key);
  return row && unseal(NAME, key, row);
}

function rowKeyAround(table: Table, accountId: number, place: Place): Buffer {
  const last = lastRowKey(accountId);
  const row = table.get(last);
  if (row === undefined || !isBehind(readMovementHead(unseal(NAME, last, row)).first, place)) return last;
  const start = movementKey(accountId, place);
  for (const key of table.getKeys({ start, reverse: true, limit: 1 })) {
    if (readNumberKey(key) === accountId) return key;
  }
  // Before its first movement, whose row this is.
  for (const key of table.getKeys({ start, limit: 1 })) {
    if (readNumberKey(key) === accountId) return key;
  }
  return last;
}
