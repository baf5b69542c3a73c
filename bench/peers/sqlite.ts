/**
 * SQLite inside the HTTP process: no server, no socket, and a group commit over everything that has arrived.
 */
import { join } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { GroupCommit } from './group-commit.ts';
import type { Peer } from './peer.ts';
import type { NewProduct, PurchaseOutcome, PurchaseRequest, Shop, ShopOrder } from './shop.ts';
import { SqliteBook } from './sqlite-book.ts';

/**
 * `EXCLUSIVE` comes before `WAL`: one connection has the file for itself, so that the index of the log is in its own
 * memory and needs no locks.
 */
const pragmas = {
  locking_mode: 'EXCLUSIVE',
  journal_mode: 'WAL',
  synchronous: 'FULL',
  wal_autocheckpoint: '4000',
  journal_size_limit: '67108864',
  cache_size: '-131072',
  mmap_size: '1073741824',
  temp_store: 'MEMORY',
} as const;

export const sqlite: Peer = {
  name: 'sqlite',
  durable: true,
  maxProcesses: 1,
  configuration: {
    place: 'in the HTTP process, one connection',
    commit: 'one transaction and one sync for all purchases that have arrived',
    ...pragmas,
  },
  missing: async () => {
    try {
      await import('@photostructure/sqlite');
      return undefined;
    } catch (error) {
      const [reason] = String((error as Error).message).split('\n');
      return `the package @photostructure/sqlite can't be loaded (${reason}): run npm ci`;
    }
  },
  version: async () => {
    const { DatabaseSync } = await import('@photostructure/sqlite');
    const database = new DatabaseSync(':memory:');
    const row = database.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    database.close();
    return `SQLite ${row.version}`;
  },
  openShop: ({ folder, broken }) => sqliteShop(folder, broken),
};

export async function sqliteShop(folder: string, broken: boolean): Promise<Shop> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const database = new DatabaseSync(join(folder, 'shop.sqlite'));
  for (const [name, value] of Object.entries(pragmas)) database.exec(`PRAGMA ${name} = ${value}`);
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

  credit(accountId: number, amountMicros: number, reference: string): Promise<void> {
    return this.commits.run(() => this.book.credit(accountId, amountMicros, reference));
  }

  issueKey(accountId: number): Promise<string> {
    return this.commits.run(() => this.book.issueKey(accountId));
  }

  createProduct(product: NewProduct): Promise<number> {
    return this.commits.run(() => this.book.createProduct(product));
  }

  addStock(productId: number, items: readonly string[]): Promise<number> {
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
    // What has arrived before is in a group before this one.
    await this.commits.run(() => undefined);
    this.#database.close();
  }
}

/**
 * What is left out: it decides by what it read when the request arrived, outside of the transaction that writes. All of
 * a group see the same item, the same balance and the same free key.
 */
class BrokenSqliteShop extends SqliteShop {
  override purchase(request: PurchaseRequest): Promise<PurchaseOutcome> {
    const decision = this.book.decide(request);
    return this.commits.run(() => this.book.carryOut(request, decision));
  }
}
