/**
 * An answer's copies of the rows that facts change in place: taken in the command's turn, after `apply`.
 *
 * Invariant: an answer says what was so when its fact was applied, however long it waits for the disk and whatever is
 * applied meanwhile. So it can leave as it is, once its facts are durable, and nobody has to ask the state again. A
 * copy is flat, because what rows refer to (profiles, keys, webhooks, files) is replaced and never changed; orders,
 * credits and supplier purchases are never changed either, and are answered as they are. Rejected: to replace the rows,
 * which would cost every purchase another account.
 */
import type { Account } from '../accounts.ts';
import { BrokenInvariantError } from '../apply/broken-invariant.ts';
import type { Deposit } from '../deposits/deposit.ts';
import type { Operator } from '../operators.ts';
import type { PriceList } from '../pricing/price-lists.ts';
import type { Product } from '../products.ts';
import { availableStock, type Stock } from '../stock.ts';
import type { Supplier } from '../supplying/suppliers.ts';

/** For the compiler alone, to which a live row is otherwise as good as its copy. */
declare const isCopied: unique symbol;

/** A row as it was. */
export type RowCopy<Row> = Readonly<Row> & { readonly [isCopied]: true };

export type AccountCopy = RowCopy<Account>;
export type SupplierCopy = RowCopy<Supplier>;
export type ProductCopy = RowCopy<Product> & {
  /** The stock that buyers are told, at the same moment. */
  readonly availableStock: number | 'unlimited';
};

/** The copy of a row that must be there. */
export function copyOf<Row extends Account | Supplier | Product | Operator | PriceList | Deposit>(
  row: Row | undefined,
): RowCopy<Row> {
  if (row === undefined) throw new BrokenInvariantError('an answer refers to a row that does not exist');
  return { ...row } as RowCopy<Row>;
}

/** The copy of a product that must be there, with its stock. */
export function productCopy(stock: Stock, product: Product | undefined): ProductCopy {
  const copy = copyOf(product);
  return { ...copy, availableStock: availableStock(stock, copy) };
}
