/**
 * How a data folder gets from one version of its format to the next: a step for each version since `OLDEST_VERSION`.
 *
 * A step is written by the change that needs it, and stays: whoever comes from far goes through all of them. So a step
 * reads and writes its two versions' files by code of its own, unless that code can never change. A step makes files,
 * and touches none of the old folder: `migrate-folder.ts` sees to the two folders.
 */
import { openLog } from '../journal/open-log.ts';

export interface MigrationWork {
  /** The older version's folder, which nobody else has open. Nothing in it may be changed. */
  readonly from: string;
  /** The next version's: it has all of the older one's files but those that the step replaces. */
  readonly to: string;
  /** The value of PURSER_MASTER_KEY; undefined: the key is in the folder's key file. */
  readonly masterKey: string | undefined;
  /** Tells the operator how far it is, in one line; not more often than every few seconds. */
  readonly say: (line: string) => void;
}

export interface MigrationStep {
  readonly from: number;
  readonly to: number;
  /** The description of the step, for the operator; follows "from version 13 to 14: ". */
  readonly does: string;
  /** Whether a file directly in the folder is replaced: the step makes its own, or the next version has none. */
  replaces(name: string): boolean;
  /** About how many bytes the files take that it makes. */
  room(folder: string): number;
  /** Makes them. Resolves with the number of facts in the older folder: the newer one must have as many. */
  make(work: MigrationWork): Promise<number>;
}

/** The newer version has what the older one has, which must not open what the newer one will write. */
function carriesAll(from: number, does: string): MigrationStep {
  return {
    from,
    to: from + 1,
    does,
    replaces: () => false,
    room: () => 0,
    make: async ({ to }) => {
      const log = openLog(to);
      const { position } = log.head;
      await log.close();
      return position;
    },
  };
}

export const MIGRATION_STEPS: readonly MigrationStep[] = [
  carriesAll(13, 'old rows may lie in files of their own'),
  carriesAll(14, 'files of old rows may be packed'),
  carriesAll(15, 'full segments of the journal may be packed'),
];
