/**
 * The shop's tables in SQLite, and what each call does to them: synchronous, and inside whatever transaction is open.
 *
 * A purchase first reads and decides, then writes. So a refusal has written nothing that would have to be taken back,
 * and many purchases can share a transaction without savepoints.
 */
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { hashOfApiKey, newApiKey } from '../api-keys.ts';
import type { NewProduct, PurchaseOutcome, PurchaseRequest, Refusal, ShopOrder } from '../shop.ts';

/**
 * The primary key of `purchases` is what makes a key buy once; it has refusals, too, because those are repeated
 * (SPEC.md, section 4). Stock that is sold is deleted: its text is in the order.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS accounts (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, balance INTEGER NOT NULL DEFAULT 0 CHECK (balance >= 0)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS credits (
    account INTEGER NOT NULL, reference TEXT NOT NULL, amount INTEGER NOT NULL, PRIMARY KEY (account, reference)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS api_keys (
    hash TEXT PRIMARY KEY, account INTEGER NOT NULL UNIQUE
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS products (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL, instructions TEXT NOT NULL,
    type TEXT NOT NULL, price INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS stock (
    product INTEGER NOT NULL, number INTEGER NOT NULL, item TEXT NOT NULL, PRIMARY KEY (product, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS uploads (
    product INTEGER PRIMARY KEY, items INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY, account INTEGER NOT NULL, product INTEGER NOT NULL, price INTEGER NOT NULL,
    item TEXT NOT NULL, instructions TEXT NOT NULL, created_at INTEGER NOT NULL, balance_after INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS purchases (
    account INTEGER NOT NULL, key TEXT NOT NULL, request_hash TEXT NOT NULL, order_id INTEGER,
    refusal TEXT, current_price INTEGER, PRIMARY KEY (account, key)
  ) STRICT, WITHOUT ROWID;
`;

const orderColumns = `id AS orderId, product AS productId, price AS priceMicros, item, instructions,
  created_at AS createdAtMs, balance_after AS balanceAfterMicros`;

interface AccountRow {
  readonly id: number;
  readonly balance: number;
}

interface ProductRow {
  readonly price: number;
  readonly instructions: string;
}

interface StockRow {
  readonly number: number;
  readonly item: string;
}

interface EarlierRow {
  readonly request_hash: string;
  readonly order_id: number | null;
  readonly refusal: Refusal | null;
  readonly current_price: number | null;
}

type Refused = Extract<PurchaseOutcome, { readonly refusal: Refusal }>;

/** Read, and not written yet. */
export type Decision =
  | { readonly kind: 'answer'; readonly outcome: PurchaseOutcome }
  | { readonly kind: 'refuse'; readonly account: number; readonly refused: Refused }
  | {
      readonly kind: 'sell';
      readonly account: AccountRow;
      readonly product: ProductRow;
      readonly stock: StockRow;
    };

export class SqliteBook {
  readonly #database: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
    database.exec(schema);
  }

  createAccount(name: string): number {
    return Number(this.#run('INSERT INTO accounts (name) VALUES (?)', name).lastInsertRowid);
  }

  /** Credits an account. Here and in the next two nothing is done, and the answer says so, when the id is unknown. */
  credit(account: number, amountMicros: number, reference: string): boolean {
    if (!this.#has('accounts', account)) return false;
    const { changes } = this.#run(
      'INSERT OR IGNORE INTO credits (account, reference, amount) VALUES (?, ?, ?)',
      account,
      reference,
      amountMicros,
    );
    if (changes > 0) {
      this.#run('UPDATE accounts SET balance = balance + ? WHERE id = ?', amountMicros, account);
    }
    return true;
  }

  issueKey(account: number): string | undefined {
    if (!this.#has('accounts', account)) return undefined;
    const { apiKey, hash } = newApiKey();
    this.#run('INSERT OR REPLACE INTO api_keys (hash, account) VALUES (?, ?)', hash, account);
    return apiKey;
  }

  createProduct({ name, description, instructions, type, priceMicros }: NewProduct): number {
    const { lastInsertRowid } = this.#run(
      'INSERT INTO products (name, description, instructions, type, price) VALUES (?, ?, ?, ?, ?)',
      name,
      description,
      instructions,
      type,
      priceMicros,
    );
    return Number(lastInsertRowid);
  }

  addStock(product: number, items: readonly string[]): number | undefined {
    if (!this.#has('products', product)) return undefined;
    const uploaded = this.#get<{ items: number }>('SELECT items FROM uploads WHERE product = ?', product);
    let number = uploaded?.items ?? 0;
    const insert = this.#statement('INSERT INTO stock (product, number, item) VALUES (?, ?, ?)');
    for (const item of items) insert.run(product, number++, item);
    this.#run('INSERT OR REPLACE INTO uploads (product, items) VALUES (?, ?)', product, number);
    return items.length;
  }

  balance(apiKey: string): number | undefined {
    return this.#accountOf(apiKey)?.balance;
  }

  order(apiKey: string, orderId: number): ShopOrder | undefined {
    const account = this.#accountOf(apiKey)?.id ?? -1;
    return this.#get(`SELECT ${orderColumns} FROM orders WHERE id = ? AND account = ?`, orderId, account);
  }

  /** Reads only. */
  decide(request: PurchaseRequest): Decision {
    const answer = (outcome: PurchaseOutcome): Decision => ({ kind: 'answer', outcome });
    const account = this.#accountOf(request.apiKey);
    if (account === undefined) return answer({ refusal: 'INVALID_API_KEY' });
    const earlier = this.#get<EarlierRow>(
      'SELECT request_hash, order_id, refusal, current_price FROM purchases WHERE account = ? AND key = ?',
      account.id,
      request.idempotencyKey,
    );
    if (earlier !== undefined) return answer(this.#again(earlier, request));
    const refuse = (refusal: Refusal, currentPriceMicros?: number): Decision => ({
      kind: 'refuse',
      account: account.id,
      refused: { refusal, ...(currentPriceMicros === undefined ? {} : { currentPriceMicros }) },
    });
    const { productId } = request;
    const product = this.#get<ProductRow>('SELECT price, instructions FROM products WHERE id = ?', productId);
    if (product === undefined) return refuse('PRODUCT_NOT_FOUND');
    if (product.price !== request.expectedPriceMicros) return refuse('PRICE_CHANGED', product.price);
    const stock = this.#get<StockRow>(
      'SELECT number, item FROM stock WHERE product = ? ORDER BY number LIMIT 1',
      productId,
    );
    if (stock === undefined) return answer({ refusal: 'OUT_OF_STOCK' });
    if (account.balance < product.price) return refuse('INSUFFICIENT_BALANCE');
    return { kind: 'sell', account, product, stock };
  }

  /** Writes what was decided. */
  carryOut(request: PurchaseRequest, decision: Decision): PurchaseOutcome {
    const { productId, idempotencyKey, requestHash } = request;
    if (decision.kind === 'answer') return decision.outcome;
    if (decision.kind === 'refuse') {
      const { account, refused } = decision;
      const price = refused.currentPriceMicros ?? null;
      this.#remember(account, idempotencyKey, requestHash, null, refused.refusal, price);
      return refused;
    }
    const { account, product, stock } = decision;
    const createdAtMs = Date.now();
    const balanceAfterMicros = account.balance - product.price;
    this.#run('DELETE FROM stock WHERE product = ? AND number = ?', productId, stock.number);
    this.#run('UPDATE accounts SET balance = ? WHERE id = ?', balanceAfterMicros, account.id);
    const { lastInsertRowid } = this.#run(
      `INSERT INTO orders (account, product, price, item, instructions, created_at, balance_after)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      account.id,
      productId,
      product.price,
      stock.item,
      product.instructions,
      createdAtMs,
      balanceAfterMicros,
    );
    const orderId = Number(lastInsertRowid);
    this.#remember(account.id, idempotencyKey, requestHash, orderId, null, null);
    const { item } = stock;
    const { price: priceMicros, instructions } = product;
    return {
      order: { orderId, productId, priceMicros, item, instructions, createdAtMs, balanceAfterMicros },
    };
  }

  #again(earlier: EarlierRow, request: PurchaseRequest): PurchaseOutcome {
    if (earlier.request_hash !== request.requestHash) return { refusal: 'IDEMPOTENCY_KEY_CONFLICT' };
    if (earlier.order_id !== null) {
      const order = this.#get<ShopOrder>(`SELECT ${orderColumns} FROM orders WHERE id = ?`, earlier.order_id);
      if (order !== undefined) return { order };
    }
    if (earlier.refusal === null) throw new Error(`a purchase without an outcome: ${request.idempotencyKey}`);
    const price = earlier.current_price;
    return { refusal: earlier.refusal, ...(price === null ? {} : { currentPriceMicros: price }) };
  }

  #remember(...values: readonly (number | string | null)[]): void {
    this.#run(
      `INSERT INTO purchases (account, key, request_hash, order_id, refusal, current_price)
       VALUES (?, ?, ?, ?, ?, ?)`,
      ...values,
    );
  }

  #accountOf(apiKey: string): AccountRow | undefined {
    return this.#get(
      'SELECT accounts.id, balance FROM api_keys JOIN accounts ON accounts.id = account WHERE hash = ?',
      hashOfApiKey(apiKey),
    );
  }

  #has(table: 'accounts' | 'products', id: number): boolean {
    return this.#get(`SELECT 1 FROM ${table} WHERE id = ?`, id) !== undefined;
  }

  #get<Row>(sql: string, ...values: readonly (number | string | null)[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  #run(sql: string, ...values: readonly (number | string | null)[]) {
    return this.#statement(sql).run(...values);
  }

  /** Prepared once. */
  #statement(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
