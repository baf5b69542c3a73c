/**
 * Holds movements, sums by day and audit against the journal's facts, as `purser verify` replays them.
 *
 * Movements of all accounts come mixed in the journal and account by account in the table: each, with the wallet as the
 * replay has it, is mixed into a number, and the numbers must be equal (`key-audit.ts`). Days come one after the other, so
 * one day's sums are in memory. Entries of the audit are few, and looked up.
 */
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { BrokenInvariantError } from '../../../engine/apply/broken-invariant.ts';
import {
  addChange,
  type MoneyChange,
  type MoneySums,
  moneyChangeOf,
  noSums,
  walletChangeMicros,
} from '../../../engine/apply/money-change.ts';
import type { Fact } from '../../../engine/fact.ts';
import type { State } from '../../../engine/state.ts';
import { DamagedDataError } from '../../codec/byte-reader.ts';
import { type AuditList, auditEntryAt, auditEntryOf, countAuditRows } from '../audit-entries.ts';
import type { CheckpointTables } from '../checkpoint-tables.ts';
import { KeySum } from '../keys/key-audit.ts';
import { allMovements, isBehind } from './account-movements.ts';
import { allDaySums, dayOf, daySumsOf, idIn, SUMS_OF, type SumsOf } from './day-sums.ts';
import type { Movement } from './movement-row.ts';

type Tables = Pick<CheckpointTables, 'movements' | 'daySums' | 'audit'>;

export class MoneyCheck {
  readonly #tables: Tables;
  readonly #movements = new KeySum();
  #day = 0;
  /** Sums of that day. */
  readonly #sums = SUMS_OF.map((of) => ({ of, rows: new Map<number, MoneySums>() }));
  #sumRows = 0;
  #auditRows = 0;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** `replayed` is the state right after the fact. Throws `DamagedDataError`, as `finish` does. */
  add(fact: Fact, replayed: State): void {
    this.#addAudit(fact, replayed.position);
    const change = moneyChangeOf(fact);
    if (change === undefined) return;
    this.#addSums(change, dayOf(fact.atMs));
    if (change.kind !== 'capture') this.#addMovement(change, fact, replayed);
  }

  /** When all facts that the checkpoint reflects have been added. */
  finish(): void {
    this.#endDay();
    const { movements, daySums, audit } = this.#tables;
    const found = new KeySum();
    let before: { accountId: number; movement: Movement } | undefined;
    for (const row of allMovements(movements)) {
      if (before?.accountId === row.accountId && !isBehind(row.movement, before.movement)) {
        throw new DamagedDataError(`the movements of account ${row.accountId} are not in their order`);
      }
      before = row;
      addTo(found, row.accountId, row.movement);
    }
    if (!found.equals(this.#movements)) {
      throw new DamagedDataError("the accounts' movements in the checkpoint differ from the journal");
    }
    let sumRows = 0;
    for (const _ of allDaySums(daySums)) sumRows += 1;
    if (sumRows !== this.#sumRows || countAuditRows(audit) !== this.#auditRows) {
      throw new DamagedDataError(
        'the checkpoint has sums by day, or entries of the audit, that no fact explains',
      );
    }
  }

  #addMovement(change: MoneyChange, { atMs, origin }: Fact, replayed: State): void {
    const { accountId, kind, orderId, reference } = change;
    const account = replayed.accounts.get(accountId);
    if (account === undefined)
      throw new BrokenInvariantError(`account ${accountId} has money and does not exist`);
    const { operatorId, reason } = origin ?? {};
    const mover = operatorId === undefined ? {} : { operatorId, ...(reason === undefined ? {} : { reason }) };
    addTo(this.#movements, accountId, {
      seq: replayed.position,
      atMs,
      kind,
      changeMicros: walletChangeMicros(change),
      balanceMicros: account.walletMicros,
      orderId,
      reference,
      ...mover,
    });
  }

  #addSums(change: MoneyChange, day: number): void {
    if (day !== this.#day) this.#endDay();
    this.#day = day;
    for (const { of, rows } of this.#sums) {
      const id = idIn(of, change);
      if (id === undefined) continue;
      const sums = rows.get(id) ?? noSums();
      rows.set(id, sums);
      addChange(sums, change);
    }
  }

  #endDay(): void {
    for (const { of, rows } of this.#sums) {
      for (const [id, sums] of rows) this.#expectSums(of, id, sums);
      this.#sumRows += rows.size;
      rows.clear();
    }
  }

  #expectSums(of: SumsOf, id: number, sums: MoneySums): void {
    if (isDeepStrictEqual(daySumsOf(this.#tables.daySums, of, id, this.#day), sums)) return;
    throw new DamagedDataError(
      `the sums of ${of} ${id} on day ${this.#day} are missing in the checkpoint, or differ from the journal`,
    );
  }

  #addAudit(fact: Fact, position: number): void {
    const entry = auditEntryOf(fact, position);
    if (entry === undefined) return;
    const { operatorId, accountId } = entry;
    const lists: AuditList[] = [{ of: 'all' }, { of: 'operator', id: operatorId }];
    if (accountId !== undefined) lists.push({ of: 'account', id: accountId });
    for (const list of lists) {
      if (isDeepStrictEqual(auditEntryAt(this.#tables.audit, list, entry), entry)) continue;
      throw new DamagedDataError(
        `fact ${position} is missing in the audit of the checkpoint, or differs from the journal`,
      );
    }
    this.#auditRows += lists.length;
  }
}

function addTo(sum: KeySum, accountId: number, movement: Movement): void {
  const { seq, atMs, kind, changeMicros, balanceMicros, orderId, reference, operatorId, reason } = movement;
  const text = JSON.stringify([
    accountId,
    atMs,
    kind,
    changeMicros,
    balanceMicros,
    orderId,
    reference,
    operatorId,
    reason,
  ]);
  sum.add(crc32(text), seq);
}
