/**
 * All of a node that lives behind its ports, opened in the order in which one part needs another: the folder's lock and
 * keys, the texts, the engine with its journal, and what follows the journal. `src/node.ts` closes it again.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openAlerts, openAlertWatch } from './alert-parts.ts';
import { CleanEndMark } from './backup/clean-end-mark.ts';
import { BackupParts, type WhileWaiting } from './backup-parts.ts';
import type { Config } from './config/config.ts';
import { DrillParts } from './drill-parts.ts';
import { KeyFilter } from './engine/key-filter.ts';
import { openEngine } from './engine-parts.ts';
import { FactFeed } from './feed/fact-feed.ts';
import { settleAfter, settleDebits } from './fulfilment/debit-settling.ts';
import { OrderFulfilment } from './fulfilment/order-fulfilment.ts';
import { KeyParts } from './key-parts.ts';
import { Measurements } from './metrics/measurements.ts';
import { KeyRing } from './persistence/disk/key-ring.ts';
import { FileStore } from './persistence/files/file-store.ts';
import { beginFolder, isBegun, prepareFolder, STOCK_FILE } from './persistence/folder/data-folder.ts';
import { checkNewestFiles, hasTexts } from './persistence/folder/folder-check.ts';
import { lockFolder } from './persistence/folder/folder-lock.ts';
import { needsMigration } from './persistence/migration/migration-plan.ts';
import type { MigrationStep } from './persistence/migration/migration-steps.ts';
import { openStockStore } from './persistence/stock/stock-store.ts';
import { openReceipts } from './receipt-parts.ts';
import { RequestLogs } from './request-logs.ts';
import { SupplierParts } from './supplier-parts.ts';
import { WebhookParts } from './webhook-parts.ts';

export interface NodeOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Something failed that leaves the node unable to keep its promise: the process must stop. */
  readonly onFatal: (error: unknown) => void;
  /** When a new segment of the journal starts; for tests, the default is the journal's. */
  readonly segmentBytes?: number;
  /** How often the journal is folded into the checkpoint; for tests, the default is the checkpoint's. */
  readonly foldIntervalMs?: number;
  /** How often it is looked for what operators are alerted of; for tests, the default is the watch's. */
  readonly alertLookMs?: number;
  /** How older data folders become one of this version; for tests, the default is the steps that there are. */
  readonly migrationSteps?: readonly MigrationStep[];
  /** Default: nothing breaks the start off. */
  readonly whileWaiting?: WhileWaiting;
}

export type NodeParts = Awaited<ReturnType<typeof openParts>>;

/** Throws errors whose message is one line that says what is wrong and what to do. */
export async function openParts({
  config,
  log,
  onFatal,
  segmentBytes,
  foldIntervalMs,
  alertLookMs,
  migrationSteps: steps,
  whileWaiting,
}: NodeOptions) {
  const folder = config.dataDir;
  prepareFolder(folder, steps?.[0]?.from);
  const lock = await lockFolder(folder);
  if (isBegun(folder) && needsMigration(folder)) {
    // Loaded only now: it proves whole folders, and hardly any start needs it.
    const { migrateFolder } = await import('./persistence/migration/migrate-folder.ts');
    const say = (line: string) => log.info(line);
    await migrateFolder({ folder, masterKey: config.masterKey, steps, say });
  }
  // Not before: a change of names that was interrupted has put the mark aside.
  new CleanEndMark(folder).expectAt(config.backup);
  const ring = KeyRing.load({
    folder,
    fromEnvironment: config.masterKey,
    isBegun: isBegun(folder),
    hasTexts: () => hasTexts(folder),
  });
  const { keys } = ring;
  await beginFolder(folder);
  const filter = new KeyFilter();
  checkNewestFiles(folder, keys, filter);
  const requestLogs = await RequestLogs.open(config, log);
  const { onFault } = requestLogs;

  const stock = await openStockStore({ file: join(folder, STOCK_FILE), keys, onFatal });
  const files = FileStore.open(folder);
  const alerts = await openAlerts(config, log);
  const webhooks = await WebhookParts.start({ config, log, alerts, keys, onFatal });
  const measured = new Measurements(folder);
  const durable = openEngine({
    folder,
    filter,
    log,
    // Not before the next turn of the event loop, when the feed is there.
    onDurable: (position, facts) => {
      measured.sales.count(facts);
      webhooks.advance(position, facts);
      feed.advance(position);
      backups.advance(position);
      void settleAfter(engine, facts);
    },
    onFatal,
    onFault,
    segmentBytes,
    foldIntervalMs,
  });
  const { engine, history } = durable;
  const feed = new FactFeed({ folder, position: engine.durablePosition, epochs: engine.state.epochs.list });
  const backupParts = new BackupParts({ config, ring, engine, log });
  const { backups } = backupParts;
  const drillParts = new DrillParts({ ...durable, config, ring, backups, alerts, log });
  const fulfilment = new OrderFulfilment(engine, history, stock);
  const shared = { config, log, alerts, keys, engine, stock, fulfilment, onFatal, onFault };
  const suppliers = new SupplierParts(shared);
  webhooks.open(engine);
  // No fact may come behind a clean end that still counts.
  await backupParts.start(whileWaiting);
  await settleDebits(engine);
  await suppliers.start();
  const alertWatch = openAlertWatch({
    ...durable,
    ...shared,
    measured,
    suppliers,
    webhooks,
    backups,
    drillParts,
    alertLookMs,
  });
  alertWatch.start();
  const secrets = { webhookSecrets: webhooks.secrets, supplierSecrets: suppliers.secrets };
  const keyParts = new KeyParts({ ring, engine, stock, log, ...secrets });
  keyParts.start();
  const receipts = openReceipts({ ...durable, ...shared, ring, files });
  const stopping = new AbortController();
  measured.start();
  drillParts.start();
  const behind = { ...receipts, webhooks, feed, suppliers, alertWatch, keyParts, backupParts, drillParts };
  return { ...durable, ...shared, ...behind, requestLogs, measured, lock, files, stopping };
}
