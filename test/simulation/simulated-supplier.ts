/**
 * Suppliers that answer when they are told to, with anything, and what they really did with every purchase. Once the fate of
 * a purchase is decided, every answer that isn't silence tells it, until they correct themselves: what had failed was
 * delivered after all. They may forget for good what they have promised.
 */
import { strict as assert } from 'node:assert';
import type { SupplierPurchase } from '../../src/engine/supplying/supplier-purchases.ts';
import type { ProgressAnswer, PurchaseAnswer, SupplierPort } from '../../src/suppliers/supplier-port.ts';

export const SHAPES = [
  'right',
  'right',
  'right',
  'sold before',
  'too many',
  'too few',
  'the same twice',
  'unsellable',
] as const;
export type Shape = (typeof SHAPES)[number];

export const FATES = ['delivered', 'delivered', 'pending', 'failed', 'unknown'] as const;

/** The outcome of a purchase: items when it was delivered. */
export type Fate = 'undecided' | 'pending' | 'failed' | 'unknown' | readonly string[];

export interface SimulatedPurchase {
  readonly supplierPurchase: SupplierPurchase;
  fate: Fate;
}

const POLL_TIMEOUT_MS = 15_000;

interface Question<Answer> {
  readonly purchase: SimulatedPurchase;
  /** The end of the node's patience. */
  readonly dueMs: number;
  readonly resolve: (answer: Answer) => void;
}

export interface SimulatedSupplierOptions {
  readonly clock: () => number;
  /** Whether the hold is on disk, with this supplier purchase. */
  readonly isDurable: (supplierPurchase: SupplierPurchase) => boolean;
}

export class SimulatedSupplier implements SupplierPort {
  readonly #options: SimulatedSupplierOptions;
  readonly #byReference = new Map<string, SimulatedPurchase>();
  #calls: Question<PurchaseAnswer>[] = [];
  #polls: Question<ProgressAnswer>[] = [];
  /** Suppliers that can't be reached. */
  readonly #unplugged = new Set<number>();
  #lastItem = 0;
  /** The text that it sold last, of any product. */
  #sold: string | undefined;

  constructor(options: SimulatedSupplierOptions) {
    this.#options = options;
  }

  get openCalls(): number {
    return this.#calls.length;
  }

  get openPolls(): number {
    return this.#polls.length;
  }

  /** Every purchase that it was ever asked for. */
  get purchases(): readonly SimulatedPurchase[] {
    return [...this.#byReference.values()];
  }

  /** The text that was sold last, of any product, if there is one. */
  get soldLast(): string[] {
    return this.#sold === undefined ? [] : [this.#sold];
  }

  unplug(supplierId: number, isUp: boolean): void {
    if (isUp) this.#unplugged.delete(supplierId);
    else this.#unplugged.add(supplierId);
  }

  purchase(supplierPurchase: SupplierPurchase, withinMs: number): Promise<PurchaseAnswer> {
    const { reference, supplierId } = supplierPurchase;
    assert.ok(
      this.#options.isDurable(supplierPurchase),
      `${reference} was asked for before its hold was durable`,
    );
    assert.ok(!this.#byReference.has(reference), `${reference} was asked for twice`);
    const isDown = this.#unplugged.has(supplierId);
    const purchase: SimulatedPurchase = { supplierPurchase, fate: isDown ? 'failed' : 'undecided' };
    this.#byReference.set(reference, purchase);
    if (isDown) return Promise.resolve({ kind: 'unreached', why: 'ECONNREFUSED' });
    const dueMs = this.#options.clock() + withinMs;
    return new Promise((resolve) => {
      this.#calls.push({ purchase, dueMs, resolve });
    });
  }

  progress(supplierPurchase: SupplierPurchase): Promise<ProgressAnswer> {
    const purchase = this.#byReference.get(supplierPurchase.reference);
    // The hold was durable, and the node crashed before it could ask.
    if (purchase === undefined) return Promise.resolve({ kind: 'unknown' });
    return new Promise((resolve) => {
      this.#polls.push({ purchase, dueMs: this.#options.clock() + POLL_TIMEOUT_MS, resolve });
    });
  }

  /** Answers a purchase under way. After silence or a failure, anything may have become of it. */
  answer(nth: number, kind: PurchaseAnswer['kind'], shape: Shape): void {
    const [call] = this.#calls.splice(nth % this.#calls.length, 1);
    if (call === undefined) return;
    const { purchase, resolve } = call;
    if (purchase.fate === 'undecided' && kind === 'delivered') this.decide(purchase, 'delivered', shape);
    if (typeof purchase.fate === 'object') {
      const { fate } = purchase;
      return resolve(
        kind === 'timeout'
          ? { kind }
          : kind === 'failed'
            ? { kind, why: 'garbage' }
            : { kind: 'delivered', items: fate },
      );
    }
    if (kind === 'failed') return resolve({ kind, why: 'garbage' });
    if (kind === 'timeout') return resolve({ kind });
    if (purchase.fate === 'failed') return resolve({ kind: 'failed', why: 'a failure' });
    if (purchase.fate === 'pending' || kind === 'pending') {
      this.decide(purchase, 'pending', shape);
      return resolve({ kind: 'pending' });
    }
    purchase.fate = 'failed';
    resolve(kind === 'unreached' ? { kind, why: 'ECONNREFUSED' } : { kind: 'out_of_stock' });
  }

  /** Answers a question how a purchase went. */
  tell(nth: number, fate: (typeof FATES)[number], shape: Shape, isSilent: boolean): void {
    const [poll] = this.#polls.splice(nth % this.#polls.length, 1);
    if (poll === undefined) return;
    if (isSilent) return poll.resolve({ kind: 'silent', why: 'no answer in time' });
    this.decide(poll.purchase, fate, shape);
    poll.resolve(truth(poll.purchase));
  }

  /** Unless that is decided already. */
  decide(purchase: SimulatedPurchase, fate: (typeof FATES)[number], shape: Shape): void {
    const { fate: before, supplierPurchase } = purchase;
    if (before === 'undecided' || before === 'pending') {
      purchase.fate = fate === 'delivered' ? this.#items(supplierPurchase, shape) : fate;
    }
  }

  /** Delivers a purchase after all that had failed. */
  correct(purchase: SimulatedPurchase, shape: Shape): void {
    const { fate, supplierPurchase } = purchase;
    if (fate === 'failed' || fate === 'unknown') purchase.fate = this.#items(supplierPurchase, shape);
  }

  /** Ends calls whose time is over. */
  timeOut(): void {
    const nowMs = this.#options.clock();
    for (const { resolve } of this.#calls.filter(({ dueMs }) => dueMs <= nowMs)) resolve({ kind: 'timeout' });
    for (const { resolve } of this.#polls.filter(({ dueMs }) => dueMs <= nowMs)) {
      resolve({ kind: 'silent', why: 'no answer in time' });
    }
    this.#calls = this.#calls.filter(({ dueMs }) => dueMs > nowMs);
    this.#polls = this.#polls.filter(({ dueMs }) => dueMs > nowMs);
  }

  /** Answers everything: all is decided by now. */
  answerAll(): void {
    this.#unplugged.clear();
    while (this.openCalls > 0) this.answer(0, 'delivered', 'right');
    for (const purchase of this.purchases) {
      const isKept = purchase.supplierPurchase.supplierPurchaseId % 2 === 0;
      this.decide(purchase, isKept ? 'delivered' : 'failed', 'right');
    }
    while (this.openPolls > 0) this.tell(0, 'failed', 'right', false);
  }

  /** Nobody waits for an answer any more. */
  crash(): void {
    this.#calls = [];
    this.#polls = [];
  }

  /** Never the same text twice, but within one delivery, or when it is told to. */
  #items({ quantity }: SupplierPurchase, shape: Shape): string[] {
    const count = quantity + (shape === 'too many' ? 1 : shape === 'too few' ? -1 : 0);
    const items = Array.from({ length: count }, () => {
      this.#lastItem += 1;
      return `supplied ${this.#lastItem}`;
    });
    if (shape === 'unsellable') items[0] = ' ';
    if (shape === 'sold before') items[0] = this.#sold ?? items[0] ?? '';
    if (shape !== 'unsellable' && items.length > 0) this.#sold = items.at(-1);
    if (shape === 'the same twice') items[Math.max(quantity - 1, 1)] = items[0] ?? '';
    return items;
  }
}

/** The answer of a supplier that answers. */
export function truth({ fate }: SimulatedPurchase): ProgressAnswer {
  switch (fate) {
    case 'pending':
    case 'failed':
    case 'unknown':
      return { kind: fate };
    case 'undecided':
      return { kind: 'pending' };
    default:
      return { kind: 'delivered', items: fate };
  }
}
