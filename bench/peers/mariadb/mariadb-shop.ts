/** The shop on MariaDB: a purchase is one call of a procedure, one round trip. */
import { createPool, type Pool, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { hashOfApiKey, newApiKey } from '../api-keys.ts';
import type { OpenShop, OpenShopOptions } from '../peer.ts';
import type { NewProduct, PurchaseOutcome, PurchaseRequest, Refusal, Shop, ShopOrder } from '../shop.ts';
import {
  type OrderRow,
  orderColumns,
  orderOf,
  purchaseValues,
  type StoredRow,
  storedOutcome,
} from '../sql-orders.ts';
import { mariadbConnection, mariadbConnections, mariadbDatabase } from './mariadb-server.ts';

/** Numbers of the server's errors. */
const deadlock = 1213;
const duplicateKey = 1062;
const noReferencedRow = 1452;
const mostAttempts = 10;

/** `TAKEN`: an order has the Idempotency-Key. */
type OutcomeRow = OrderRow & { readonly refusal: Refusal | 'TAKEN' | null } & RowDataPacket;

class MariadbShop implements Shop {
  readonly #pool: Pool;
  readonly #broken: boolean;

  constructor({ address, processes, broken }: OpenShopOptions) {
    this.#broken = broken;
    this.#pool = createPool({
      ...mariadbConnection(address),
      database: mariadbDatabase,
      connectionLimit: Math.max(1, Math.floor(mariadbConnections / processes)),
    });
  }

  async purchase(request: PurchaseRequest): Promise<PurchaseOutcome> {
    const attempt = await this.#attempt(request);
    const { refusal } = attempt;
    if (refusal === null) return { order: orderOf(attempt) };
    // Not stored with the key: it may be tried again.
    if (refusal === 'OUT_OF_STOCK' || refusal === 'INVALID_API_KEY') return { refusal };
    if (refusal !== 'TAKEN') await this.#storeRefusal(request, refusal);
    // Of copies of one request, the first says what all are answered.
    return this.#stored(request);
  }

  async #attempt(request: PurchaseRequest): Promise<OutcomeRow> {
    const values = purchaseValues(request);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const text = 'call purchase(?, ?, ?, ?, ?, ?, ?)';
        const [results] = await this.#pool.execute<[OutcomeRow[], ResultSetHeader]>(text, [
          ...values,
          this.#broken,
        ]);
        const [row] = results[0];
        if (row === undefined) throw new Error('the procedure had no outcome');
        return row;
      } catch (error) {
        if (numberOf(error) !== deadlock || attempt === mostAttempts) throw error;
      }
    }
  }

  async #storeRefusal(request: PurchaseRequest, refusal: Refusal): Promise<void> {
    const { apiKey, idempotencyKey, requestHash, productId } = request;
    const text = `insert ignore into orders
        (account_id, idempotency_key, request_hash, product_id, price_micros, created_at_ms, refusal)
      select k.account_id, ?, ?, ?, p.price_micros, ?, ?
      from api_keys k left join products p on p.product_id = ?
      where k.key_hash = ?`;
    const order = [idempotencyKey, requestHash, productId, Date.now(), refusal];
    await this.#pool.execute(text, [...order, productId, hashOfApiKey(apiKey)]);
  }

  async #stored(request: PurchaseRequest): Promise<PurchaseOutcome> {
    const text = `select o.request_hash, o.refusal, p.instructions, ${orderColumns}
      from api_keys k
      join orders o on o.account_id = k.account_id and o.idempotency_key = ?
      left join products p on p.product_id = o.product_id
      where k.key_hash = ?`;
    const values = [request.idempotencyKey, hashOfApiKey(request.apiKey)];
    const [[row]] = await this.#pool.execute<(StoredRow & RowDataPacket)[]>(text, values);
    if (row === undefined) throw new Error(`a key was taken that no order has: ${request.idempotencyKey}`);
    return storedOutcome(row, request);
  }

  async createAccount(name: string): Promise<number> {
    const id = await this.#insert('insert into accounts (name) values (?)', [name]);
    await this.#pool.query('insert into wallets values (?, 0)', [id]);
    return id;
  }

  async credit(accountId: number, amountMicros: number, reference: string): Promise<boolean> {
    const connection = await this.#pool.getConnection();
    try {
      await connection.beginTransaction();
      await connection.query('insert into credits values (?, ?, ?)', [accountId, reference, amountMicros]);
      const text = 'update wallets set balance_micros = balance_micros + ? where account_id = ?';
      await connection.query(text, [amountMicros, accountId]);
      await connection.commit();
      return true;
    } catch (error) {
      await connection.rollback();
      if (numberOf(error) === duplicateKey) return true;
      if (numberOf(error) === noReferencedRow) return false;
      throw error;
    } finally {
      connection.release();
    }
  }

  async issueKey(accountId: number): Promise<string | undefined> {
    const { apiKey, hash } = newApiKey();
    const added = await rowsOf(
      this.#pool.query<ResultSetHeader>('replace into api_keys values (?, ?)', [accountId, hash]),
    );
    return added === undefined ? undefined : apiKey;
  }

  createProduct({ name, description, instructions, type, priceMicros }: NewProduct): Promise<number> {
    const text = `insert into products (name, description, instructions, type, price_micros)
      values (?, ?, ?, ?, ?)`;
    return this.#insert(text, [name, description, instructions, type, priceMicros]);
  }

  async addStock(productId: number, items: readonly string[]): Promise<number | undefined> {
    const rows = items.map((item) => [productId, item]);
    const text = 'insert into items (product_id, item) values ?';
    return rowsOf(this.#pool.query<ResultSetHeader>(text, [rows]));
  }

  async balance(apiKey: string): Promise<number | undefined> {
    const text = 'select balance_micros from api_keys join wallets using (account_id) where key_hash = ?';
    const [[row]] = await this.#pool.execute<RowDataPacket[]>(text, [hashOfApiKey(apiKey)]);
    return row?.balance_micros;
  }

  async order(apiKey: string, orderId: number): Promise<ShopOrder | undefined> {
    const text = `select p.instructions, ${orderColumns}
      from api_keys k
      join orders o on o.order_id = ? and o.account_id = k.account_id
      join products p on p.product_id = o.product_id
      where k.key_hash = ? and o.refusal is null`;
    const [[row]] = await this.#pool.execute<(OrderRow & RowDataPacket)[]>(text, [
      orderId,
      hashOfApiKey(apiKey),
    ]);
    return row === undefined ? undefined : orderOf(row);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #insert(text: string, values: (string | number)[]): Promise<number> {
    return (await this.#pool.query<ResultSetHeader>(text, values))[0].insertId;
  }
}

/** How many were written; undefined when a foreign key points to no row. */
async function rowsOf(insert: Promise<[ResultSetHeader, unknown]>): Promise<number | undefined> {
  try {
    return (await insert)[0].affectedRows;
  } catch (error) {
    if (numberOf(error) === noReferencedRow) return undefined;
    throw error;
  }
}

function numberOf(error: unknown): number | undefined {
  return (error as { errno?: number }).errno;
}

export const openMariadbShop: OpenShop = async (options) => new MariadbShop(options);
