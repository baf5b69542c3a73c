/** What passes between a node and the process of an archive. */
import type { Baseline } from '../engine/baseline.ts';
import type { Archived } from './archive-making.ts';

export interface ArchiveRequest {
  readonly folder: string;
  /** As the operator wrote it. */
  readonly target: string;
  /** The value of PURSER_MASTER_KEY; undefined: the key is in the folder. */
  readonly masterKey: string | undefined;
  readonly beforeMs: number;
  readonly through: number;
  readonly baseline: Baseline | null;
  readonly epoch: number;
}

/** It has come a step further, waits for the target, or is at its end. */
export type ArchiveReport =
  | { readonly kind: 'goesOn' }
  | { readonly kind: 'waits'; readonly line: string }
  | { readonly kind: 'ended'; readonly archived: Archived }
  | { readonly kind: 'ended'; readonly error: string };
