/** Orders, products and lots of the naive shop. */
export type NaiveType = 'standard' | 'file' | 'manual' | 'supplied';

export interface NaiveOrder {
  account: number;
  product: number;
  quantity: number;
  status: string;
  total: number;
  /** The wallet's balance after the order was paid. */
  balance: number;
  items: number[];
  file: string | null;
  texts: number;
  refunded: number;
  /** Places in the order. */
  refundedItems: number[];
  /** By place: the item that is there instead of the one that was sold. */
  newItems: Record<number, number>;
}

export interface NaiveSupplierPurchase {
  readonly order: NaiveOrder;
  readonly total: number;
  /** Undefined for an order from the bot. */
  readonly key: string | undefined;
  readonly request: string;
  /** Who is asked. */
  readonly supplier: number;
  phase: 'held' | 'pending' | 'unresolved' | 'ended';
  /** Whether an operator ended the wait for it. */
  isGivenUp: boolean;
  /** Whether the supplier delivered it, in time or not. */
  isDelivered: boolean;
}

/** The items of one upload. */
export interface NaiveLot {
  readonly product: NaiveProduct;
  readonly items: readonly number[];
}

export class NaiveProduct {
  type: NaiveType;
  price = 2;
  active = true;
  shelf: number[] = [];
  made = 0;
  readonly recalled = new Set<number>();
  file: string | null = null;
  /** In order; each has one source of it. */
  suppliers: readonly number[] = [];
  /** The stock that each supplier told. */
  supplied: Record<number, number | 'unlimited'> = {};

  constructor(type: NaiveType) {
    this.type = type;
  }

  add(count: number): void {
    for (let added = 0; added < count; added += 1) {
      this.shelf.push(this.made);
      this.made += 1;
    }
  }
}

export function emptyOrder(account: number, product: number, quantity: number): NaiveOrder {
  return {
    account,
    product,
    quantity,
    status: 'processing',
    total: 0,
    balance: 0,
    items: [],
    file: null,
    texts: 0,
    refunded: 0,
    refundedItems: [],
    newItems: {},
  };
}
