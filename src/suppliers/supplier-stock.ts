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
import { placeOfSource, type SuppliedStock, type SupplierSource } from '../engine/products.ts';
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

/** When a source was asked, and with which settings: when these change, it is asked again. */
interface Asked {
  readonly atMs: number;
  readonly supplier: SupplierProfile | undefined;
}

/** One of a product's sources, by whose object it is known: a product that is changed has others. */
interface Due {
  readonly productId: number;
  readonly source: SupplierSource;
}

/** One supplier is asked about all due products, and the changes are recorded together. */
interface Round {
  readonly supplierId: number;
  /** Sources at this supplier, the next one last. */
  readonly queue: Due[];
  /** By source. */
  readonly changes: Map<SupplierSource, SuppliedStockChange>;
  gatheringSinceMs: number;
}

export class SupplierStock {
  readonly #options: SupplierStockOptions;
  readonly #asked = new WeakMap<SupplierSource, Asked>();
  /** When what a source has was recorded last. */
  readonly #recordedAtMs = new WeakMap<SupplierSource, number>();
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
    const { sources = [], active } = this.#options.engine.state.products.get(productId)?.profile ?? {};
    for (const source of sources) {
      if (active !== true || !this.#isDue(source)) continue;
      const { supplierId } = source;
      const round = this.#rounds.get(supplierId);
      if (round === undefined) void this.#askRound(supplierId, [{ productId, source }]);
      else if (round.queue.length < MAX_PRODUCTS) round.queue.push({ productId, source });
    }
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
    const due = new Map<number, Due[]>();
    for (const { productId, profile } of engine.state.products.values()) {
      const { sources = [], active } = profile;
      for (const source of sources) {
        const { supplierId } = source;
        if (!active || this.#rounds.has(supplierId)) continue;
        if (!this.#isDue(source)) {
          const askedAtMs = this.#asked.get(source)?.atMs ?? 0;
          this.#nextDueMs = Math.min(this.#nextDueMs, askedAtMs + refreshMs);
          continue;
        }
        const queue = due.get(supplierId);
        if (queue === undefined) due.set(supplierId, [{ productId, source }]);
        else queue.push({ productId, source });
      }
    }
    for (const [supplierId, queue] of due) void this.#askRound(supplierId, queue.reverse());
  }

  async #askRound(supplierId: number, queue: Due[]): Promise<void> {
    const round: Round = { supplierId, queue, changes: new Map(), gatheringSinceMs: 0 };
    this.#rounds.set(supplierId, round);
    await Promise.all(Array.from({ length: MAX_ASKED_AT_ONCE }, () => this.#askInTurn(round)));
    await this.#record(round);
    this.#rounds.delete(supplierId);
    this.#nextDueMs = 0;
  }

  #isDue(source: SupplierSource): boolean {
    const { engine, refreshMs, monotonicMs } = this.#options;
    const asked = this.#asked.get(source);
    return (
      asked === undefined ||
      monotonicMs() - asked.atMs >= refreshMs ||
      asked.supplier !== engine.state.suppliers.get(source.supplierId)?.profile
    );
  }

  async #askInTurn(round: Round): Promise<void> {
    const { engine, ask, monotonicMs } = this.#options;
    for (let due = round.queue.pop(); due !== undefined; due = round.queue.pop()) {
      if (this.#timer === undefined) return;
      const { productId, source } = due;
      const { sources, active } = engine.state.products.get(productId)?.profile ?? {};
      // Asked about meanwhile, or none of its sources now.
      if (active !== true || sources?.includes(source) !== true || !this.#isDue(source)) continue;
      const supplier = engine.state.suppliers.get(source.supplierId)?.profile;
      this.#asked.set(source, { atMs: monotonicMs(), supplier });
      const available = await ask(source);
      if (available !== undefined) this.#note(round, due, available);
      const isLong = monotonicMs() - round.gatheringSinceMs >= GATHERING_MS;
      if (isLong || round.changes.size >= MAX_STOCK_CHANGES) await this.#record(round);
    }
  }

  #note(round: Round, { productId, source }: Due, available: SuppliedStock): void {
    const { engine, monotonicMs } = this.#options;
    const product = engine.state.products.get(productId);
    const before = product?.sourceStocks[placeOfSource(product.profile, source)];
    if (before === undefined || before === available) return;
    const isAtOnce = [before, available].some((stock) => stock === 0 || stock === 'unlimited');
    const recordedAtMs = this.#recordedAtMs.get(source) ?? Number.NEGATIVE_INFINITY;
    if (!isAtOnce && intervalOf(recordedAtMs) === intervalOf(monotonicMs())) return;
    if (round.changes.size === 0) round.gatheringSinceMs = monotonicMs();
    round.changes.set(source, { productId, sku: source.sku, available });
  }

  /** On a full disk nothing is recorded; the next round finds the same change. */
  async #record({ supplierId, changes: gathered }: Round): Promise<void> {
    const sources = [...gathered];
    const changes = [...gathered.values()];
    gathered.clear();
    if (changes.length === 0 || this.#timer === undefined) return;
    const { engine, monotonicMs } = this.#options;
    const recorded = await new Promise<Results['RecordSupplierStock'] | Rejection>((resolve) =>
      engine.submit({ kind: 'RecordSupplierStock', supplierId, changes }, resolve),
    );
    if (recorded instanceof Rejection) return;
    for (const [source, { productId }] of sources) {
      const isRecorded = recorded.some((one) => one.productId === productId && one.sku === source.sku);
      if (isRecorded) this.#recordedAtMs.set(source, monotonicMs());
    }
  }
}

function intervalOf(timeMs: number): number {
  return Math.floor(timeMs / RECORD_INTERVAL_MS);
}
