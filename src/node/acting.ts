/**
 * The parts that act by themselves, opened upon folder and state: webhooks, backups and their drills, suppliers, the
 * watch that alerts operators, keys that change, receipts. A node has these once it may sell.
 */

import { SalesPace } from '../alerts/sales-pace.ts';
import { SALES_CLOSED_LINE } from '../alerts/sales-watch.ts';
import { ShortestCover } from '../alerts/shortest-cover.ts';
import { BuyerEvents } from '../feed/buyer-events.ts';
import { OrderFulfilment } from '../fulfilment/order-fulfilment.ts';
import { settleAfter, settleDebits } from '../recovery/debit-settling.ts';
import type { Lease } from '../threads/lease.ts';
import { openAlertWatch } from './alerts.ts';
import { BackupParts, type WhileWaiting } from './backups.ts';
import type { FolderParts } from './data-folder.ts';
import { DepositParts } from './deposits.ts';
import { DrillParts } from './drills.ts';
import { KeyParts } from './keys.ts';
import { openReceipts } from './receipts.ts';
import type { StateParts } from './state.ts';
import { SupplierParts } from './suppliers.ts';
import type { WebhookParts } from './webhooks.ts';

export interface ActingOptions {
  readonly alertLookMs?: number | undefined;
  /** Requests to suppliers begin only while it is held. Undefined for a node that shares its log with nobody. */
  readonly lease?: Lease | undefined;
  /**
   * The wrapper of a start's wait for a target. Only a node that shares its log with nobody waits. Default: nothing
   * breaks the start off.
   */
  readonly whileWaiting?: WhileWaiting | undefined;
}

export type ActingParts = Awaited<ReturnType<typeof openActingParts>>;

/** `webhooks` have started, and are not open. */
export async function openActingParts(
  folder: FolderParts,
  state: StateParts,
  webhooks: WebhookParts,
  { alertLookMs, lease, whileWaiting }: ActingOptions,
) {
  const { ring, stock, files } = folder;
  const { config, log, engine, checkpointer, history, feed, measured, told, stopping } = state;
  const both = { ...folder, ...state };
  const backupParts = new BackupParts({ config, ring, engine, log });
  const { backups } = backupParts;
  const { groups } = webhooks;
  const events = new BuyerEvents({ engine, checkpointer, feed, groups, clock: Date.now });
  webhooks.onSettled = events.settled;
  stopping.signal.addEventListener('abort', () => events.stop());
  /** The folder's journal has the facts up to here. */
  const readThrough = (position: number) => {
    webhooks.readThrough(position);
    feed.advance(position);
    events.advance(position);
    backups.advance(position);
  };
  told.durable = (position, facts) => {
    webhooks.noteChanges(position, facts);
    // Elsewhere it is told when that is so.
    if (lease === undefined) readThrough(position);
    void settleAfter(engine, facts);
  };
  const drillParts = new DrillParts({ ...both, backups });
  const fulfilment = new OrderFulfilment(engine, history, stock, ring.keys.fingerprintKey);
  const suppliers = new SupplierParts({ ...both, fulfilment, lease: lease?.shared });
  told.keptBack = suppliers.keptBack;
  webhooks.open(engine);
  if (engine.state.gap !== null) log.warn(SALES_CLOSED_LINE);
  // No fact may come behind a clean end that still counts. A cluster has none: `purser cluster init` took it back.
  if (lease === undefined) await backupParts.start(whileWaiting);
  else backupParts.startBehind();
  await settleDebits(engine);
  await suppliers.start();
  const pace = new SalesPace({ engine, sales: measured.sales });
  const shortestCover = new ShortestCover(pace);
  const depositParts = new DepositParts(config);
  const watched = { ...both, suppliers, webhooks, backups, drillParts, depositParts, pace, shortestCover };
  const alertWatch = openAlertWatch({ ...watched, alertLookMs });
  alertWatch.start();
  const keyParts = new KeyParts({ folder: folder.folder, ring, log });
  const receipts = openReceipts({ ...both, files, fulfilment });
  measured.start();
  drillParts.start();
  return {
    /** See `ContextServices`. */
    underWay: new Set<Promise<void>>(),
    ...receipts,
    events,
    webhooks,
    depositParts,
    fulfilment,
    suppliers,
    alertWatch,
    pace,
    shortestCover,
    keyParts,
    backupParts,
    drillParts,
    readThrough,
  };
}
