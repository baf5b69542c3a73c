/** PostgreSQL, the purchase as a transaction of prepared statements: four round trips. */
import type { PoolClient } from 'pg';
import { hashOfApiKey } from '../api-keys.ts';
import type { PurchaseRequest } from '../shop.ts';
import { type Attempt, openWith, PostgresShop, type Statement } from './postgres-shop.ts';

const claim: Statement = {
  name: 'claim',
  text: `insert into orders (account_id, idempotency_key, request_hash, product_id, price_micros, created_at_ms)
    select k.account_id, $2, $3, $4, p.price_micros, $5
    from api_keys k left join products p on p.product_id = $4
    where k.key_hash = $1
    on conflict (account_id, idempotency_key) do nothing
    returning order_id, account_id, price_micros`,
};
const takeItem: Statement = {
  name: 'take-item',
  text: `delete from items where product_id = $1 and item_id = (
      select item_id from items where product_id = $1 order by item_id limit 1 for update skip locked
    ) returning item`,
};
const settle: Statement = {
  name: 'settle',
  text: `with paid as (
      update wallets set balance_micros = balance_micros - $2
      where account_id = $1 and balance_micros >= $2 returning balance_micros
    )
    update orders set item = $4, balance_after_micros = paid.balance_micros from paid where order_id = $3
    returning balance_after_micros,
      (select instructions from products where products.product_id = orders.product_id) as instructions`,
};
const readItem: Statement = {
  name: 'read-item',
  text: 'select item_id, item from items where product_id = $1 order by item_id limit 1',
};
const deleteItem: Statement = {
  name: 'delete-item',
  text: 'delete from items where product_id = $1 and item_id = $2',
};
class StatementsShop extends PostgresShop {
  protected async attempt(request: PurchaseRequest): Promise<Attempt> {
    const client = await this.pool.connect();
    try {
      const attempt = await this.#transaction(client, request);
      const isSold = attempt !== 'taken' && 'sold' in attempt;
      await client.query(isSold ? 'commit' : 'rollback');
      client.release();
      return attempt;
    } catch (error) {
      // The connection goes, and the transaction with it.
      client.release(true);
      throw error;
    }
  }

  async #transaction(client: PoolClient, request: PurchaseRequest): Promise<Attempt> {
    const { apiKey, idempotencyKey, requestHash, productId, expectedPriceMicros } = request;
    const createdAtMs = Date.now();
    const values = [hashOfApiKey(apiKey), idempotencyKey, requestHash, productId, createdAtMs];
    // Sent together.
    const [, claimed] = await Promise.all([
      client.query('begin'),
      client.query<{ order_id: number; account_id: number; price_micros: number | null }>({
        ...claim,
        values,
      }),
    ]);
    const [order] = claimed.rows;
    if (order === undefined) return 'taken';
    const { order_id: orderId, account_id: accountId, price_micros: priceMicros } = order;
    if (priceMicros === null) return { refused: 'PRODUCT_NOT_FOUND' };
    if (priceMicros !== expectedPriceMicros) return { refused: 'PRICE_CHANGED' };
    const item = await this.#takeItem(client, productId);
    if (item === undefined) return { refused: 'OUT_OF_STOCK' };
    const settled = await client.query<{ balance_after_micros: number; instructions: string }>({
      ...settle,
      values: [accountId, priceMicros, orderId, item],
    });
    const [row] = settled.rows;
    if (row === undefined) return { refused: 'INSUFFICIENT_BALANCE' };
    const { balance_after_micros: balanceAfterMicros, instructions } = row;
    return {
      sold: { orderId, productId, priceMicros, item, instructions, createdAtMs, balanceAfterMicros },
    };
  }

  async #takeItem(client: PoolClient, productId: number): Promise<string | undefined> {
    if (!this.broken) {
      return (await client.query<{ item: string }>({ ...takeItem, values: [productId] })).rows[0]?.item;
    }
    // Broken on purpose: others read the same item meanwhile, and nobody looks whether it was still there to delete.
    const { rows } = await client.query<{ item_id: number; item: string }>({
      ...readItem,
      values: [productId],
    });
    await client.query({ ...deleteItem, values: [productId, rows[0]?.item_id] });
    return rows[0]?.item;
  }
}

export const openPostgresStatements = openWith(StatementsShop);
