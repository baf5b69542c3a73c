/** What is there when the month begins: operators, accounts with keys, products of every kind, a supplier. */
import assert from 'node:assert/strict';
import type { ReferenceSupplier } from '../../../examples/supplier/reference-supplier.ts';
import type { Ledger, LedgerProduct } from './ledger.ts';
import type { Shop } from './shop.ts';
import { type Operator, STAFF } from './staff.ts';

const KINDS: readonly LedgerProduct['kind'][] = [
  'stock',
  'stock',
  'recipient',
  'manual',
  'supplied',
  'empty',
  'late',
];
const SKUS = { supplied: 'codes', empty: 'out-of-stock', late: 'late' } as const;
const FIRST_PRICE_MICROS = 1_370_000;
const REASON = 'the shop opens';

export async function openShop(
  shop: Shop,
  ledger: Ledger,
  supplier: ReferenceSupplier,
  accounts: number,
): Promise<void> {
  for (const { name, role } of STAFF) {
    const { token, requestId } = await shop.tell<{ token: string }>('root', 'POST', '/operators', {
      name,
      role,
      reason: REASON,
    });
    shop.setToken(name, token);
    enter(shop, ledger, 'root', 'OperatorCreated', { requestId });
  }
  const { url, secret } = supplier;
  const created = await shop.tell<{ supplierId: number }>('emil', 'POST', '/suppliers', {
    name: 'Codes',
    url,
    secret,
    reason: REASON,
  });
  enter(shop, ledger, 'emil', 'SupplierCreated', created);
  for (const kind of KINDS) await openProduct(shop, ledger, kind, created.supplierId);
  for (let count = 0; count < accounts; count += 1) await openAccount(shop, ledger, `buyer ${count}`);
}

async function openAccount(shop: Shop, ledger: Ledger, name: string): Promise<void> {
  const { accountId, requestId } = await shop.tell<{ accountId: number }>('emil', 'POST', '/accounts', {
    name,
    rateLimitPerMinute: null,
    reason: REASON,
  });
  enter(shop, ledger, 'emil', 'AccountCreated', { requestId, accountId });
  const issued = await shop.tell<{ apiKey: string }>('emil', 'POST', `/accounts/${accountId}/key`, {
    reason: REASON,
  });
  enter(shop, ledger, 'emil', 'KeyIssued', { requestId: issued.requestId, accountId });
  ledger.accounts.push({
    accountId,
    apiKey: issued.apiKey,
    movements: [],
    orders: [],
    credits: [],
    balanceMicros: 0,
    turn: Promise.resolve(),
  });
}

async function openProduct(
  shop: Shop,
  ledger: Ledger,
  kind: LedgerProduct['kind'],
  supplierId: number,
): Promise<void> {
  const priceMicros = FIRST_PRICE_MICROS + ledger.products.length * 110_000;
  const sku = kind in SKUS ? { supplierId, supplierSku: SKUS[kind as keyof typeof SKUS] } : {};
  const { productId, requestId } = await shop.tell<{ productId: number }>('ben', 'POST', '/products', {
    name: `${kind} ${ledger.products.length}`,
    description: 'one code',
    instructions: '',
    type: kind === 'manual' ? 'manual' : 'standard',
    priceUsdt: priceMicros / 1e6,
    requiresRecipient: kind === 'recipient' || kind === 'manual',
    allowDuplicates: false,
    ...sku,
    reason: REASON,
  });
  enter(shop, ledger, 'ben', 'ProductCreated', { requestId, productId });
  ledger.products.push({ productId, kind, priceMicros, onShelf: 0 });
}

interface Made {
  readonly requestId: string;
  readonly accountId?: number;
  readonly productId?: number;
}

function enter(shop: Shop, ledger: Ledger, operator: Operator, action: string, made: Made): void {
  const { requestId, accountId, productId } = made;
  assert.ok(requestId);
  const { shift } = shop;
  ledger.deeds.push({ operator, action, reason: REASON, shift, requestId, accountId, productId });
}
