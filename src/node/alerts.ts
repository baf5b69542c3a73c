/** The alerts, wired: their receivers, and the watches that raise them by themselves. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { AlertLog } from '../alerts/alert-log.ts';
import { AlertMemory } from '../alerts/alert-memory.ts';
import { AlertWatch } from '../alerts/alert-watch.ts';
import { Alerts } from '../alerts/alerts.ts';
import { BackupWatch } from '../alerts/backup-watch.ts';
import { CheckpointWatch } from '../alerts/checkpoint-watch.ts';
import { CircuitWatch } from '../alerts/circuit-watch.ts';
import { DepositWatch } from '../alerts/deposit-watch.ts';
import { DiskWatch } from '../alerts/disk-watch.ts';
import { DrillWatch } from '../alerts/drill-watch.ts';
import { OpenPurchasesWatch } from '../alerts/open-purchases-watch.ts';
import { OutboxWatch } from '../alerts/outbox-watch.ts';
import { OverdueWatch } from '../alerts/overdue-watch.ts';
import type { SalesPace } from '../alerts/sales-pace.ts';
import { SalesWatch } from '../alerts/sales-watch.ts';
import type { ShortestCover } from '../alerts/shortest-cover.ts';
import { StockWatch } from '../alerts/stock-watch.ts';
import type { Backups } from '../backup/backups.ts';
import type { Config } from '../config/config.ts';
import type { Measurements } from '../metrics/measurements.ts';
import { OrderIndex } from '../persistence/checkpoint/order-index.ts';
import { KeptFile } from '../persistence/disk/kept-file.ts';
import { TOLD_ALERTS_FILE } from '../persistence/folder/data-folder.ts';
import { PURSER_VERSION } from '../version.ts';
import type { DepositParts } from './deposits.ts';
import type { DrillParts } from './drills.ts';
import type { EngineParts } from './engine.ts';
import type { SupplierParts } from './suppliers.ts';
import type { WebhookParts } from './webhooks.ts';

export async function openAlerts(config: Config, log: Logger): Promise<Alerts> {
  return new Alerts({ clock: Date.now, log: new AlertLog(log), posts: await openPosts(config, log) });
}

/**
 * The posts of alerts. Their HTTP client is loaded only when there is somewhere to post to: the main thread needs none
 * otherwise.
 */
async function openPosts({ alertTargets, alertSecret: secret }: Config, log: Logger) {
  if (alertTargets.length === 0) return [];
  const { AlertPost } = await import('../alerts/alert-post.ts');
  const { oneLookupAtATime } = await import('../alerts/alert-lookup.ts');
  const shared = { secret, version: PURSER_VERSION, log, lookup: oneLookupAtATime() };
  return alertTargets.map((target) => new AlertPost({ ...target, ...shared }));
}

export interface AlertWatchParts extends EngineParts {
  readonly config: Config;
  readonly log: Logger;
  readonly alerts: Alerts;
  readonly suppliers: SupplierParts;
  readonly webhooks: WebhookParts;
  readonly measured: Measurements;
  readonly backups: Backups;
  readonly drillParts: DrillParts;
  readonly depositParts: DepositParts;
  readonly pace: SalesPace;
  readonly shortestCover: ShortestCover;
  /** How often it is looked; for tests, the default is the watch's. */
  readonly alertLookMs?: number | undefined;
}

/** Not started. */
export function openAlertWatch(parts: AlertWatchParts): AlertWatch {
  const { config, log, engine, history, checkpoint, checkpointer, suppliers, webhooks } = parts;
  const orders = new OrderIndex(checkpoint);
  const monotonicMs = () => performance.now();
  const shared = { standing: parts.alerts.standing, engine, monotonicMs };
  return new AlertWatch({
    intervalMs: parts.alertLookMs,
    memory: openMemory(parts),
    onFault: (watcher, error) => log.error({ err: error, watcher }, 'looking for alerts failed'),
    watchers: {
      sales: new SalesWatch(shared),
      disk: new DiskWatch({ ...shared, disk: parts.measured.disk, lowPercent: config.diskLowPercent }),
      checkpoint: new CheckpointWatch({ ...shared, lag: () => checkpointer.lag }),
      outbox: new OutboxWatch({ ...shared, backlog: webhooks.backlog, limitMs: config.outboxBehindMs }),
      backup: new BackupWatch({ ...shared, health: parts.backups.continuous }),
      drill: new DrillWatch({ ...shared, health: parts.drillParts.drills }),
      circuits: new CircuitWatch({ ...shared, openCircuits: suppliers.openCircuits }),
      openPurchases: new OpenPurchasesWatch(shared),
      overdue: new OverdueWatch({
        ...shared,
        history,
        pendingOrders: (from) => orders.pending(from),
        limitMs: config.manualOverdueMs,
        clock: Date.now,
      }),
      deposits: new DepositWatch({
        ...shared,
        heardMs: () => parts.depositParts.heardMs,
        silenceMs: config.depositSilenceMs,
      }),
      stock: new StockWatch({ ...shared, pace: parts.pace, shortest: parts.shortestCover }),
    },
  });
}

function openMemory({
  config,
  log,
  alerts,
}: Pick<AlertWatchParts, 'config' | 'log' | 'alerts'>): AlertMemory {
  const file = join(config.dataDir, TOLD_ALERTS_FILE);
  return new AlertMemory({
    standing: alerts.standing,
    text: readText(file),
    isShared: config.log !== undefined,
    onUnknown: () => alerts.tellFiring(),
    fileOf: (textOf) => new KeptFile(file, textOf),
    onTrouble: (error) => log.warn({ err: error }, 'what alerts have told could not be kept'),
  });
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
