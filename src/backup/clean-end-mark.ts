/**
 * `clean-end` in the data folder: a target may have this folder's clean end, which lets a restore sell at once.
 *
 * What always holds: the file is on disk before the manifest that says so is sent, and it goes when a newer run was read
 * back from that target. A node that finds it sells nothing: what it sold could be lost, and a restore would not know.
 *
 * A folder that was restored from a clean end is marked as well: until a run of its own is there, another restore from
 * there would sell the same items. But its operator may go on elsewhere, without that target: then the mark is no reason
 * to refuse the start (`isRestored`).
 *
 * Rejected: to ask the target alone. A start whose target is away, or isn't named any more, would not hear of it.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../persistence/disk/durable-file.ts';
import { CLEAN_END_FILE } from '../persistence/folder/data-folder.ts';
import { TargetError } from './target/backup-target.ts';
import { openTarget } from './target/open-target.ts';

/** The second line of the file, in a folder that was restored from there. */
const RESTORED = 'restored';

export class CleanEndMark {
  readonly file: string;

  constructor(folder: string) {
    this.file = join(folder, CLEAN_END_FILE);
  }

  get isSet(): boolean {
    return existsSync(this.file);
  }

  /** Durable when it returns. Throws the file system's errors. */
  set(url: string, { isRestored = false } = {}): void {
    writeDurably(this.file, isRestored ? `${url}\n${RESTORED}\n` : `${url}\n`);
  }

  /** A power cut may bring it back; then the next start takes the clean end back once more. */
  remove(): void {
    rmSync(this.file, { force: true });
  }

  /**
   * Throws a `TargetError` that says what to do, unless `target` (what `--backup` says) is where the clean end is. Of a
   * restored folder it doesn't: there the mark goes when another target takes the place of the marked one.
   */
  expectAt(target: string | undefined): void {
    if (!this.isSet) return;
    const [marked = '', kind] = readFileSync(this.file, 'utf8').split('\n');
    if (target !== undefined && openTarget(target, process.env, { makesFolder: true }).url === marked) return;
    if (kind === RESTORED) {
      if (target !== undefined) this.remove();
      return;
    }
    throw new TargetError(
      'refused',
      `the backup at ${marked} has a clean end, which this node must take back before it sells: start it with --backup ${marked}, or, when nobody will restore from there, remove ${this.file}`,
    );
  }

  /** Why a node waits, in one sentence. */
  waiting(target: string, trouble: string | null): string {
    const why = trouble ?? 'the target has not answered yet';
    return `nothing is sold yet: the backup at ${target} has a clean end, which must be taken back first (${why}); make the target work, or, when nobody will restore from there, remove ${this.file}`;
  }
}
