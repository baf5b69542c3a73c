/** All calls that the operator API has on a node that takes requests. Their order means nothing: the document sorts them. */
import { accountRoutes } from './accounts/accounts.ts';
import { backupRoutes } from './backups/backups.ts';
import { botRoutes } from './bots/bots.ts';
import { depositRoutes } from './deposits/deposits.ts';
import { lotRoutes } from './lots/lots.ts';
import { auditRoutes } from './money/audit.ts';
import { moneyReportRoutes } from './money/money-report.ts';
import { statementRoutes } from './money/statement.ts';
import { type AlertServices, alertRoutes } from './node/alerts.ts';
import { clusterRoutes } from './node/cluster.ts';
import { feedRoutes } from './node/feed.ts';
import { type NodeStatusServices, nodeStatusRoutes } from './node/node-status.ts';
import { type OverviewServices, overviewRoutes } from './node/overview.ts';
import { rekeyRoutes } from './node/rekey.ts';
import { type SettingsServices, settingsRoutes } from './node/settings.ts';
import type { OperatorRoute, OperatorServices } from './operator-route.ts';
import { operatorRoutes } from './operators/operators.ts';
import { adjustmentRoutes } from './orders/order-adjustments.ts';
import { orderFileRoutes } from './orders/order-file.ts';
import { orderTimelineRoutes } from './orders/order-timeline.ts';
import { orderRoutes } from './orders/orders.ts';
import { priceImportRoutes } from './prices/price-import.ts';
import { priceListRoutes } from './prices/price-lists.ts';
import { priceRoutes } from './prices/prices.ts';
import { productFileRoutes } from './products/product-file.ts';
import { productRoutes } from './products/products.ts';
import { restoreRoutes } from './restore/restore.ts';
import { receiptRoutes } from './restore/restore-receipts.ts';
import { type SessionServices, sessionRoutes } from './sessions/session-routes.ts';
import { itemRoutes } from './stock/items.ts';
import { stockRoutes } from './stock/stock.ts';
import { supplierPurchaseRoutes } from './suppliers/supplier-purchases.ts';
import { supplierRoutes } from './suppliers/suppliers.ts';
import { webhookListRoutes } from './webhooks/webhook-list.ts';
import { webhookRoutes } from './webhooks/webhooks.ts';

export type RouteServices = OperatorServices &
  NodeStatusServices &
  SessionServices &
  AlertServices &
  OverviewServices &
  SettingsServices;

const ROUTES_OF: readonly ((services: RouteServices) => OperatorRoute[])[] = [
  accountRoutes,
  adjustmentRoutes,
  alertRoutes,
  auditRoutes,
  backupRoutes,
  botRoutes,
  clusterRoutes,
  depositRoutes,
  feedRoutes,
  itemRoutes,
  lotRoutes,
  moneyReportRoutes,
  nodeStatusRoutes,
  operatorRoutes,
  orderFileRoutes,
  orderRoutes,
  orderTimelineRoutes,
  overviewRoutes,
  priceImportRoutes,
  priceListRoutes,
  priceRoutes,
  productFileRoutes,
  productRoutes,
  receiptRoutes,
  rekeyRoutes,
  restoreRoutes,
  sessionRoutes,
  settingsRoutes,
  statementRoutes,
  stockRoutes,
  supplierPurchaseRoutes,
  supplierRoutes,
  webhookListRoutes,
  webhookRoutes,
];

export function everyRoute(services: RouteServices): OperatorRoute[] {
  return ROUTES_OF.flatMap((routes) => routes(services));
}
