/**
 * The common part of the two ways to buy with PostgreSQL: everything but the attempt itself.
 *
 * An attempt takes the Idempotency-Key first, then an item by FOR UPDATE SKIP LOCKED, and locks the wallet last. When it
 * is refused, nothing of it stays; a refusal that SPEC.md stores with the key is stored after it.
 */
import { DatabaseError, Pool, type QueryResult, types } from 'pg';
import { hashOfApiKey, newApiKey } from '../api-keys.ts';
import type { OpenShop, OpenShopOptions } from '../peer.ts';
import type { NewProduct, PurchaseOutcome, PurchaseRequest, Refusal, Shop, ShopOrder } from '../shop.ts';
import { type OrderRow, orderColumns, orderOf, type StoredRow, storedOutcome } from '../sql-orders.ts';
import { postgresConnection, postgresConnections } from './postgres-server.ts';

/**
 * So many items in one upload that the planner must know of them at once: statements that were prepared when the table
 * was small would go on reading all of it, until autovacuum looks at it.
 */
const bigUpload = 1_000;
/** PostgreSQL's code of the error when a foreign key points to no row. */
const foreignKeyViolation = '23503';

/** Prepared once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

const storeRefusal: Statement = {
  name: 'store-refusal',
  text: `insert into orders
      (account_id, idempotency_key, request_hash, product_id, price_micros, created_at_ms, refusal)
    select k.account_id, $2, $3, $4, p.price_micros, $5, $6
    from api_keys k left join products p on p.product_id = $4
    where k.key_hash = $1
    on conflict (account_id, idempotency_key) do nothing`,
};
const findByKey: Statement = {
  name: 'find-by-key',
  text: `select o.request_hash, o.refusal, p.instructions, ${orderColumns}
    from api_keys k
    left join orders o on o.account_id = k.account_id and o.idempotency_key = $2
    left join products p on p.product_id = o.product_id
    where k.key_hash = $1`,
};
const findById: Statement = {
  name: 'find-by-id',
  text: `select p.instructions, ${orderColumns}
    from api_keys k
    join orders o on o.order_id = $2 and o.account_id = k.account_id
    join products p on p.product_id = o.product_id
    where k.key_hash = $1 and o.refusal is null`,
};
const readBalance: Statement = {
  name: 'read-balance',
  text: 'select balance_micros from api_keys join wallets using (account_id) where key_hash = $1',
};

/** `taken`: an order has the key already, or nobody has the API key. */
export type Attempt = { readonly sold: ShopOrder } | { readonly refused: Refusal } | 'taken';

/** The common part of the two peers: everything but the attempt to buy. */
export abstract class PostgresShop implements Shop {
  protected readonly pool: Pool;
  protected readonly broken: boolean;

  constructor({ address, processes, broken }: OpenShopOptions) {
    this.broken = broken;
    const max = Math.max(1, Math.floor(postgresConnections / processes));
    this.pool = new Pool({ ...postgresConnection(address), max, idleTimeoutMillis: 0, pipeline: true });
    // An idle connection whose server has gone; the next query says so.
    this.pool.on('error', () => undefined);
  }

  /** Buys, or leaves nothing behind. */
  protected abstract attempt(request: PurchaseRequest): Promise<Attempt>;

  async purchase(request: PurchaseRequest): Promise<PurchaseOutcome> {
    const attempt = await this.attempt(request);
    if (attempt === 'taken') return this.#stored(request);
    if ('sold' in attempt) return { order: attempt.sold };
    // Not stored with the key: it may be tried again.
    if (attempt.refused === 'OUT_OF_STOCK') return { refusal: 'OUT_OF_STOCK' };
    const { apiKey, idempotencyKey, requestHash, productId } = request;
    const values = [
      hashOfApiKey(apiKey),
      idempotencyKey,
      requestHash,
      productId,
      Date.now(),
      attempt.refused,
    ];
    await this.pool.query({ ...storeRefusal, values });
    // Of copies of one request, the first to get here says what all are answered.
    return this.#stored(request);
  }

  async #stored(request: PurchaseRequest): Promise<PurchaseOutcome> {
    const values = [hashOfApiKey(request.apiKey), request.idempotencyKey];
    const [row] = (await this.pool.query<StoredRow>({ ...findByKey, values })).rows;
    if (row === undefined) return { refusal: 'INVALID_API_KEY' };
    if (row.order_id === null)
      throw new Error(`a key was taken that no order has: ${request.idempotencyKey}`);
    return storedOutcome(row, request);
  }

  async createAccount(name: string): Promise<number> {
    const text = `with made as (insert into accounts (name) values ($1) returning account_id)
      insert into wallets select account_id, 0 from made returning account_id as id`;
    return idOf(await this.pool.query(text, [name]));
  }

  async credit(accountId: number, amountMicros: number, reference: string): Promise<boolean> {
    const text = `with made as (
        insert into credits (account_id, reference, amount_micros) values ($1, $2, $3)
        on conflict do nothing returning account_id, amount_micros
      )
      update wallets set balance_micros = balance_micros + made.amount_micros
      from made where wallets.account_id = made.account_id`;
    return isKnown(this.pool.query(text, [accountId, reference, amountMicros]));
  }

  async issueKey(accountId: number): Promise<string | undefined> {
    const { apiKey, hash } = newApiKey();
    const text = `insert into api_keys (account_id, key_hash) values ($1, $2)
      on conflict (account_id) do update set key_hash = excluded.key_hash`;
    return (await isKnown(this.pool.query(text, [accountId, hash]))) ? apiKey : undefined;
  }

  async createProduct({ name, description, instructions, type, priceMicros }: NewProduct): Promise<number> {
    const text = `insert into products (name, description, instructions, type, price_micros)
      values ($1, $2, $3, $4, $5) returning product_id as id`;
    return idOf(await this.pool.query(text, [name, description, instructions, type, priceMicros]));
  }

  async addStock(productId: number, items: readonly string[]): Promise<number | undefined> {
    const text = 'insert into items (product_id, item) select $1, unnest($2::text[])';
    if (!(await isKnown(this.pool.query(text, [productId, items])))) return undefined;
    if (items.length >= bigUpload) await this.pool.query('analyze items');
    return items.length;
  }

  async balance(apiKey: string): Promise<number | undefined> {
    const values = [hashOfApiKey(apiKey)];
    const { rows } = await this.pool.query<{ balance_micros: number }>({ ...readBalance, values });
    return rows[0]?.balance_micros;
  }

  async order(apiKey: string, orderId: number): Promise<ShopOrder | undefined> {
    const values = [hashOfApiKey(apiKey), orderId];
    const [row] = (await this.pool.query<OrderRow>({ ...findById, values })).rows;
    return row === undefined ? undefined : orderOf(row);
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}

/** False when a foreign key points to no row. */
async function isKnown(query: Promise<unknown>): Promise<boolean> {
  try {
    await query;
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === foreignKeyViolation) return false;
    throw error;
  }
}

function idOf({ rows }: QueryResult<{ id: number }>): number {
  const [row] = rows;
  if (row === undefined) throw new Error('nothing was inserted');
  return row.id;
}

/** `bigint` comes as a number: none of ours is beyond 2^53. */
export function openWith(ShopClass: new (options: OpenShopOptions) => PostgresShop): OpenShop {
  return async (options) => {
    types.setTypeParser(types.builtins.INT8, Number);
    return new ShopClass(options);
  };
}
