/**
 * The table of supplier purchases: every purchase that a supplier was asked for and whose end isn't known yet. Where
 * several sources were asked for one purchase of a buyer, each has its own here, one after the other.
 *
 * `held`: the supplier is being asked, the total is on hold, and the key waits for the answer. `pending`: the
 * order exists and the supplier has promised to deliver. `unresolved`: the buyer got nothing and paid nothing,
 * but the supplier may have delivered all the same, and must be asked; what comes of it enters own stock.
 *
 * Invariant: a supplier purchase leaves the table by a fact that says what became of it, so nothing that a supplier may
 * have sold is forgotten. Rows are replaced, never changed. Rejected: an order in state `processing` during the hold,
 * which would spend an order number on every refusal and show buyers an order that never was.
 */
import type { ChangedRows } from '../apply/changed-rows.ts';
import { NO_KEY, type PurchaseRequest } from '../orders.ts';
import type { PricedBy } from '../pricing/price-rule.ts';

export const SUPPLIER_PURCHASE_PHASES = ['held', 'pending', 'unresolved'] as const;
export type SupplierPurchasePhase = (typeof SUPPLIER_PURCHASE_PHASES)[number];

/** `SupplierPurchase.orderId` while there is no order. */
export const NO_ORDER = 0;

/** The answer to a buyer whose hold ends without a purchase (SPEC.md §7). */
export type ReleaseCode = 'OUT_OF_STOCK' | 'PURCHASE_FAILED' | 'PROVIDER_TIMEOUT' | 'IDEMPOTENCY_UNRESOLVED';

/** Why a supplier purchase is unresolved: what its buyer was answered, or that its order ended without the supplier. */
export type UnresolvedCause = ReleaseCode | 'ORDER_ENDED';

export interface SupplierPurchase extends PurchaseRequest, PricedBy {
  readonly supplierPurchaseId: number;
  /** The name of the purchase at the supplier. Never the same again, not even after an older backup was restored. */
  readonly reference: string;
  /** The reference of the first source that was asked, which the hold has. Absent when that is this one. */
  readonly holdReference?: string;
  readonly supplierId: number;
  readonly sku: string;
  /** On hold while it is `held`; the price of its order afterwards. */
  readonly totalMicros: number;
  readonly phase: SupplierPurchasePhase;
  /** The order that it is for: of a purchase from its charge on, of an order from the bot always. Else `NO_ORDER`. */
  readonly orderId: number;
  /** The cause of an `unresolved` one; else null. */
  readonly cause: UnresolvedCause | null;
  readonly createdAtMs: number;
}

export function supplierPurchaseReference(supplierPurchaseId: number, nowMs: number): string {
  return `pur_${supplierPurchaseId}_${nowMs}`;
}

const REFERENCE = /^pur_(\d{1,16})_\d{1,16}$/;

/** Undefined when it is no reference. */
export function supplierPurchaseIdIn(reference: string): number | undefined {
  const [, digits] = REFERENCE.exec(reference) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

export class SupplierPurchases {
  readonly #byId = new Map<number, SupplierPurchase>();
  /** Held purchases, by account and key. An account without any has no map. */
  readonly #held = new Map<number, Map<string, SupplierPurchase>>();
  /** Supplier purchases that are pending, or held for the payment of an order from the bot, by order. */
  readonly #byOrder = new Map<number, SupplierPurchase>();
  /** How many are held, by supplier. */
  readonly #heldCounts = new Map<number, number>();
  #heldCount = 0;
  #unresolvedCount = 0;
  /** How many are open, and how many of these unresolved, by supplier. */
  readonly #openCounts = new Map<number, number>();
  readonly #unresolvedCounts = new Map<number, number>();
  readonly #changed: ChangedRows;

  constructor(changed: ChangedRows) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(supplierPurchaseId: number): SupplierPurchase | undefined {
    return this.#byId.get(supplierPurchaseId);
  }

  /** How many are held, all together. */
  get heldCount(): number {
    return this.#heldCount;
  }

  /** How many are unresolved, all together. */
  get unresolvedCount(): number {
    return this.#unresolvedCount;
  }

  /** How many of a supplier are held. */
  heldCountOf(supplierId: number): number {
    return this.#heldCounts.get(supplierId) ?? 0;
  }

  /** How many of a supplier are open, in whatever phase. */
  openCountOf(supplierId: number): number {
    return this.#openCounts.get(supplierId) ?? 0;
  }

  /** How many of a supplier are unresolved. */
  unresolvedCountOf(supplierId: number): number {
    return this.#unresolvedCounts.get(supplierId) ?? 0;
  }

  heldBy(accountId: number, idempotencyKey: string): SupplierPurchase | undefined {
    return this.#held.get(accountId)?.get(idempotencyKey);
  }

  /** The supplier purchase that an order waits for, or its payment. */
  ofOrder(orderId: number): SupplierPurchase | undefined {
    return this.#byOrder.get(orderId);
  }

  ofReference(reference: string): SupplierPurchase | undefined {
    const supplierPurchase = this.#byId.get(supplierPurchaseIdIn(reference) ?? 0);
    return supplierPurchase?.reference === reference ? supplierPurchase : undefined;
  }

  /** Oldest first, which is by number: one that is replaced keeps its place. */
  values(): IterableIterator<SupplierPurchase> {
    return this.#byId.values();
  }

  /** Adds it, or puts it in the place of what it was. */
  set(supplierPurchase: SupplierPurchase): void {
    this.#changed.note(supplierPurchase.supplierPurchaseId);
    const before = this.#byId.get(supplierPurchase.supplierPurchaseId);
    if (before === undefined) this.#countOpen(supplierPurchase.supplierId, 1);
    this.#unlist(before);
    this.#byId.set(supplierPurchase.supplierPurchaseId, supplierPurchase);
    const { phase, accountId, idempotencyKey, orderId } = supplierPurchase;
    if (phase === 'unresolved') {
      this.#countUnresolved(supplierPurchase.supplierId, 1);
      return;
    }
    if (orderId !== NO_ORDER) this.#byOrder.set(orderId, supplierPurchase);
    if (phase === 'held') this.#countHeld(supplierPurchase.supplierId, 1);
    if (phase !== 'held' || idempotencyKey === NO_KEY) return;
    const held = this.#held.get(accountId);
    if (held === undefined) this.#held.set(accountId, new Map([[idempotencyKey, supplierPurchase]]));
    else held.set(idempotencyKey, supplierPurchase);
  }

  delete(supplierPurchaseId: number): void {
    this.#changed.note(supplierPurchaseId);
    const supplierPurchase = this.#byId.get(supplierPurchaseId);
    if (supplierPurchase !== undefined) this.#countOpen(supplierPurchase.supplierId, -1);
    this.#unlist(supplierPurchase);
    this.#byId.delete(supplierPurchaseId);
  }

  /** A row for each supplier at most. */
  #countOpen(supplierId: number, change: 1 | -1): void {
    this.#openCounts.set(supplierId, this.openCountOf(supplierId) + change);
  }

  /** A row for each supplier at most. */
  #countUnresolved(supplierId: number, change: 1 | -1): void {
    this.#unresolvedCount += change;
    this.#unresolvedCounts.set(supplierId, this.unresolvedCountOf(supplierId) + change);
  }

  /** A row for each supplier at most. */
  #countHeld(supplierId: number, change: 1 | -1): void {
    this.#heldCount += change;
    this.#heldCounts.set(supplierId, this.heldCountOf(supplierId) + change);
  }

  #unlist(supplierPurchase: SupplierPurchase | undefined): void {
    if (supplierPurchase === undefined) return;
    if (supplierPurchase.phase === 'unresolved') {
      this.#countUnresolved(supplierPurchase.supplierId, -1);
      return;
    }
    this.#byOrder.delete(supplierPurchase.orderId);
    if (supplierPurchase.phase !== 'held') return;
    this.#countHeld(supplierPurchase.supplierId, -1);
    const held = this.#held.get(supplierPurchase.accountId);
    held?.delete(supplierPurchase.idempotencyKey);
    if (held?.size === 0) this.#held.delete(supplierPurchase.accountId);
  }
}
