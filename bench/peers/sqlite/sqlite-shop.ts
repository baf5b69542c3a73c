/** The shop on SQLite, in the thread that has the database: every write goes through the group commit. */
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { GroupCommit } from '../group-commit.ts';
import { valuesOf } from '../settings.ts';
import type { NewProduct, PurchaseOutcome, PurchaseRequest, Shop, ShopOrder } from '../shop.ts';
import { SqliteBook } from './sqlite-book.ts';
import { pragmas } from './sqlite-pragmas.ts';

export function openSqliteShop(folder: string, broken: boolean): Shop {
  const database = new DatabaseSync(join(folder, 'shop.sqlite'));
  for (const [name, value] of valuesOf(pragmas)) database.exec(`PRAGMA ${name} = ${value}`);
  return broken ? new BrokenSqliteShop(database) : new SqliteShop(database);
}

class SqliteShop implements Shop {
  protected readonly book: SqliteBook;
  protected readonly commits: GroupCommit;
  readonly #database: DatabaseSyncInstance;

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
    this.book = new SqliteBook(database);
    this.commits = new GroupCommit(database);
  }

  createAccount(name: string): Promise<number> {
    return this.commits.run(() => this.book.createAccount(name));
  }

  credit(accountId: number, amountMicros: number, reference: string): Promise<boolean> {
    return this.commits.run(() => this.book.credit(accountId, amountMicros, reference));
  }

  issueKey(accountId: number): Promise<string | undefined> {
    return this.commits.run(() => this.book.issueKey(accountId));
  }

  createProduct(product: NewProduct): Promise<number> {
    return this.commits.run(() => this.book.createProduct(product));
  }

  addStock(productId: number, items: readonly string[]): Promise<number | undefined> {
    return this.commits.run(() => this.book.addStock(productId, items));
  }

  purchase(request: PurchaseRequest): Promise<PurchaseOutcome> {
    return this.commits.run(() => this.book.carryOut(request, this.book.decide(request)));
  }

  async balance(apiKey: string): Promise<number | undefined> {
    return this.book.balance(apiKey);
  }

  async order(apiKey: string, orderId: number): Promise<ShopOrder | undefined> {
    return this.book.order(apiKey, orderId);
  }

  async close(): Promise<void> {
    // What came before this is in its group or in an earlier one.
    await this.commits.run(() => undefined);
    this.#database.close();
  }
}

/**
 * The shop broken on purpose: it decides by what it read when the request arrived, outside of the transaction that
 * writes. All of a group see the same item, the same balance and the same free key.
 */
class BrokenSqliteShop extends SqliteShop {
  override purchase(request: PurchaseRequest): Promise<PurchaseOutcome> {
    const decision = this.book.decide(request);
    return this.commits.run(() => this.book.carryOut(request, decision));
  }
}
