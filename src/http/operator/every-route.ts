/** All calls that the operator API has on a node that takes requests. */
import { accountRoutes } from './accounts.ts';
import { type AlertServices, alertRoutes } from './alerts.ts';
import { auditRoutes } from './audit.ts';
import { backupRoutes } from './backups.ts';
import { clusterRoutes } from './cluster.ts';
import { feedRoutes } from './feed.ts';
import { itemRoutes } from './items.ts';
import { lotRoutes } from './lots.ts';
import { moneyReportRoutes } from './money-report.ts';
import { type NodeStatusServices, nodeStatusRoutes } from './node-status.ts';
import type { OperatorRoute, OperatorServices } from './operator-route.ts';
import { operatorRoutes } from './operators.ts';
import { adjustmentRoutes } from './order-adjustments.ts';
import { orderTimelineRoutes } from './order-timeline.ts';
import { orderRoutes } from './orders.ts';
import { type OverviewServices, overviewRoutes } from './overview.ts';
import { productFileRoutes } from './product-file.ts';
import { productRoutes } from './products.ts';
import { rekeyRoutes } from './rekey.ts';
import { restoreRoutes } from './restore.ts';
import { receiptRoutes } from './restore-receipts.ts';
import { type SessionServices, sessionRoutes } from './sessions/session-routes.ts';
import { type SettingsServices, settingsRoutes } from './settings.ts';
import { statementRoutes } from './statement.ts';
import { stockRoutes } from './stock.ts';
import { supplierPurchaseRoutes } from './supplier-purchases.ts';
import { supplierRoutes } from './suppliers.ts';
import { webhookListRoutes } from './webhook-list.ts';
import { webhookRoutes } from './webhooks.ts';

export type RouteServices = OperatorServices &
  NodeStatusServices &
  SessionServices &
  AlertServices &
  OverviewServices &
  SettingsServices;

export function everyRoute(services: RouteServices): OperatorRoute[] {
  return [
    ...accountRoutes(services),
    ...productRoutes(services),
    ...productFileRoutes(services),
    ...stockRoutes(services),
    ...lotRoutes(services),
    ...itemRoutes(services),
    ...supplierRoutes(services),
    ...supplierPurchaseRoutes(services),
    ...orderRoutes(services),
    ...adjustmentRoutes(services),
    ...orderTimelineRoutes(services),
    ...webhookListRoutes(services),
    ...webhookRoutes(services),
    ...feedRoutes(services),
    ...statementRoutes(services),
    ...moneyReportRoutes(services),
    ...auditRoutes(services),
    ...operatorRoutes(services),
    ...sessionRoutes(services),
    ...rekeyRoutes(services),
    ...backupRoutes(services),
    ...receiptRoutes(services),
    ...restoreRoutes(services),
    ...clusterRoutes(services),
    ...overviewRoutes(services),
    ...alertRoutes(services),
    ...settingsRoutes(services),
    ...nodeStatusRoutes(services),
  ];
}
