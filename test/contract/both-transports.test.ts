/**
 * All cases of the contract (`*.cases.ts`): SPEC.md and the operator API over real HTTP, on one server with
 * uWebSockets.js and one with node:http, or on one of them where no transport changes what is shown. Two servers for all
 * of them, because starting one takes longer than most cases, and because a server, and the schemas that answers are
 * checked against, are slow until they are warm.
 */
import { authentication } from './authentication.cases.ts';
import { catalog } from './catalog.cases.ts';
import { client } from './client.cases.ts';
import { docsPage } from './docs-page.cases.ts';
import { downloads } from './download.cases.ts';
import { idempotency } from './idempotency.cases.ts';
import { manualProduct } from './manual-product.cases.ts';
import { metrics } from './metrics.cases.ts';
import { openApiDocument } from './openapi.cases.ts';
import { accounts } from './operator/accounts.cases.ts';
import { adjustments } from './operator/adjustments.cases.ts';
import { bodies } from './operator/bodies.cases.ts';
import { feedTypes } from './operator/feed-types.cases.ts';
import { files } from './operator/files.cases.ts';
import { operatorDocument } from './operator/openapi.cases.ts';
import { operator } from './operator/operator.cases.ts';
import { orders } from './operator/orders.cases.ts';
import { overview } from './operator/overview.cases.ts';
import { productTag } from './operator/product-tag.cases.ts';
import { products } from './operator/products.cases.ts';
import { roles } from './operator/roles.cases.ts';
import { search } from './operator/search.cases.ts';
import { stock } from './operator/stock.cases.ts';
import { order } from './order.cases.ts';
import { precedence } from './precedence.cases.ts';
import { purchase } from './purchase.cases.ts';
import { purchaseNumbers } from './purchase-numbers.cases.ts';
import { purchaseValidation } from './purchase-validation.cases.ts';
import { receipts } from './receipt.cases.ts';
import { routes } from './routes.cases.ts';
import { onBothTransports } from './scene.ts';
import { silentSupplier } from './silent-supplier.cases.ts';
import { suppliedDuplicates } from './supplied-duplicates.cases.ts';
import { suppliedProduct } from './supplied-product.cases.ts';
import { supplierPurchases } from './supplier-purchases.cases.ts';
import { nameServer, webhookConfiguration } from './webhook.cases.ts';

onBothTransports({
  flags: [
    ...['--dns-server', nameServer.address, '--webhook-allow', '127.0.0.0/8'],
    ...['--supplier-poll', '50ms', '--supplier-stock-refresh', '200ms', '--log-level', 'warn'],
  ],
  cases: [
    ...[authentication, routes, catalog, docsPage, purchase, purchaseValidation, idempotency, precedence],
    ...[order, downloads, client, metrics, operator, openApiDocument],
  ],
  onOneTransport: [
    ...[accounts, adjustments, bodies, orders, stock, webhookConfiguration, manualProduct, purchaseNumbers],
    ...[
      files,
      overview,
      productTag,
      products,
      feedTypes,
      search,
      roles,
      receipts,
      suppliedProduct,
      supplierPurchases,
      suppliedDuplicates,
    ],
    operatorDocument,
  ],
  meanwhile: silentSupplier,
});
