/**
 * Which outcome a key already has: purchases by `Idempotency-Key`, wallet credits by `reference`, and operators' calls
 * by their `Idempotency-Key`.
 *
 * Keys belong to the account, or to the operator, and never expire (SPEC.md §4). Memory holds those that are younger
 * than the checkpoint, in two generations (`generations.ts`); the others are looked up through the `History` port.
 * Beside a key there is only a reference to its outcome: the order itself is among the recent orders, put there by the
 * same fact.
 */
import { BrokenInvariantError } from '../apply/broken-invariant.ts';
import type { ItemRange } from '../item-ranges.ts';
import type { Order, PurchaseOutcome, PurchaseRequest, StoredRefusal } from '../orders.ts';
import type { CallKey } from '../origin.ts';
import { keyHash } from '../recent/key-hash.ts';
import { readRef, refOfOrder, refOfRefusal } from '../recent/key-ref.ts';
import { RecentKeys } from '../recent/recent-keys.ts';
import { RecentMap } from '../recent/recent-map.ts';
import type { RecentOrders } from '../recent/recent-orders.ts';

/** The owner of a transfer's reference, which credits one account, whichever: no account has this id. */
export const ANY_ACCOUNT = 0;

export interface CreditOutcome {
  readonly accountId: number;
  readonly reference: string;
  /** Negative when the operator adjusted down. */
  readonly amountMicros: number;
  readonly balanceAfterMicros: number;
}

export interface CreditResult {
  readonly credit: CreditOutcome;
  readonly replayed: boolean;
}

/** `KeyedCall.id` of an upload that added nothing. */
export const NO_LOT = 0;

/** The outcome of an operator's call with a key (`keyed-calls.ts`). */
export interface KeyedCall {
  readonly operatorId: number;
  readonly key: string;
  readonly digest: string;
  /** The number of what was made, or of that to which it was done: an account, a lot or `NO_LOT`, a product … */
  readonly id: number;
  /** The product's stock right after an upload or a withdrawal; absent for other calls. */
  readonly availableStock?: number;
  /** The items that were withdrawn. */
  readonly ranges?: readonly ItemRange[];
  /** As of `CallKey`. */
  readonly said?: CallKey['said'];
}

export class Idempotency {
  /** By the journal position of their facts. */
  readonly refusals = new RecentMap<number, StoredRefusal>();
  readonly keys = new RecentKeys((ref, accountId, key) => {
    const led = readRef(ref);
    if ('orderId' in led) return this.#orders.isOf(led.orderId, accountId, key);
    const refusal = this.refusals.get(led.refusedAt);
    return refusal?.accountId === accountId && refusal.idempotencyKey === key;
  });
  readonly #credits = new RecentMap<string, CreditOutcome>();
  readonly #calls = new RecentMap<string, KeyedCall>();
  readonly #orders: RecentOrders;
  /** The key that was hashed last: a purchase's is asked for and then added. */
  #hashed = { accountId: 0, key: '', hash: keyHash(0, '') };

  constructor(orders: RecentOrders) {
    this.#orders = orders;
  }

  get size(): number {
    return this.keys.size + this.#credits.size + this.#calls.size;
  }

  /** The `keyHash` of an account's key. */
  hashOf(accountId: number, key: string): number {
    const hashed = this.#hashed;
    if (hashed.key !== key || hashed.accountId !== accountId) {
      hashed.accountId = accountId;
      hashed.key = key;
      hashed.hash = keyHash(accountId, key);
    }
    return hashed.hash;
  }

  /** As it is now, unless it is older than the checkpoint. */
  purchase(accountId: number, key: string): PurchaseOutcome | undefined {
    const ref = this.keys.get(this.hashOf(accountId, key), accountId, key);
    return ref === undefined ? undefined : this.#outcomeOf(ref);
  }

  /** Adds the key of an order that the same fact added. */
  addOrder(order: Order): void {
    this.#add(order, refOfOrder(order.orderId));
  }

  addRefusal(refusal: StoredRefusal, position: number): void {
    this.#add(refusal, refOfRefusal(position));
    this.refusals.add(position, refusal);
  }

  credit(accountId: number, reference: string): CreditOutcome | undefined {
    return this.#credits.get(ownedKey(accountId, reference));
  }

  addCredit(credit: CreditOutcome, ownerId = credit.accountId): void {
    this.#credits.add(ownedKey(ownerId, credit.reference), credit);
  }

  call(operatorId: number, key: string): KeyedCall | undefined {
    return this.#calls.get(ownedKey(operatorId, key));
  }

  addCall(call: KeyedCall): void {
    this.#calls.add(ownedKey(call.operatorId, call.key), call);
  }

  cut(): void {
    this.keys.cut();
    this.refusals.cut();
    this.#credits.cut();
    this.#calls.cut();
  }

  dropOlder(): void {
    this.keys.dropOlder();
    this.refusals.dropOlder();
    this.#credits.dropOlder();
    this.#calls.dropOlder();
  }

  #add({ accountId, idempotencyKey }: PurchaseRequest, ref: number): void {
    const hash = this.hashOf(accountId, idempotencyKey);
    this.keys.add(hash, accountId, idempotencyKey, ref);
  }

  #outcomeOf(ref: number): PurchaseOutcome {
    const led = readRef(ref);
    const outcome = 'orderId' in led ? this.#orders.get(led.orderId) : this.refusals.get(led.refusedAt);
    if (outcome === undefined) throw new BrokenInvariantError(`the outcome ${ref} of a key is not in memory`);
    return outcome;
  }
}

function ownedKey(ownerId: number, text: string): string {
  return `${ownerId} ${text}`;
}
