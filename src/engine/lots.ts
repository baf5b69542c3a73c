/**
 * Lots: each upload of items is one, and each delivery of a supplier that enters own stock. Its items are consecutive numbers of one product.
 *
 * A lot's figures follow from the product's stock, so it keeps no counts that sales would have to move. In memory are
 * those that came or changed since the last fold; all others are in the checkpoint (`History`).
 */
import { Generations } from './recent/generations.ts';

/** The operator's notes on a lot; nothing is checked against anything. */
export interface LotLabel {
  /** Where the items are from. */
  readonly source?: string;
  /** The cost of one item, in micro-USDT. */
  readonly costMicros?: number;
  /** The operator's own name for it, such as an invoice's number. */
  readonly reference?: string;
}

export interface Lot extends LotLabel {
  readonly lotId: number;
  readonly productId: number;
  readonly firstItem: number;
  readonly count: number;
  readonly addedAtMs: number;
  /** There once it was recalled. */
  readonly recall?: {
    readonly atMs: number;
    /** How many items it took off sale. */
    readonly withdrawn: number;
  };
}

/** The part of an upload's fact that makes its lot. */
interface LotUploaded {
  readonly lot: LotLabel & { readonly lotId: number };
  readonly productId: number;
  readonly firstItem: number;
  readonly count: number;
  readonly atMs: number;
}

export function lotOfUpload({ lot, productId, firstItem, count, atMs }: LotUploaded): Lot {
  return { ...lot, productId, firstItem, count, addedAtMs: atMs };
}

/** The label of a lot, for another one that its items are in. */
export function lotLabel({ source, costMicros, reference }: LotLabel): LotLabel {
  return {
    ...(source === undefined ? {} : { source }),
    ...(costMicros === undefined ? {} : { costMicros }),
    ...(reference === undefined ? {} : { reference }),
  };
}

export class RecentLots extends Generations<Map<number, Lot>> {
  constructor() {
    super(() => new Map());
  }

  get(lotId: number): Lot | undefined {
    return this.current.get(lotId) ?? this.older.get(lotId);
  }

  /** A new one, or in place of how it was. */
  set(lot: Lot): void {
    this.current.set(lot.lotId, lot);
  }

  /** The recent lots of a product, as they are now. */
  of(productId: number): Lot[] {
    const all = new Map([...this.older, ...this.current]);
    return [...all.values()].filter((lot) => lot.productId === productId);
  }
}
