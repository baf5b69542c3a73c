/** Messages between the main thread and the one that backs up. */
import type { Runner } from './runs.ts';
import type { ShippingEnd } from './shipping/shipping-state.ts';
import type { PositionJson } from './target-layout.ts';

export interface BackupThreadData {
  /** The data folder, whose newest files have been proved. */
  readonly folder: string;
  /** The shared memory of the `DataKeys`. */
  readonly keys: SharedArrayBuffer;
  readonly runner: Runner;
  /** The key ring as it is now (`KeyRing.backupCopy`). */
  readonly ring: string;
}

export interface ContinuousSettings {
  /** The target as the operator wrote it. */
  readonly target: string;
  readonly intervalMs: number;
  readonly baseMs: number;
  readonly keepMs: number;
}

export interface SingleRequest {
  readonly backupId: string;
  readonly target: string;
  /** The last fact that it must have. */
  readonly through: number;
}

export type BackupEvents = {
  /** All up to there is at the target of the continuous backup. `lastAtMs`: when its last fact happened. */
  readonly shipped: (position: PositionJson, lastAtMs: number) => void;
  /** The target's failure, in one sentence; null when it works again. */
  readonly trouble: (series: 'base' | 'log', message: string | null, isImpossible: boolean) => void;
  /** The target has lost what was there; all is shipped again. A sentence. */
  readonly lost: (message: string) => void;
  /** An object at the target is not what a node of this shop wrote. May come again and again. */
  readonly altered: (name: string) => void;
  /** Something about the target that operators should know, in one sentence. */
  readonly warned: (message: string) => void;
  /** Nothing is shipped any more; after a failure, until `begin`. `goneOn`: see `BackupError`. */
  readonly ended: (why: ShippingEnd['why'], message: string, goneOn: string | null) => void;
  /** A single backup has come to `position`, and has so many bytes. */
  readonly progress: (backupId: string, position: PositionJson, bytes: number) => void;
};
