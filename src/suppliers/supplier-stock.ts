/**
 * Asks suppliers periodically how many of each product they have: the approximate stock of the catalog (SPEC.md §2).
 *
 * Invariant: the catalog shows recorded numbers only. So it is the same after a restart, and every change is a fact
 * that subscribers get. The number is a hint and never decides a purchase. A change to or from "none" or "unlimited" is
 * recorded at once, any other change once a minute: the number of a supplier that sells well changes with every
 * question, and the journal is never shortened. Rejected: fresher numbers in memory, which a restart would undo and no
 * event would report.
 */
import type { Results } from '../engine/decide/command.ts';
import { Rejection } from '../engine/decide/rejection.ts';
import type { SuppliedStockChange } from '../engine/fact.ts';
import { MAX_PRODUCTS, MAX_STOCK_CHANGES } from '../engine/limits.ts';
import type { Engine } from '../engine/loop/engine.ts';
import type { Product, SuppliedStock, SupplierSource } from '../engine/products.ts';
import type { SupplierProfile } from '../engine/supplying/suppliers.ts';

export type StockAnswer = SuppliedStock;

/** How many a supplier has; undefined when it doesn't say. Never rejects, and resolves within the time-out. */
export type AskStock = (source: SupplierSource) => Promise<StockAnswer | undefined>;

export interface SupplierStockOptions {
  readonly engine: Engine;
  readonly ask: AskStock;
  readonly refreshMs: number;
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number;
}

/** How often due products are looked for. */
const LOOK_MS = 1_000;
/** Questions to one supplier. */
const MAX_ASKED_AT_ONCE = 4;
/**
 * Changes that are not recorded at once are recorded once in each such interval. The intervals are the same for all
 * products, so that one round records many changes together.
 */
export const RECORD_INTERVAL_MS = 60_000;
/** A long round records its changes this often. */
const GATHERING_MS = 1_000;

/** When a product was asked about, and with which settings: when these change, it is asked about again. */
interface Asked {
  readonly atMs: number;
  readonly source: SupplierSource;
  readonly supplier: SupplierProfile | undefined;
}

/** One supplier is asked about all due products, and the changes are recorded together. */
interface Round {
  readonly supplierId: number;
  /** Products, the next one last. */
  readonly queue: number[];
  /** By product. */
  readonly changes: Map<number, SuppliedStockChange & { readonly sku: string }>;
  gatheringSinceMs: number;
}

export class SupplierStock {
  readonly #options: SupplierStockOptions;
  readonly #asked = new Map<number, Asked>();
  /** When what a supplier has of a product was recorded last. */
  readonly #recordedAtMs = new Map<number, number>();
  /** By supplier, so that a silent one delays nobody else's products. */
  readonly #rounds = new Map<number, Round>();
  /** No product is due earlier, unless `look` is called. */
  #nextDueMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SupplierStockOptions) {
    this.#options = options;
  }

  /** Asks for the first time at once; doesn't wait for answers. */
  start(): void {
    this.#timer = setInterval(() => this.#lookAgain(), Math.min(this.#options.refreshMs, LOOK_MS));
    this.#askDue();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Asks now about the product, before others, if it is due; without a product about all that are due. */
  look(productId?: number): void {
    if (this.#timer === undefined) return;
    if (productId === undefined) return this.#askDue();
    const product = this.#options.engine.state.products.get(productId);
    const supplierId = product?.profile.source?.supplierId;
    if (product === undefined || supplierId === undefined || !this.#isDue(product)) return;
    const round = this.#rounds.get(supplierId);
    if (round === undefined) void this.#askRound(supplierId, [productId]);
    else if (round.queue.length < MAX_PRODUCTS) round.queue.push(productId);
  }

  /** Walking all products delays purchases, so it is done only when one can be due. */
  #lookAgain(): void {
    if (this.#options.monotonicMs() >= this.#nextDueMs) this.#askDue();
  }

  /** A supplier whose last round isn't finished gets no new one. */
  #askDue(): void {
    const { engine, refreshMs, monotonicMs } = this.#options;
    this.#nextDueMs = monotonicMs() + refreshMs;
    if (engine.state.suppliers.size === 0) return;
    const due = new Map<number, number[]>();
    for (const product of engine.state.products.values()) {
      const { productId, profile } = product;
      const supplierId = profile.source?.supplierId;
      if (supplierId === undefined || !profile.active || this.#rounds.has(supplierId)) continue;
      if (!this.#isDue(product)) {
        const askedAtMs = this.#asked.get(productId)?.atMs ?? 0;
        this.#nextDueMs = Math.min(this.#nextDueMs, askedAtMs + refreshMs);
        continue;
      }
      const queue = due.get(supplierId);
      if (queue === undefined) due.set(supplierId, [productId]);
      else queue.push(productId);
    }
    for (const [supplierId, queue] of due) void this.#askRound(supplierId, queue.reverse());
  }

  async #askRound(supplierId: number, queue: number[]): Promise<void> {
    const round: Round = { supplierId, queue, changes: new Map(), gatheringSinceMs: 0 };
    this.#rounds.set(supplierId, round);
    await Promise.all(Array.from({ length: MAX_ASKED_AT_ONCE }, () => this.#askInTurn(round)));
    await this.#record(round);
    this.#rounds.delete(supplierId);
    this.#nextDueMs = 0;
  }

  #isDue({ productId, profile: { source, active } }: Product): boolean {
    if (source == null || !active) return false;
    const { engine, refreshMs, monotonicMs } = this.#options;
    const asked = this.#asked.get(productId);
    return (
      asked === undefined ||
      monotonicMs() - asked.atMs >= refreshMs ||
      asked.source !== source ||
      asked.supplier !== engine.state.suppliers.get(source.supplierId)?.profile
    );
  }

  async #askInTurn(round: Round): Promise<void> {
    const { engine, ask, monotonicMs } = this.#options;
    for (let productId = round.queue.pop(); productId !== undefined; productId = round.queue.pop()) {
      if (this.#timer === undefined) return;
      const product = engine.state.products.get(productId);
      const source = product?.profile.source;
      // Asked about meanwhile, or now from another supplier.
      if (product === undefined || source?.supplierId !== round.supplierId || !this.#isDue(product)) continue;
      const supplier = engine.state.suppliers.get(source.supplierId)?.profile;
      this.#asked.set(productId, { atMs: monotonicMs(), source, supplier });
      const available = await ask(source);
      if (available !== undefined) this.#note(round, productId, source.sku, available);
      const isLong = monotonicMs() - round.gatheringSinceMs >= GATHERING_MS;
      if (isLong || round.changes.size >= MAX_STOCK_CHANGES) await this.#record(round);
    }
  }

  #note(round: Round, productId: number, sku: string, available: SuppliedStock): void {
    const { engine, monotonicMs } = this.#options;
    const before = engine.state.products.get(productId)?.suppliedStock;
    if (before === undefined || before === available) return;
    const isAtOnce = [before, available].some((stock) => stock === 0 || stock === 'unlimited');
    const recordedAtMs = this.#recordedAtMs.get(productId) ?? Number.NEGATIVE_INFINITY;
    if (!isAtOnce && intervalOf(recordedAtMs) === intervalOf(monotonicMs())) return;
    if (round.changes.size === 0) round.gatheringSinceMs = monotonicMs();
    round.changes.set(productId, { productId, sku, available });
  }

  /** On a full disk nothing is recorded; the next round finds the same change. */
  async #record({ supplierId, changes: gathered }: Round): Promise<void> {
    const changes = [...gathered.values()];
    gathered.clear();
    if (changes.length === 0 || this.#timer === undefined) return;
    const { engine, monotonicMs } = this.#options;
    const recorded = await new Promise<Results['RecordSupplierStock'] | Rejection>((resolve) =>
      engine.submit({ kind: 'RecordSupplierStock', supplierId, changes }, resolve),
    );
    if (recorded instanceof Rejection) return;
    for (const { productId } of recorded) this.#recordedAtMs.set(productId, monotonicMs());
  }
}

function intervalOf(timeMs: number): number {
  return Math.floor(timeMs / RECORD_INTERVAL_MS);
}
