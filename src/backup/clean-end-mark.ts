/**
 * `clean-end` in the data folder: a target may have this folder's clean end, which lets a restore sell at once.
 *
 * What always holds: the file is on disk before the manifest that says so is sent, and it goes when a newer run of this
 * shop was read from that target, and proved. A node that finds it sells nothing: what it sold could be lost, and a restore
 * would not know.
 *
 * A folder that was restored from a clean end is marked as well: until a run of its own is there, another restore from
 * there would sell the same items. But its operator may go on elsewhere, without that target: then the mark is no reason
 * to refuse the start (`isRestored`), and it goes when this node's run is at the other one.
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

/** What the mark says. */
export interface CleanEnd {
  /** Of the target. */
  readonly url: string;
  /** Of a folder that was restored from there. */
  readonly isRestored: boolean;
}

export class CleanEndMark {
  readonly file: string;

  constructor(folder: string) {
    this.file = join(folder, CLEAN_END_FILE);
  }

  get isSet(): boolean {
    return existsSync(this.file);
  }

  /** Undefined when it isn't set. Throws the file system's errors. */
  read(): CleanEnd | undefined {
    if (!this.isSet) return undefined;
    const [url = '', kind] = readFileSync(this.file, 'utf8').split('\n');
    return { url, isRestored: kind === RESTORED };
  }

  /** Whether it is set, and of `target`, as `--backup` names it. Throws `TargetError` when that is none. */
  isAt(target: string): boolean {
    const url = this.read()?.url;
    return url !== undefined && openTarget(target, process.env, { makesFolder: true }).url === url;
  }

  /** Durable when it returns. Throws the file system's errors. */
  set(url: string, { isRestored = false }: Partial<Pick<CleanEnd, 'isRestored'>> = {}): void {
    writeDurably(this.file, isRestored ? `${url}\n${RESTORED}\n` : `${url}\n`);
  }

  /** A power cut may bring it back; then the next start takes the clean end back once more. */
  remove(): void {
    rmSync(this.file, { force: true });
  }

  /**
   * Throws a `TargetError` that says what to do, unless `target` (what `--backup` says) is where the clean end is, or the
   * folder was restored. Changes nothing.
   */
  expectAt(target: string | undefined): void {
    const marked = this.read();
    if (marked === undefined || marked.isRestored) return;
    if (target !== undefined && this.isAt(target)) return;
    const { url } = marked;
    throw new TargetError(
      'refused',
      `the backup at ${url} has a clean end, which this node must take back before it sells: start it with --backup ${url}, or, when nobody will restore from there, remove ${this.file}`,
    );
  }

  /** Why a node waits, in one sentence. */
  waiting(target: string, trouble: string | null): string {
    const why = trouble ?? 'the target has not answered yet';
    return `nothing is sold yet: the backup at ${target} has a clean end, which must be taken back first (${why}); make the target work, or, when nobody will restore from there, remove ${this.file}`;
  }
}
