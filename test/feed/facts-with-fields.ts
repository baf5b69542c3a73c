/** Fields of facts, and what a line of the feed has of them. Texts in capitals are in no line. */
import type { Adjustment } from '../../src/engine/adjustments.ts';
import type { Fact, FactOf } from '../../src/engine/fact.ts';
import { held, START_MS } from '../webhooks/outbox/shop-facts.ts';

export const AT = { atMs: START_MS };
export const ACCOUNT = {
  accountId: 3,
  name: 'account 3',
  rateLimitPerMinute: null,
  webhookConcurrency: 1,
  externalId: null,
  priceListId: null,
  spendLimits: [],
  allowedNetworks: null,
};
export const PRODUCT = {
  productId: 1,
  name: 'Pin',
  description: 'A pin',
  instructions: '',
  type: 'standard',
  requiresRecipient: false,
  allowDuplicates: false,
  active: true,
  priceUsdt: 1,
  priceTiers: [],
  sku: null,
  category: null,
  attributes: {},
  imageUrl: null,
  visibility: 'all',
  minQuantity: 1,
  maxQuantity: null,
};
export const ORDER = {
  orderId: 9,
  accountId: 1,
  status: 'completed',
  productId: 1,
  quantity: 1,
  totalPriceUsdt: 1,
  balanceAfterUsdt: 50,
  createdAt: START_MS,
  idempotencyKey: 'key 9',
};
export const HELD = held(4, 1) as FactOf<'HoldPlaced'>;
export const RETURNED = { amountMicros: 500_000, balanceMicros: 51_000_000 };
export const SHOWN_RETURNED = { amountUsdt: 0.5, balanceUsdt: 51 };
const ADJUSTED = { key: 'once', atMs: START_MS, items: [0] };
export const REFUND: Adjustment = { ...ADJUSTED, kind: 'refund', part: 'items', amountMicros: 500_000 };
export const REPLACEMENT: Adjustment = {
  ...ADJUSTED,
  kind: 'replacement',
  amountMicros: 0,
  oldItems: [3],
  newItems: [7],
};
export const FORK = { position: 40, hash: 'ab' };
export const SHOWN_FORK = { seq: 40, hash: 'ab' };
export const NONE_TAKEN = { count: 0, rows: [] };
export const NEXT_IDS = {
  orderId: 7,
  supplierPurchaseId: 1,
  lotId: 1,
  accountId: 4,
  productId: 3,
  supplierId: 1,
  operatorId: 1,
  priceListId: 1,
  depositId: 1,
};
export const LABEL = { source: 'Codes Ltd', costMicros: 250_000, reference: 'invoice 9' };
export const SHOWN_LABEL = { source: 'Codes Ltd', costUsdt: 0.25, reference: 'invoice 9' };
export const FILE = {
  fileId: '01'.repeat(16),
  sizeBytes: 5,
  contentType: 'application/zip',
  sha256: 'ab'.repeat(32),
};
export const WEBHOOK = { events: ['order.completed'], balanceThresholdUsdt: 2.5 } as const;
export const URL_WITH_SECRET = 'https://shop.example:8443/hooks/TOKEN?secret=SECRET';
export const KEY = {
  prefix: 'pk_live_1',
  sha256: 'HASH',
  scopes: ['orders:read'],
  issuedAtMs: START_MS,
  isActive: true,
} as const;
export const SUPPLIER = { supplierId: 1, name: 'Codes', host: 'codes.example' };
export const SUPPLIER_FACT = {
  supplierId: 1,
  profile: { name: 'Codes', url: 'https://codes.example/TOKEN/api', sealedSecret: 'SEALED' },
};
export const SHOWN_REFUSAL = {
  accountId: 1,
  productId: 2,
  quantity: 3,
  expectedPriceUsdt: 3.5,
  idempotencyKey: 'k',
};
export const REFUSAL = { ...SHOWN_REFUSAL, recipientUsername: null, requestNumber: 0 };
export const OUTSTANDING = {
  orderId: 9,
  epoch: 1,
  position: 7,
  salt: 'c2FsdA',
  itemHashes: ['aGFzaA'],
  missing: [0],
  former: [],
  found: [],
};

/** `kind` is the key's, and `atMs` is `START_MS`. */
export type LinesOf<Kind extends Fact['kind']> = readonly (readonly [
  fact: Omit<FactOf<Kind>, 'kind' | 'atMs'> | Fact,
  line: object,
])[];

export type LinesOfSome = { readonly [Kind in Fact['kind']]?: LinesOf<Kind> };

/** The line has the fact's own fields. */
export function same<Fields extends object>(fields: Fields): readonly (readonly [Fields, object])[] {
  return [[fields, fields]];
}

export function withoutKey({ idempotencyKey: _, ...rest }: typeof ORDER): object {
  return rest;
}
