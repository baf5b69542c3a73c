/**
 * An audit of the node: whether it acts on the answers of suppliers and nothing else (docs/suppliers.md, the table of
 * SPEC.md §4). The audit sees the answers that come out of the port, and the commands that the node makes of them.
 */
import { strict as assert } from 'node:assert';
import type { Command } from '../../src/engine/decide/command.ts';
import type { SupplierPurchase } from '../../src/engine/supplying/supplier-purchases.ts';
import type { ProgressAnswer, PurchaseAnswer } from '../../src/suppliers/supplier-port.ts';

const TIMEOUT_MS = 15_000;
const UNKNOWN_FOR_GOOD_MS = 10 * 60_000;

/** How a purchase ends that got this answer at first. */
const ENDS: Readonly<Record<string, readonly [code: string, isUnresolved: boolean]>> = {
  out_of_stock: ['OUT_OF_STOCK', false],
  unreached: ['PURCHASE_FAILED', false],
  failed: ['PURCHASE_FAILED', true],
  timeout: ['PROVIDER_TIMEOUT', true],
};
const INTERRUPTED: readonly [string, boolean] = ['IDEMPOTENCY_UNRESOLVED', true];

export class SupplierPurchaseAudit {
  readonly #first = new Map<string, PurchaseAnswer>();
  readonly #told = new Map<string, ProgressAnswer[]>();
  /** Supplier purchases whose delivery was refused, because the product had a text of it. */
  readonly #had = new Set<number>();
  /** Once they don't know a purchase they never will. */
  readonly #unknownSinceMs = new Map<string, number>();
  /** When the time of all sources is over. */
  readonly #dueMs = new Map<string, number | undefined>();
  /** Sources that have sold nothing, while there was time for another one. */
  readonly #mayPass = new Set<string>();
  readonly #next = new Map<string, SupplierPurchase>();
  readonly #before = new Map<string, string>();
  /** How often another source was asked. */
  passedOn = 0;
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** All sources of a purchase have one time together, which begins when the first is asked. */
  asked({ reference }: SupplierPurchase, withinMs: number): void {
    const nowMs = this.#clock();
    const before = this.#before.get(reference);
    const dueMs = before === undefined ? nowMs + TIMEOUT_MS : this.#dueMs.get(before);
    assert.equal(nowMs + withinMs, dueMs, `${reference} had ${withinMs} ms`);
    this.#dueMs.set(reference, dueMs);
  }

  /** The answer to the purchase itself. */
  answered({ reference }: SupplierPurchase, answer: PurchaseAnswer): void {
    this.#first.set(reference, answer);
    const leftMs = (this.#dueMs.get(reference) ?? 0) - this.#clock();
    const isNothingSold = answer.kind === 'out_of_stock' || answer.kind === 'unreached';
    if (isNothingSold && leftMs >= TIMEOUT_MS / 3) this.#mayPass.add(reference);
  }

  /** The hold is another source's from now on. */
  passed(from: SupplierPurchase, to: SupplierPurchase): void {
    assert.ok(this.#mayPass.has(from.reference), `${from.reference} was passed on`);
    assert.equal(to.holdReference, from.holdReference ?? from.reference);
    this.#next.set(from.reference, to);
    this.#before.set(to.reference, from.reference);
    this.passedOn += 1;
  }

  /** How it went, asked for or reported. */
  told({ reference }: SupplierPurchase, said: ProgressAnswer): void {
    const isFirst = said.kind === 'unknown' && !this.#unknownSinceMs.has(reference);
    if (isFirst) this.#unknownSinceMs.set(reference, this.#clock());
    this.#told.set(reference, [...(this.#told.get(reference) ?? []), said]);
  }

  /** The product had a text that a supplier purchase's supplier delivered. */
  had(supplierPurchaseId: number): void {
    this.#had.add(supplierPurchaseId);
  }

  /** Whoever was waiting for answers is gone. */
  crash(): void {
    this.#had.clear();
    this.#first.clear();
    this.#dueMs.clear();
    this.#mayPass.clear();
    this.#next.clear();
    this.#before.clear();
  }

  /** The code that the buyer of a supplier purchase is refused with, by the last source; undefined when it is bought. */
  refusalOf(supplierPurchase: SupplierPurchase): string | undefined {
    const next = this.#next.get(supplierPurchase.reference);
    return next === undefined ? this.#endOf(supplierPurchase)?.[0] : this.refusalOf(next);
  }

  /** Fails unless what suppliers said calls for the command. */
  check(command: Command, supplierPurchase: SupplierPurchase, nowMs: number): void {
    const context = `${command.kind} of ${supplierPurchase.reference}, which was answered ${JSON.stringify(this.#first.get(supplierPurchase.reference))} and told ${JSON.stringify(this.#told.get(supplierPurchase.reference))}`;
    switch (command.kind) {
      case 'CaptureHold':
        return assert.equal(this.#endOf(supplierPurchase), undefined, context);
      case 'ReleaseHold':
        assert.equal(command.mayPass ?? false, this.#mayPass.has(supplierPurchase.reference), context);
        return assert.deepEqual([command.code, command.isUnresolved], this.#endOf(supplierPurchase), context);
      case 'CompleteOrder': {
        const first = this.#first.get(supplierPurchase.reference);
        const isRight =
          first?.kind === 'delivered' ||
          this.#deliveries(supplierPurchase).some((items) => isSound(items, supplierPurchase));
        return assert.ok(isRight, context);
      }
      case 'FailOrder': {
        const isWrong =
          this.#had.has(supplierPurchase.supplierPurchaseId) ||
          this.#deliveries(supplierPurchase).some((items) => !isSound(items, supplierPurchase));
        const isLost =
          nowMs - (this.#unknownSinceMs.get(supplierPurchase.reference) ?? nowMs) >= UNKNOWN_FOR_GOOD_MS;
        const isFailed = this.#wasTold(supplierPurchase, 'failed') || isLost;
        return assert.ok(command.supplierPurchaseId === undefined ? isWrong : isFailed, context);
      }
      case 'ReconcileSupplierPurchase': {
        assert.ok(command.result !== 'given-up', context);
        assert.ok(this.#wasTold(supplierPurchase, command.result), context);
        const isOver = nowMs - supplierPurchase.createdAtMs > UNKNOWN_FOR_GOOD_MS;
        return assert.ok(command.result !== 'unknown' || isOver, context);
      }
    }
  }

  #endOf(supplierPurchase: SupplierPurchase): readonly [string, boolean] | undefined {
    const first = this.#first.get(supplierPurchase.reference);
    if (first === undefined) return INTERRUPTED;
    const isHad = this.#had.has(supplierPurchase.supplierPurchaseId);
    if (first.kind === 'delivered' && (isHad || !isSound(first.items, supplierPurchase))) return ENDS.failed;
    return ENDS[first.kind];
  }

  #wasTold({ reference }: SupplierPurchase, kind: ProgressAnswer['kind']): boolean {
    return this.#told.get(reference)?.some((said) => said.kind === kind) ?? false;
  }

  #deliveries({ reference }: SupplierPurchase): readonly (readonly string[])[] {
    return (this.#told.get(reference) ?? []).flatMap((said) =>
      said.kind === 'delivered' ? [said.items] : [],
    );
  }
}

/** Whether the items are what was bought: so many, all different, none of them blank. */
export function isSound(items: readonly string[], { quantity }: SupplierPurchase): boolean {
  return (
    items.length === quantity && new Set(items).size === quantity && items.every((item) => item.trim() !== '')
  );
}
