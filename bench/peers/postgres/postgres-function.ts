/** PostgreSQL, the purchase as one call of a PL/pgSQL function: one round trip, which commits by itself. */
import { DatabaseError } from 'pg';
import type { PurchaseRequest, Refusal } from '../shop.ts';
import { type OrderRow, orderOf, purchaseValues } from '../sql-orders.ts';
import { refusalState } from './postgres-schema.ts';
import { type Attempt, openWith, PostgresShop, type Statement } from './postgres-shop.ts';

const callPurchase: Statement = {
  name: 'purchase',
  text: 'select * from purchase($1, $2, $3, $4, $5, $6, $7)',
};
class FunctionShop extends PostgresShop {
  protected async attempt(request: PurchaseRequest): Promise<Attempt> {
    // Not by the pool's own `query`: that closes the connection of every query that fails, as refusals do.
    const client = await this.pool.connect();
    try {
      const { rows } = await client.query<Omit<OrderRow, 'product_id'>>({
        ...callPurchase,
        values: [...purchaseValues(request), this.broken],
      });
      client.release();
      const [row] = rows;
      return row === undefined ? 'taken' : { sold: orderOf({ ...row, product_id: request.productId }) };
    } catch (error) {
      const isRefusal = error instanceof DatabaseError && error.code === refusalState;
      client.release(!isRefusal);
      if (!isRefusal) throw error;
      return { refused: error.message as Refusal };
    }
  }
}

export const openPostgresFunction = openWith(FunctionShop);
