/** The parts of the node that operators' routes use beside its state, made by other folders, as the routes see them. */

import type { StateFields } from '../../alerts/alert.ts';
import type { Deposit } from '../../engine/deposits/deposit.ts';
import type { Origin } from '../../engine/origin.ts';
import type { EndedSupplierPurchase } from '../../engine/supplying/ended-supplier-purchases.ts';
import type { SupplierPurchase } from '../../engine/supplying/supplier-purchases.ts';

export interface SupplierServices {
  /** Base64 of what a data key opens. */
  seal(secret: string): string;
  /** Asks suppliers about everything that is open. Resolves with the number of questions when all are answered. */
  askAll(): Promise<number>;
  /** Ends an unresolved one without its supplier. Undefined when that can't be done now, or it has ended already. */
  giveUp(supplierPurchase: SupplierPurchase, origin: Origin): Promise<EndedSupplierPurchase | undefined>;
  /**
   * Asks now what suppliers have: of a product that is new or has another source, or of all if a
   * supplier has changed.
   */
  lookForStock(productId?: number): void;
  /** Whether its purchases fail without asking it, because it did not answer. */
  isCircuitOpen(supplierId: number): boolean;
}

export interface KeyServices {
  /** The reason why `rekey` would refuse, in words; undefined when it wouldn't. */
  refusalOf(newKey: string | undefined): string | undefined;
  /**
   * Changes the master key, to `newKey` (base64), or to a new one for the key file. Rejects when it is refused, or with the
   * disk's errors: then the old key, the new one or both open the folder, and the key file has one that does.
   */
  rekey(newKey: string | undefined): Promise<void>;
  /** The master key of the key file, once: `state` says whether it was saved. Throws the disk's errors. */
  save(): { readonly masterKeyId: string; readonly masterKey: string };
  state(): {
    readonly masterKeyId: string;
    /** Undefined when the master key is from the environment. */
    readonly keyFile: string | undefined;
    /** Whether an operator has saved the key of the key file. */
    readonly isSaved: boolean | undefined;
  };
}

/** A single backup, of this process. */
interface BackupRow {
  readonly backupId: string;
  readonly target: string;
  readonly state: 'running' | 'complete' | 'failed';
  /** The position that the backup reaches; null while that isn't known. */
  readonly position: { readonly seq: number; readonly hash: string } | null;
  readonly bytes: number;
  /** The time when it began, or ended, in Unix milliseconds. */
  readonly at: number;
  readonly error?: string;
}

export interface BackupServices {
  /** Why nothing can be backed up there, as a sentence without its end; undefined when it may. */
  refusalOf(target: string): string | undefined;
  isRunning(): boolean;
  /** Begins a backup. None may be running. */
  begin(target: string): BackupRow;
  /** The newest first. */
  list(): readonly BackupRow[];
  /** The state of the continuous backup; undefined without one. */
  status():
    | (Pick<BackupRow, 'target' | 'position'> & {
        readonly lagMs: number;
        readonly isFenced: boolean;
        readonly error: string | null;
      })
    | undefined;
}

export interface DrillServices {
  /** Null before the first one. */
  readonly last: StateFields['BACKUP_DRILL']['drill'];
  readonly isRunning: boolean;
  /** The reason why the drill under way waits, in one line; null when it doesn't. */
  readonly waitsFor: string | null;
  /** Does nothing while one is under way. */
  begin(): void;
}

/** The settings of deposits, and who hears of watchers. */
export interface DepositServices {
  /** Where customers pay. */
  readonly addresses: readonly Pick<Deposit, 'network' | 'address'>[];
  readonly windowMs: number;
  readonly confirmations: number;
  /** Somebody who watches a chain has called. */
  readonly heard: () => void;
  /** When that was last, in Unix milliseconds; undefined before it has been. */
  readonly heardAtMs: number | undefined;
}
