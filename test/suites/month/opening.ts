/** The shop when the month begins: operators, accounts with keys, products of every kind, a supplier. */
import type { LedgerProduct } from './ledger.ts';
import type { Month } from './month.ts';
import { type Operator, STAFF } from './staff.ts';

const KINDS: readonly LedgerProduct['kind'][] = ['stock', 'stock', 'stock', 'manual', 'supplied', 'late'];
const SKUS = { supplied: 'codes', late: 'late' } as const;
const FIRST_PRICE_MICROS = 1_370_000;

export async function openShop({ shop, ledger, supplier }: Month, accounts: number): Promise<void> {
  const make = <Body>(operator: Operator, path: string, body: object) =>
    shop.tell<Body>(operator, 'POST', path, body);
  for (const { name, role } of STAFF) {
    const { token } = await make<{ token: string }>('root', '/operators', { name, role });
    shop.setToken(name, token);
  }
  const { url, secret } = supplier;
  const codes = { name: 'Codes', url, secret };
  const { supplierId } = await make<{ supplierId: number }>('emil', '/suppliers', codes);
  for (const [index, kind] of KINDS.entries()) {
    const priceMicros = FIRST_PRICE_MICROS + index * 110_000;
    const sku = kind in SKUS ? { supplierId, supplierSku: SKUS[kind as keyof typeof SKUS] } : {};
    const { productId } = await make<{ productId: number }>('ben', '/products', {
      name: `${kind} ${index}`,
      type: kind === 'manual' ? 'manual' : 'standard',
      priceUsdt: priceMicros / 1e6,
      ...sku,
    });
    ledger.products.push({ productId, kind, priceMicros, onShelf: 0 });
  }
  for (let count = 0; count < accounts; count += 1) {
    const profile = { name: `buyer ${count}`, rateLimitPerMinute: null };
    const { accountId } = await make<{ accountId: number }>('emil', '/accounts', profile);
    const { apiKey } = await make<{ apiKey: string }>('emil', `/accounts/${accountId}/key`, {});
    const nothing = { movements: [], orders: [], credits: [], balanceMicros: 0, turn: Promise.resolve() };
    ledger.accounts.push({ accountId, apiKey, ...nothing });
  }
}
