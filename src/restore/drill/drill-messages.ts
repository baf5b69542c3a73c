/** Messages between a node and the process of a drill. */
import type { PositionJson } from '../../backup/target-layout.ts';

/** A position of the running node, and its state there. */
export interface DrillPoint {
  readonly position: PositionJson;
  /** The hash of the figures: `figures-hash.ts`. */
  readonly figures: string;
}

export interface DrillRequest {
  /** The target of the backup, as the operator wrote it. */
  readonly source: string;
  /** 32 bytes in base64. */
  readonly masterKey: string;
  readonly point: DrillPoint;
  /** Not there yet. */
  readonly folder: string;
}

/** A report of the process: it has come a step further, waits for the target (undefined: no more), or is at its end. */
export type DrillReport =
  | { readonly kind: 'goesOn' }
  | { readonly kind: 'waits'; readonly line: string | undefined }
  | { readonly kind: 'ended'; readonly error: string | null };
