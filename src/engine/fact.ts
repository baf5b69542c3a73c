/**
 * What happened. A fact carries resolved values (time, price, item numbers), never an instruction to compute
 * again, so that replaying a journal gives the same state whatever the code that decided has become since.
 * One command gives at most one fact: there is no moment when a part of what it changed exists without the
 * rest.
 */
import type { AccountProfile, ApiKey } from './accounts.ts';
import type { CreditOutcome } from './idempotency.ts';
import type { Order, StoredRefusal } from './orders.ts';
import type { ProductFile, ProductProfile } from './products.ts';

interface Happened {
  /** Unix milliseconds. */
  readonly atMs: number;
}

export interface AccountCreated extends Happened {
  readonly kind: 'AccountCreated';
  readonly accountId: number;
  readonly profile: AccountProfile;
}

export interface AccountUpdated extends Happened {
  readonly kind: 'AccountUpdated';
  readonly accountId: number;
  readonly profile: AccountProfile;
}

export interface KeyIssued extends Happened {
  readonly kind: 'KeyIssued';
  readonly accountId: number;
  readonly key: ApiKey;
}

export interface KeyRevoked extends Happened {
  readonly kind: 'KeyRevoked';
  readonly accountId: number;
}

/** Moves between deposits and the wallet; negative amounts are downward adjustments. */
export interface WalletCredited extends Happened {
  readonly kind: 'WalletCredited';
  readonly credit: CreditOutcome;
}

export interface ProductCreated extends Happened {
  readonly kind: 'ProductCreated';
  readonly productId: number;
  readonly profile: ProductProfile;
}

export interface ProductUpdated extends Happened {
  readonly kind: 'ProductUpdated';
  readonly productId: number;
  readonly profile: ProductProfile;
}

/** Orders from now on deliver this file. Its bytes were on disk before. */
export interface ProductFileSet extends Happened {
  readonly kind: 'ProductFileSet';
  readonly productId: number;
  readonly file: ProductFile;
}

/** Items `firstItem` to `firstItem + count - 1` are for sale. Their texts were on disk before. */
export interface StockAdded extends Happened {
  readonly kind: 'StockAdded';
  readonly productId: number;
  readonly firstItem: number;
  readonly count: number;
}

/** Items `firstItem` to `firstItem + count - 1` were given back to the operator, oldest first. */
export interface StockWithdrawn extends Happened {
  readonly kind: 'StockWithdrawn';
  readonly productId: number;
  readonly firstItem: number;
  readonly count: number;
}

/** A purchase: order, money, items and idempotency outcome together. */
export interface OrderPlaced extends Happened {
  readonly kind: 'OrderPlaced';
  readonly order: Order;
}

/** A refusal that its key repeats from now on. */
export interface PurchaseRefused extends Happened {
  readonly kind: 'PurchaseRefused';
  readonly refusal: StoredRefusal;
}

export type Fact =
  | AccountCreated
  | AccountUpdated
  | KeyIssued
  | KeyRevoked
  | WalletCredited
  | ProductCreated
  | ProductUpdated
  | ProductFileSet
  | StockAdded
  | StockWithdrawn
  | OrderPlaced
  | PurchaseRefused;
