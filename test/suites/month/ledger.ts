/**
 * The outside ledger: what was asked and answered, in plain arrays, and sums over them.
 *
 * Invariant: the ledger knows nothing of Purser's code, never asks a node, and enters a thing when its answer has come.
 * All that concerns one account is done one after the other (`inTurn`), so the order of its movements is known outside.
 * Money is in micro-USDT, as integers.
 */
import { isBefore, isIn, type Period, type Shift } from './calendar.ts';
import type { By } from './staff.ts';

export interface Movement extends By {
  readonly shift: Shift;
  readonly kind: 'purchase' | 'credit' | 'adjustment' | 'hold' | 'refund' | 'return';
  /** Signed: what it does to the wallet. */
  readonly micros: number;
  readonly orderId?: number;
  readonly reference?: string;
}

/** An entry that the money report counts. `hold` is the amount that is held more, or less. */
export interface Entry {
  readonly shift: Shift;
  readonly kind: 'deposit' | 'sale' | 'refund' | 'hold';
  readonly micros: number;
  readonly accountId: number;
  readonly productId?: number;
}

interface LedgerRefund {
  readonly key: string;
  readonly body: object;
  readonly micros: number;
  readonly items: readonly number[];
}

export interface LedgerOrder {
  readonly orderId: number;
  readonly account: LedgerAccount;
  readonly product: LedgerProduct;
  readonly quantity: number;
  readonly totalMicros: number;
  readonly createdAt: number;
  readonly shift: Shift;
  readonly key: string;
  status: string;
  /** The texts that the order delivers now. */
  texts: string[];
  refunds: readonly LedgerRefund[];
}

export interface LedgerCredit {
  readonly reference: string;
  readonly micros: number;
  readonly balanceMicros: number;
}

export interface LedgerAccount {
  readonly accountId: number;
  readonly apiKey: string;
  readonly movements: Movement[];
  readonly orders: LedgerOrder[];
  readonly credits: LedgerCredit[];
  balanceMicros: number;
  /** The end of what was begun last. */
  turn: Promise<unknown>;
}

export interface LedgerProduct {
  readonly productId: number;
  readonly kind: 'stock' | 'manual' | 'supplied' | 'late';
  priceMicros: number;
  /** Uploaded items that nobody has bought, as far as answers have told. */
  onShelf: number;
}

export class Ledger {
  readonly accounts: LedgerAccount[] = [];
  readonly products: LedgerProduct[] = [];
  readonly orders: LedgerOrder[] = [];
  readonly entries: Entry[] = [];
  /** October's as CSV, by account, as they were answered right after its end. */
  readonly statements = new Map<number, string>();
  readonly #sold = new Set<string>();

  move(account: LedgerAccount, movement: Movement): void {
    account.movements.push(movement);
    account.balanceMicros += movement.micros;
  }

  /** Counts an order's texts as sold; those of own stock leave the shelf. */
  sell({ texts, product }: LedgerOrder): void {
    for (const text of texts) {
      if (this.#sold.has(text)) throw new Error(`${text} was sold twice`);
      this.#sold.add(text);
      if (product.kind === 'stock') product.onShelf -= 1;
    }
  }

  sum(kind: Entry['kind'], entries: readonly Entry[] = this.entries): number {
    return entries.reduce((sum, entry) => (entry.kind === kind ? sum + entry.micros : sum), 0);
  }
}

export function openingMicros({ movements }: LedgerAccount, { from }: Period): number {
  return sumOf(movements.filter(({ shift }) => isBefore(from, shift)));
}

export function movementsIn({ movements }: LedgerAccount, period: Period): Movement[] {
  return movements.filter(({ shift }) => isIn(period, shift));
}

export function refundedMicros({ refunds }: LedgerOrder): number {
  return sumOf(refunds);
}

/** Places of items whose share was not refunded. */
export function unrefundedPlaces({ texts, refunds }: LedgerOrder): number[] {
  const gone = new Set(refunds.flatMap(({ items }) => items));
  return [...texts.keys()].filter((item) => !gone.has(item));
}

/** The share of one item: the total divided by the quantity, rounded down; the last one takes the rest. */
export function shareMicros({ totalMicros, quantity }: LedgerOrder, item: number): number {
  const share = Math.floor(totalMicros / quantity);
  return item === quantity - 1 ? totalMicros - share * (quantity - 1) : share;
}

export function sumOf(all: readonly { readonly micros: number }[]): number {
  return all.reduce((sum, { micros }) => sum + micros, 0);
}

export function usdt(micros: number): number {
  return micros / 1e6;
}

/** Runs `work` in the account's turn: one after the other. */
export function inTurn<T>(account: LedgerAccount, work: () => Promise<T>): Promise<T> {
  const turn = account.turn.then(work);
  account.turn = turn.catch(() => undefined);
  return turn;
}
