/**
 * What suppliers say they have, asked for periodically: the approximate stock of the catalog (SPEC.md §2).
 *
 * What always holds: the catalog shows what was recorded. So it is the same after a restart, whoever is down, and
 * every change of it is a fact, of which subscribers hear. It is a hint, and never decides a purchase. That some is
 * left or none, or that it never runs out, is recorded at once; any other change of a number once a minute, because
 * the number of a supplier that sells well is another one at every question, and the journal is never shortened.
 * Rejected: fresher numbers from memory, which a restart would take back, and no event tell of.
 */
import type { Results } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { SuppliedStockChange } from '../engine/fact.ts';
import { MAX_PRODUCTS, MAX_STOCK_CHANGES } from '../engine/limits.ts';
import type { Product, SuppliedStock, SupplierPurchaseSource } from '../engine/products.ts';
import { Rejection } from '../engine/rejection.ts';
import type { SupplierProfile } from '../engine/suppliers.ts';

export type StockAnswer = SuppliedStock;

/** How many a supplier has; undefined when it doesn't say. Never rejects, and settles within the time-out. */
export type AskStock = (source: SupplierPurchaseSource) => Promise<StockAnswer | undefined>;

export interface SupplierStockOptions {
  readonly engine: Engine;
  readonly ask: AskStock;
  readonly refreshMs: number;
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number;
}

/** How soon is asked for what is due. */
const LOOK_MS = 1_000;
/** Products of one supplier. */
const MAX_ASKED_AT_ONCE = 4;
/**
 * A number that is neither the first of a product nor its last is recorded in each such interval once. These are the
 * same for all products, so that a round records those of all that sell well, and the next ones none.
 */
export const RECORD_INTERVAL_MS = 60_000;
/** Changes of a round that takes long are recorded after this time. */
const GATHERING_MS = 1_000;

/** What a question rested on; when one of it changes, it is asked again. */
interface Asked {
  readonly atMs: number;
  readonly source: SupplierPurchaseSource;
  readonly supplier: SupplierProfile | undefined;
}

/** One supplier is asked for all that is due, and the changes are recorded together. */
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
  /** By supplier: one that is silent keeps those of nobody else waiting. */
  readonly #rounds = new Map<number, Round>();
  /** Nothing is due before, but for what somebody changes, and says so. */
  #nextDueMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SupplierStockOptions) {
    this.#options = options;
  }

  /** Asks for the first time at once, and waits for nobody. */
  start(): void {
    this.#timer = setInterval(() => this.#lookAgain(), Math.min(this.#options.refreshMs, LOOK_MS));
    this.#askDue();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Asks now for a product that is due, before others; without one for all that are. */
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

  /** Going through all products holds up purchases, so it isn't done for nothing. */
  #lookAgain(): void {
    if (this.#options.monotonicMs() >= this.#nextDueMs) this.#askDue();
  }

  /** A supplier's round that takes longer than the interval is finished first. */
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
      // Asked already, or another supplier's by now.
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

  /** What can't be recorded now, because the disk is full, is still another number in the next round. */
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
