/** Lines of the feed for each kind of fact, and the fields that no line has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '../../src/engine/fact.ts';
import { feedLine } from '../../src/feed/feed-line.ts';
import {
  account,
  productCreated,
  productUpdated,
  START_MS,
  webhookRemoved,
  webhookSet,
} from '../webhooks/outbox/shop-facts.ts';
import {
  ACCOUNT,
  AT,
  FILE,
  KEY,
  LABEL,
  type LinesOf,
  PRODUCT,
  SHOWN_LABEL,
  same,
  URL_WITH_SECRET,
  WEBHOOK,
} from './facts-with-fields.ts';
import { ORDER_LINES } from './order-lines.ts';

const LINES: { readonly [Kind in Fact['kind']]: LinesOf<Kind> } = {
  OperatorCreated: [
    [
      {
        operatorId: 1,
        profile: { name: 'anna', role: 'support' },
        token: { sha256: 'HASH', expiresAtMs: null },
      },
      { operatorId: 1, name: 'anna', role: 'support' },
    ],
  ],
  OperatorTokenIssued: [[{ operatorId: 1, tokens: [] }, { operatorId: 1 }]],
  OperatorRevoked: [
    [
      { operatorId: 1, origin: { operatorId: 0, reason: 'left', requestNumber: 4_097 } },
      { operatorId: 1, by: { operatorId: 0, reason: 'left', requestId: 'req_1704067200001_1' } },
    ],
  ],
  ItemTextsShown: same({ orderId: 5, accountId: 3, productId: 2 }),
  AccountCreated: [[account(3), { account: ACCOUNT }]],
  AccountUpdated: [
    [
      {
        accountId: 3,
        profile: { name: 'a', rateLimitPerMinute: 5, webhookConcurrency: 2, externalId: 'telegram:4' },
        before: { externalId: 'telegram:3' },
      },
      {
        account: {
          ...{ accountId: 3, name: 'a', rateLimitPerMinute: 5, webhookConcurrency: 2 },
          externalId: 'telegram:4',
          priceListId: null,
          spendLimits: [],
          allowedNetworks: null,
        },
        changes: [{ field: 'externalId', from: 'telegram:3', to: 'telegram:4' }],
      },
    ],
  ],
  PriceListCreated: [
    [
      { priceListId: 4, profile: { name: 'Gold', percent: -1_250 } },
      { priceList: { priceListId: 4, name: 'Gold', percent: -12.5 } },
    ],
  ],
  PriceListUpdated: [
    [
      { priceListId: 4, profile: { name: 'Gold', percent: null }, before: { percent: -1_250 } },
      {
        priceList: { priceListId: 4, name: 'Gold', percent: null },
        changes: [{ field: 'percent', from: -12.5, to: null }],
      },
    ],
  ],
  PriceListDeleted: [
    [
      { priceListId: 4, profile: { name: 'Gold', percent: null }, prices: 2 },
      { priceList: { priceListId: 4, name: 'Gold', percent: null }, pricesRemoved: 2 },
    ],
  ],
  PricesChanged: [
    [
      {
        accountId: 3,
        prices: [
          {
            productId: 2,
            before: { priceMicros: 9_000_000, priceTiers: [] },
            price: { priceMicros: 9_000_000, priceTiers: [{ minQuantity: 10, priceMicros: 1_250_000 }] },
          },
        ],
      },
      {
        accountId: 3,
        changes: [
          { productId: 2, field: 'priceTiers', from: [], to: [{ minQuantity: 10, priceUsdt: 1.25 }] },
        ],
      },
    ],
    [
      {
        priceListId: 4,
        prices: [{ productId: 2, before: { priceMicros: 500_000, priceTiers: [] }, price: null }],
      },
      {
        priceListId: 4,
        changes: [
          { productId: 2, field: 'priceUsdt', from: 0.5, to: null },
          { productId: 2, field: 'priceTiers', from: [], to: null },
        ],
      },
    ],
  ],
  KeyIssued: [
    [
      { accountId: 3, key: KEY },
      { accountId: 3, keyPrefix: 'pk_live_1', scopes: ['orders:read'] },
    ],
  ],
  KeyRevoked: same({ accountId: 3 }),
  KeyDeactivated: same({ accountId: 1 }),
  KeyActivated: same({ accountId: 1 }),
  WebhookSet: [
    [
      webhookSet(3, { ...WEBHOOK, url: URL_WITH_SECRET, sealedSecret: 'SEALED' }),
      { accountId: 3, host: 'shop.example:8443', ...WEBHOOK },
    ],
  ],
  WebhookRemoved: [[webhookRemoved(3), { accountId: 3 }]],
  WalletCredited: [
    [
      { credit: { accountId: 3, reference: 'bank', amountMicros: -2_500_000, balanceAfterMicros: 1 } },
      { accountId: 3, reference: 'bank', amountUsdt: -2.5, balanceUsdt: 0.000001 },
    ],
    [
      {
        credit: { accountId: 3, reference: 'trc20:ab:0', amountMicros: 2_500_001, balanceAfterMicros: 3 },
        transfer: { network: 'trc20', address: 'TShop', paidAtMs: 5, depositId: 4 },
      },
      {
        ...{ accountId: 3, reference: 'trc20:ab:0', amountUsdt: 2.500001, balanceUsdt: 0.000003 },
        transfer: { network: 'trc20', address: 'TShop', paidAt: 5, depositId: 4 },
      },
    ],
  ],
  DepositOpened: [
    [
      {
        deposit: {
          ...{ depositId: 4, accountId: 3, network: 'trc20', address: 'TShop' },
          ...{ amountMicros: 2_500_000, payMicros: 2_500_001, expiresAtMs: 9 },
        },
        drops: [1],
      },
      {
        ...{ depositId: 4, accountId: 3, network: 'trc20', address: 'TShop' },
        ...{ amountUsdt: 2.5, payUsdt: 2.500001, expiresAt: 9 },
      },
    ],
  ],
  TransferUnclaimed: [
    [
      {
        transfer: {
          ...{ reference: 'trc20:ab:0', network: 'trc20', address: 'TShop' },
          ...{ amountMicros: 2_500_001, paidAtMs: 5 },
        },
        replaces: 'trc20:cd:1',
      },
      {
        ...{ reference: 'trc20:ab:0', network: 'trc20', address: 'TShop', amountUsdt: 2.500001, paidAt: 5 },
        replaces: 'trc20:cd:1',
      },
    ],
  ],
  ProductCreated: [[productCreated(1), { product: PRODUCT }]],
  ProductUpdated: [
    [
      {
        ...(productUpdated(1, { priceMicros: 990_000 }) as object),
        before: { priceMicros: 2_500_000 },
      } as Fact,
      {
        product: { ...PRODUCT, priceUsdt: 0.99 },
        changes: [{ field: 'priceUsdt', from: 2.5, to: 0.99 }],
      },
    ],
    [
      productUpdated(1, { priceMicros: 990_000, priceTiers: [{ minQuantity: 10, priceMicros: 900_000 }] }),
      { product: { ...PRODUCT, priceUsdt: 0.99, priceTiers: [{ minQuantity: 10, priceUsdt: 0.9 }] } },
    ],
  ],
  ProductFileSet: same({ productId: 1, file: FILE }),
  StockAdded: [
    [
      { productId: 1, firstItem: 0, count: 7, lot: { lotId: 3, ...LABEL } },
      { productId: 1, added: 7, lotId: 3, ...SHOWN_LABEL },
    ],
  ],
  LotRecalled: [
    [
      {
        lot: {
          lotId: 3,
          productId: 1,
          firstItem: 0,
          count: 7,
          addedAtMs: 5,
          recall: { atMs: 6, withdrawn: 2 },
        },
        ranges: [{ firstItem: 5, count: 2 }],
      },
      { productId: 1, lotId: 3, withdrawn: 2 },
    ],
  ],
  ItemsSearched: [...same({ found: [{ productId: 1, lotId: 3, orderId: 4, accountId: 5 }] })],
  OperatorActed: [
    ...same({ action: 'WebhookReplayed', accountId: 3, eventId: 'evt_3_9' } as const),
    [
      { action: 'WebhooksReplayed', accountId: 3, sinceMs: 5 },
      { action: 'WebhooksReplayed', accountId: 3, since: 5 },
    ],
  ],
  StockWithdrawn: [
    [
      { productId: 1, ranges: [{ firstItem: 4, count: 2 }] },
      { productId: 1, withdrawn: 2 },
    ],
  ],
  ...ORDER_LINES,
};

test('a line of the feed says of each kind of fact what the operator API would', () => {
  for (const [kind, lines] of Object.entries(LINES)) {
    for (const [fields, expected] of lines) {
      const line = feedLine(41, { ...AT, ...fields, kind } as Fact, 2);
      assert.ok(line.endsWith('\n'));
      assert.deepEqual(JSON.parse(line), { seq: 41, at: START_MS, epoch: 2, type: kind, ...expected });
      assert.doesNotMatch(line, /HASH|SEALED|SECRET|TOKEN|Micros|sha256":"[^a]/);
    }
  }
});

test('it is one line, whatever texts say', () => {
  const line = feedLine(1, productUpdated(1, { description: 'two\nlines\u2028three\r\n' }), 1);
  assert.equal(line.trimEnd().split(/\r|\n/).length, 1);
});
