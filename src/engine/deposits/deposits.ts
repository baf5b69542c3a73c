/**
 * The tables of deposits and of unclaimed transfers. Both are bounded: `MAX_DEPOSITS`, `MAX_UNCLAIMED_TRANSFERS`, whose
 * largest are kept.
 *
 * Invariant: a transfer that is credited is in neither; its reference is a credit's (`Idempotency`). At most one
 * deposit of an amount at an address takes a transfer: who opens one chooses an amount that is free.
 */
import { BrokenInvariantError } from '../apply/broken-invariant.ts';
import type { ChangedRows } from '../apply/changed-rows.ts';
import { type Deposit, LATE_MS, SHOWN_MS, type UnclaimedTransfer } from './deposit.ts';

export class Deposits {
  readonly #changed: ChangedRows;
  readonly #byId = new Map<number, Deposit>();
  /** By account, those without a transfer. */
  readonly #unpaidOf = new Map<number, Set<Deposit>>();
  /** By network, address and amount: the youngest, if it has no transfer. */
  readonly #unpaid = new Map<string, Deposit>();

  constructor(changed: ChangedRows) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(depositId: number): Readonly<Deposit> | undefined {
    return this.#byId.get(depositId);
  }

  /** By id. */
  values(): IterableIterator<Readonly<Deposit>> {
    return this.#byId.values();
  }

  /** The deposit that a transfer of this amount pays: one that waits, or has expired lately. */
  paidBy(network: string, address: string, payMicros: number, nowMs: number): Readonly<Deposit> | undefined {
    const unpaid = this.#unpaid.get(placeOf({ network, address, payMicros }));
    return unpaid !== undefined && nowMs < unpaid.expiresAtMs + LATE_MS ? unpaid : undefined;
  }

  /** Whether a transfer of this amount may yet come for a deposit: for one that ended, too, while it is remembered. */
  mayCome(network: string, address: string, payMicros: number): boolean {
    return this.#unpaid.has(placeOf({ network, address, payMicros }));
  }

  /** How many of the account's wait. */
  waitingOf(accountId: number, nowMs: number): number {
    let waiting = 0;
    for (const { expiresAtMs } of this.#unpaidOf.get(accountId) ?? []) if (nowMs < expiresAtMs) waiting += 1;
    return waiting;
  }

  /** Ids of the oldest ones, at most so many, that nobody needs any more. */
  ended(nowMs: number, most: number): number[] {
    const ids: number[] = [];
    for (const { depositId, createdAtMs, expiresAtMs } of this.#byId.values()) {
      const isEnded = nowMs >= Math.max(createdAtMs + SHOWN_MS, expiresAtMs + LATE_MS);
      if (!isEnded || ids.length === most) break;
      ids.push(depositId);
    }
    return ids;
  }

  add(deposit: Deposit): void {
    const { depositId, accountId, reference } = deposit;
    this.#byId.set(depositId, deposit);
    this.#changed.note(depositId);
    if (reference !== undefined) return;
    this.#unpaid.set(placeOf(deposit), deposit);
    this.#unpaidOf.set(accountId, (this.#unpaidOf.get(accountId) ?? new Set()).add(deposit));
  }

  pay(depositId: number, reference: string): void {
    const deposit = this.#byId.get(depositId);
    if (deposit === undefined || deposit.reference !== undefined)
      throw new BrokenInvariantError(`deposit ${depositId} doesn't wait for a transfer`);
    this.#forget(deposit);
    deposit.reference = reference;
    this.#changed.note(depositId);
  }

  delete(depositId: number): void {
    const deposit = this.#byId.get(depositId);
    if (deposit === undefined) return;
    this.#forget(deposit);
    this.#byId.delete(depositId);
    this.#changed.note(depositId);
  }

  #forget(deposit: Deposit): void {
    const place = placeOf(deposit);
    if (this.#unpaid.get(place) === deposit) this.#unpaid.delete(place);
    const others = this.#unpaidOf.get(deposit.accountId);
    others?.delete(deposit);
    if (others?.size === 0) this.#unpaidOf.delete(deposit.accountId);
  }
}

function placeOf({
  network,
  address,
  payMicros,
}: Pick<Deposit, 'network' | 'address' | 'payMicros'>): string {
  return `${network} ${address} ${payMicros}`;
}

export class UnclaimedTransfers {
  readonly #changed: ChangedRows;
  readonly #byPosition = new Map<number, UnclaimedTransfer>();
  readonly #positions = new Map<string, number>();

  constructor(changed: ChangedRows) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#byPosition.size;
  }

  get(position: number): UnclaimedTransfer | undefined {
    return this.#byPosition.get(position);
  }

  of(reference: string): UnclaimedTransfer | undefined {
    return this.get(this.#positions.get(reference) ?? 0);
  }

  /** The oldest first. */
  values(): IterableIterator<UnclaimedTransfer> {
    return this.#byPosition.values();
  }

  /** The oldest of the smallest. */
  smallest(): UnclaimedTransfer | undefined {
    let smallest: UnclaimedTransfer | undefined;
    for (const transfer of this.#byPosition.values())
      if (smallest === undefined || transfer.amountMicros < smallest.amountMicros) smallest = transfer;
    return smallest;
  }

  add(transfer: UnclaimedTransfer): void {
    this.#byPosition.set(transfer.position, transfer);
    this.#positions.set(transfer.reference, transfer.position);
    this.#changed.note(transfer.position);
  }

  /** If it is there. */
  delete(reference: string): void {
    const position = this.#positions.get(reference);
    if (position === undefined) return;
    this.#positions.delete(reference);
    this.#byPosition.delete(position);
    this.#changed.note(position);
  }
}
