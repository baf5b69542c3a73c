/**
 * All cases of the contract (`*.cases.ts`): SPEC.md and the operator API over real HTTP. All run on uWebSockets.js; those
 * that a transport could change run on node:http, too, by accounts that have price lists, limits and networks. Two nodes for all of them, because starting one takes longer than
 * most cases, and because a node, and the schemas that answers are checked against, are slow until they are warm.
 */
import { after, before, describe } from 'node:test';
import type { Flags } from '../../src/config/config.ts';
import { WITHOUT_UWS } from '../support/nodes/uws-binary.ts';
import { authentication } from './authentication.cases.ts';
import { catalog } from './catalog.cases.ts';
import { client } from './client.cases.ts';
import { downloads } from './download.cases.ts';
import { events } from './events.cases.ts';
import { longAnswers } from './long-answers.cases.ts';
import { metrics } from './metrics.cases.ts';
import { docsPage } from './openapi/docs-page.cases.ts';
import { openApiDocument } from './openapi/openapi.cases.ts';
import { accounts } from './operator/accounts.cases.ts';
import { adjustments } from './operator/adjustments.cases.ts';
import { bodies } from './operator/bodies.cases.ts';
import { bots } from './operator/bot.cases.ts';
import { deposits } from './operator/deposits.cases.ts';
import { feedTypes } from './operator/feed-types.cases.ts';
import { files } from './operator/files.cases.ts';
import { operatorDocument } from './operator/openapi.cases.ts';
import { operator } from './operator/operator.cases.ts';
import { orders } from './operator/orders.cases.ts';
import { overview } from './operator/overview.cases.ts';
import { priceLists } from './operator/price-lists.cases.ts';
import { priceTables } from './operator/price-tables.cases.ts';
import { productTables } from './operator/product-table.cases.ts';
import { productTag } from './operator/product-tag.cases.ts';
import { products } from './operator/products.cases.ts';
import { roles } from './operator/roles.cases.ts';
import { spendLimits } from './operator/spend-limits.cases.ts';
import { stock } from './operator/stock.cases.ts';
import { tableFiles } from './operator/table-files.cases.ts';
import { tableStock } from './operator/table-stock.cases.ts';
import { order } from './order.cases.ts';
import { orderCsv } from './order-csv.cases.ts';
import { idempotency } from './purchases/idempotency.cases.ts';
import { precedence } from './purchases/precedence.cases.ts';
import { purchase } from './purchases/purchase.cases.ts';
import { purchaseNumbers } from './purchases/purchase-numbers.cases.ts';
import { purchaseValidation } from './purchases/purchase-validation.cases.ts';
import { receipts } from './receipt.cases.ts';
import { routes } from './routes.cases.ts';
import { type Cases, Scene } from './scene.ts';
import { manualProduct } from './suppliers/manual-product.cases.ts';
import { sources } from './suppliers/sources.cases.ts';
import { suppliedDuplicates } from './suppliers/supplied-duplicates.cases.ts';
import { silentSupplier, suppliedProduct } from './suppliers/supplied-product.cases.ts';
import { supplierPurchases } from './suppliers/supplier-purchases.cases.ts';
import { nameServer, webhookConfiguration } from './webhook.cases.ts';

const flags = {
  dnsServer: [nameServer.address],
  webhookAllow: ['127.0.0.0/8'],
  depositAddress: ['trc20=TShop1', 'trc20=TShop2', 'erc20=0xShop'],
  supplierPoll: '50ms',
  supplierStockRefresh: '200ms',
};
/** Cases of headers, bodies, connections and files. */
const ofTransport = [authentication, routes, purchaseValidation, downloads, longAnswers, events];
const others = [
  ...[catalog, docsPage, purchase, idempotency, precedence, order, client, metrics, operator, accounts],
  ...[adjustments, bodies, orders, stock, webhookConfiguration, manualProduct, purchaseNumbers, files],
  ...[
    overview,
    priceLists,
    priceTables,
    orderCsv,
    productTag,
    tableFiles,
    tableStock,
    products,
    productTables,
    feedTypes,
    roles,
    bots,
    deposits,
    receipts,
    suppliedProduct,
    sources,
  ],
  // Last is that of what all others have seen of the document.
  ...[spendLimits, supplierPurchases, suppliedDuplicates, operatorDocument, openApiDocument],
];

/** Cases that accounts with a price list, an own price, spend limits and networks must pass as those without. */
const withTerms = [catalog, purchase, order];

function onNode(transport: string, cases: readonly Cases[], more: Flags = {}, hasTerms = false): void {
  describe(`--transport ${transport}`, { timeout: 300_000, concurrency: 1 }, () => {
    const scene = new Scene(transport, { ...flags, ...more }, hasTerms);
    before(() => scene.start());
    after(() => scene.close());
    for (const { title, define } of cases) {
      describe(`${title} (--transport ${transport})`, { timeout: 120_000 }, () => {
        before(() => scene.useNextAddress());
        define(scene);
      });
    }
  });
}

describe('both transports', { timeout: 300_000, concurrency: true }, () => {
  if (WITHOUT_UWS) return onNode('node', [...ofTransport, ...others, silentSupplier]);
  onNode('uws', [...ofTransport, ...others]);
  // No other case waits for a supplier there: this one waits less.
  onNode('node', [...ofTransport, ...withTerms, silentSupplier], { supplierTimeout: '500ms' }, true);
});
