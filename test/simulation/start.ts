/** The start of every simulation, in facts and as the naive shop has it. */
import type { Fact } from '../../src/engine/fact.ts';
import type { ProductProfile, SupplierSource } from '../../src/engine/products.ts';
import type { SecretCipher } from '../../src/persistence/keys/secret-cipher.ts';
import { PRODUCT } from '../engine/commands.ts';
import type { NaiveType } from '../engine/naive/naive-order.ts';
import { NaiveShop } from '../engine/naive-shop.ts';

export const START_MS = 1_700_000_000_000;
export const ACCOUNTS = [1, 2] as const;
export const SUPPLIERS = [1, 2, 3] as const;
export const PRICE_LISTS = [1, 2] as const;
/** By product. */
export const TYPES: readonly NaiveType[] = ['standard', 'supplied', 'supplied', 'manual'];
/** The number of products that have stock of their own; they come first. */
export const STOCKED = 3;
export const START_STOCK = 3;
/** One account can buy for long, the other is soon at its end. Each has the price list of its number. */
const START_USDT = { 1: 150, 2: 25 } as const;

export function secretOf(supplierId: number): string {
  return `the secret of supplier ${supplierId}`;
}

export function startShop(): NaiveShop {
  const wallets = Object.fromEntries(ACCOUNTS.map((account) => [account, 0]));
  const shop = new NaiveShop(wallets, TYPES, START_STOCK);
  for (const [index, product] of shop.products.entries()) {
    if (product.type === 'supplied') product.suppliers = suppliersOf(index + 1);
  }
  for (const account of ACCOUNTS) {
    shop.adjust(account, 'start', START_USDT[account]);
    shop.keys[account] = 'first';
    shop.terms.listOf.set(account, account);
    shop.terms.percents.set(account, 100);
  }
  shop.terms.setPrice('list 1', 2, { unit: 1, tiers: [] });
  return shop;
}

export function startFacts(secrets: SecretCipher): Fact[] {
  const atMs = START_MS;
  const facts: Fact[] = [];
  const prices = [{ productId: 2, price: { priceMicros: 1e6, priceTiers: [] }, before: null }];
  for (const priceListId of PRICE_LISTS)
    facts.push({ kind: 'PriceListCreated', priceListId, profile: { name: 'list', percent: 10_000 }, atMs });
  facts.push({ kind: 'PricesChanged', priceListId: 1, prices, atMs });
  for (const accountId of ACCOUNTS) {
    const profile = {
      priceListId: accountId,
      name: `Account ${accountId}`,
      rateLimitPerMinute: null,
      webhookConcurrency: 1,
    };
    const amountMicros = START_USDT[accountId] * 1e6;
    const credit = { accountId, reference: 'start', amountMicros, balanceAfterMicros: amountMicros };
    facts.push({ kind: 'AccountCreated', accountId, profile, atMs });
    facts.push({ kind: 'WalletCredited', credit, atMs });
    facts.push({ kind: 'KeyIssued', accountId, key: apiKey('first'), atMs });
  }
  for (const supplierId of SUPPLIERS) {
    const sealedSecret = secrets.seal(secretOf(supplierId));
    const profile = { name: `Supplier ${supplierId}`, url: 'http://supplier.example', sealedSecret };
    facts.push({ kind: 'SupplierCreated', supplierId, profile, atMs });
  }
  for (const [index, type] of TYPES.entries()) {
    const productId = index + 1;
    facts.push({ kind: 'ProductCreated', productId, profile: profileOf(productId, type), atMs });
    if (type !== 'standard') continue;
    const lot = { lotId: 1 };
    facts.push({ kind: 'StockAdded', productId, firstItem: 0, count: START_STOCK, lot, atMs });
  }
  return facts;
}

export function apiKey(sha256: string) {
  return { sha256, prefix: sha256, scopes: [], issuedAtMs: START_MS, isActive: true };
}

function profileOf(productId: number, type: NaiveType): ProductProfile {
  if (type !== 'supplied') return { ...PRODUCT, type };
  return { ...PRODUCT, sources: sourcesOf(productId, suppliersOf(productId)) };
}

export function sourcesOf(productId: number, suppliers: readonly number[]): SupplierSource[] {
  return suppliers.map((supplierId) => ({ supplierId, sku: `sku ${productId}` }));
}

/** By two or three. */
function suppliersOf(productId: number): readonly number[] {
  return productId === 2 ? [1, 3] : [2, 1, 3];
}
