/**
 * One round of each crash, of the program as it is built: kill -9 under load, a disk that fails and one that is full, a
 * folder that is lost, a supplier that is interrupted, and webhooks. An outside ledger knows what was answered. The suite
 * `crash` has many rounds of each.
 */
import { describe, test } from 'node:test';
import { failWrites } from '../suites/crash/disk/failing-disk.ts';
import { whyNoFailingWrites } from '../suites/crash/disk/failing-writes.ts';
import { fillDisk } from '../suites/crash/disk/full-disk.ts';
import { killAgainAndAgain } from '../suites/crash/kill/kill-minus-nine.ts';
import { loseFolders } from '../suites/crash/kill/restore.ts';
import { interruptSuppliers } from '../suites/crash/kill/supplier-interrupted.ts';
import { killAmidDeliveries } from '../suites/crash/kill/webhooks.ts';
import { whyNoSmallDisk } from '../support/small-disk.ts';

describe('what was answered is there, once', { timeout: 600_000 }, () => {
  test('after kill -9 under load', (t) =>
    killAgainAndAgain(t, { rounds: ['usual files'], maxPurchases: 250, withinMs: 40 }));

  test('after a write that failed, and when all of them do', { skip: whyNoFailingWrites() ?? false }, (t) =>
    failWrites(t, { once: ['journal'], forGood: ['stock'], pace: { purchaseEveryMs: 20, bots: 1 } }),
  );

  test('after the disk was full', { skip: whyNoSmallDisk() ?? false }, (t) =>
    fillDisk(t, { fillings: 1, stock: 300, pace: { bots: 0 } }),
  );

  test('after the folder was lost and restored, and receipts have closed the gap', (t) =>
    loseFolders(t, 1, 60));

  test('after a kill between hold and answer', (t) => interruptSuppliers(t, 1));

  test('after a kill amid webhooks', (t) => killAmidDeliveries(t, 1, 100));
});
