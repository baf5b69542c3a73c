/** What passes between a node and the process that makes a folder for an import. */
import type { Importable, MadeFolder, Making } from './import-making.ts';

export interface MakingRequest
  extends Pick<Importable, 'folder' | 'from' | 'begun'>,
    Pick<Making, 'isComplete' | 'origin' | 'nowMs'> {
  /** The value of PURSER_MASTER_KEY; undefined: the key is in the key file of `from`. */
  readonly masterKey: string | undefined;
}

/** The folders go together, it has come a step further, or is at its end. */
export type MakingReport =
  | { readonly kind: 'checked' | 'goesOn' }
  | { readonly kind: 'ended'; readonly made: MadeFolder; readonly error: null }
  | { readonly kind: 'ended'; readonly error: string };
