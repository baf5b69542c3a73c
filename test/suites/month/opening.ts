/** What is there when the month begins: operators, accounts with keys, products of every kind, a supplier. */
import type { Deed, LedgerProduct } from './ledger.ts';
import { enterDeed, type Month, saying } from './month.ts';
import { type Operator, STAFF } from './staff.ts';

const KINDS: readonly LedgerProduct['kind'][] = ['stock', 'stock', 'recipient', 'manual', 'supplied', 'late'];
const SKUS = { supplied: 'codes', late: 'late' } as const;
const FIRST_PRICE_MICROS = 1_370_000;

type Made = Pick<Deed, 'requestId' | 'accountId' | 'productId'>;

export async function openShop(month: Month, accounts: number): Promise<void> {
  const { shop, ledger, supplier } = month;
  /** What is made, and the audit has. */
  const make = async <Body>(
    operator: Operator,
    path: string,
    action: string,
    body: object,
    of: Made = {},
  ) => {
    const who = { operator, reason: 'the shop opens' };
    const made = await shop.tell<Body>(operator, 'POST', path, saying(who, body));
    const { requestId, accountId, productId } = { ...of, ...made } as Made;
    enterDeed(month, who, action, { requestId, accountId, productId });
    return made;
  };
  for (const { name, role } of STAFF) {
    const { token } = await make<{ token: string }>('root', '/operators', 'OperatorCreated', { name, role });
    shop.setToken(name, token);
  }
  const { url, secret } = supplier;
  const codes = { name: 'Codes', url, secret };
  const { supplierId } = await make<{ supplierId: number }>('emil', '/suppliers', 'SupplierCreated', codes);
  for (const [index, kind] of KINDS.entries()) {
    const priceMicros = FIRST_PRICE_MICROS + index * 110_000;
    const sku = kind in SKUS ? { supplierId, supplierSku: SKUS[kind as keyof typeof SKUS] } : {};
    const { productId } = await make<{ productId: number }>('ben', '/products', 'ProductCreated', {
      name: `${kind} ${index}`,
      type: kind === 'manual' ? 'manual' : 'standard',
      priceUsdt: priceMicros / 1e6,
      allowDuplicates: false,
      requiresRecipient: kind === 'recipient' || kind === 'manual',
      ...sku,
    });
    ledger.products.push({ productId, kind, priceMicros, onShelf: 0 });
  }
  for (let count = 0; count < accounts; count += 1) {
    const profile = { name: `buyer ${count}`, rateLimitPerMinute: null };
    const { accountId } = await make<{ accountId: number }>('emil', '/accounts', 'AccountCreated', profile);
    const path = `/accounts/${accountId}/key`;
    const { apiKey } = await make<{ apiKey: string }>('emil', path, 'KeyIssued', {}, { accountId });
    const nothing = { movements: [], orders: [], credits: [], balanceMicros: 0, turn: Promise.resolve() };
    ledger.accounts.push({ accountId, apiKey, ...nothing });
  }
}
