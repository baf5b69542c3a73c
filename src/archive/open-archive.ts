/** Opens an archive: for the process that writes it, for `purser verify --archive` and for `purser archive fetch`. */
import { resolve } from 'node:path';
import { Retrying } from '../backup/retrying.ts';
import { openTarget } from '../backup/target/open-target.ts';
import { KeyRing } from '../persistence/disk/key-ring.ts';
import { RowCipher } from '../persistence/disk/row-cipher.ts';
import { ArchiveStore } from './archive-store.ts';

/** It gives up when the target has not worked for so long. */
const PATIENCE_MS = 60_000;

export interface OpenArchiveOptions {
  readonly folder: string;
  /** As the operator wrote it. */
  readonly target: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a folder that isn't there is made. */
  readonly makesFolder?: boolean;
  /** Hears why it tries again. */
  readonly onTrouble: (message: string) => void;
}

/** Throws a `TargetError` when it can't be a target. Nothing of the folder is read before `store` is called. */
export function openArchive(options: OpenArchiveOptions) {
  const { folder, target: text, env, makesFolder = false, onTrouble } = options;
  const target = openTarget(text, env, { makesFolder, dataFolder: resolve(folder) });
  const retrying = new Retrying({
    signal: new AbortController().signal,
    patienceMs: PATIENCE_MS,
    onTrouble: (error) => {
      if (error !== undefined) onTrouble(error.message);
    },
  });
  return {
    url: target.url,
    /** Throws `MasterKeyError` and `KeyRingError`. */
    store: (): ArchiveStore => {
      const { shop, allKeys } = KeyRing.read(folder, env.PURSER_MASTER_KEY || undefined);
      return new ArchiveStore({ target, shop, cipher: new RowCipher(allKeys), retrying });
    },
    close: () => target.close(),
    holdsThread: () => target.holdsThread,
  };
}
