/**
 * `clean-end` in the data folder: a target may have this folder's clean end, which lets a restore sell at once.
 *
 * Invariant: the file is on disk before the manifest that says so is sent, and it goes when this node's next run was
 * read from that target. A node that finds it sells nothing: what it sold could be lost, and a restore would not know.
 * When another node has gone on from there, it stays, and every start is refused.
 *
 * A target may be gone without an error: a disk that isn't mounted leaves an empty folder, a bucket may be made anew.
 * So the file names objects that were there (`objects`), and a target without one of them is another one.
 *
 * Whoever begins a run behind that clean end has gone on from it, also before it has sold anything: of a folder and its
 * copy the second one to start is refused. A run of this folder's own may be there when the process died before the
 * mark was gone, so the file names it before it is written (`began`).
 *
 * A folder that was restored from a clean end is marked as well: until a run of its own is there, another restore from
 * there would sell the same items. But its operator may go on elsewhere, without that target: then the mark is no
 * reason to refuse the start (`isRestored`), and it goes when this node's run is at the other one.
 *
 * Rejected: to ask the target alone. A start whose target is away, or isn't named any more, would not hear of it.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../../persistence/disk/durable-file.ts';
import { CLEAN_END_FILE } from '../../persistence/folder/data-folder.ts';
import { TargetError } from '../target/backup-target.ts';
import { openTarget } from '../target/open-target.ts';
import type { StoredObject } from '../target-layout.ts';

/** A line of the file behind the first, in a folder that was restored from there. */
const RESTORED = 'restored';
const OBJECT = /^([0-9a-f]{64}) (.+)$/;
const ENDED_RUN = /^ended (.+)$/;
const BEGAN = /^began ([0-9a-f]+)$/;

/** The content of the mark. */
interface CleanEnd {
  /** The target's URL. */
  readonly url: string;
  /** Whether the folder was restored from there. */
  readonly isRestored: boolean;
  /** Objects that a target with this clean end has; absent when none are known. */
  readonly objects?: readonly NamedObject[];
  /** The name of the run that ended there; absent when others behind it may be this node's. */
  readonly run?: string;
  /** Nonces of this folder's runs behind it. */
  readonly began?: readonly string[];
}

type NamedObject = Pick<StoredObject, 'name' | 'sha256'>;

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
    const [url = '', ...lines] = readFileSync(this.file, 'utf8').split('\n');
    const objects = lines.flatMap((line) => {
      const [, sha256, name] = OBJECT.exec(line) ?? [];
      return name === undefined || sha256 === undefined ? [] : [{ name, sha256 }];
    });
    const isRestored = lines.includes(RESTORED);
    const run = found(lines, ENDED_RUN)[0];
    const began = found(lines, BEGAN);
    return {
      url,
      isRestored,
      ...(objects.length === 0 ? {} : { objects }),
      ...(run === undefined ? {} : { run }),
      ...(began.length === 0 ? {} : { began }),
    };
  }

  /** Whether it is set, and of `target`, as `--backup` names it. Throws `TargetError` when that is none. */
  isAt(target: string): boolean {
    const url = this.read()?.url;
    return url !== undefined && openTarget(target, process.env, { makesFolder: true }).url === url;
  }

  /** Durable when it returns. Throws the file system's errors. */
  set(
    url: string,
    { isRestored = false, objects = [], run, began = [] }: Partial<Omit<CleanEnd, 'url'>> = {},
  ): void {
    const lines = [
      url,
      ...(isRestored ? [RESTORED] : []),
      ...objects.map(lineOf),
      ...(run === undefined ? [] : [`ended ${run}`]),
      ...began.map((nonce) => `began ${nonce}`),
    ];
    writeDurably(this.file, `${lines.join('\n')}\n`);
  }

  /** A run of this folder is about to be written at `url`. Durable when it returns. Throws the file system's errors. */
  begins(url: string, nonce: string): void {
    const end = this.read();
    if (end?.url === url) this.set(url, { ...end, began: [...(end.began ?? []), nonce] });
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

  /** Why a node is refused when another one has gone on from its clean end, as `goneOn` proves. In one sentence. */
  refusal(target: string, goneOn: string): string {
    return `another node went on from the clean end at ${target} (${goneOn}), and this one would sell again what that one has sold: start that one, or restore ${target} into another folder`;
  }

  /** Why a folder can't become one of a cluster, in one sentence. */
  notTakenBack(target: string, trouble: string): string {
    return `the backup at ${target} has a clean end, which must be taken back before the log of a cluster begins (${trouble}); make the target work, or, when nobody will restore from there, remove ${this.file}`;
  }

  /** Why a node waits, in one sentence. */
  waiting(target: string, trouble: string | null): string {
    const why = trouble ?? 'the target has not answered yet';
    return `nothing is sold yet: the backup at ${target} has a clean end, which must be taken back first (${why}); make the target work, or, when nobody will restore from there, remove ${this.file}`;
  }
}

function found(lines: readonly string[], pattern: RegExp): string[] {
  return lines.flatMap((line) => pattern.exec(line)?.[1] ?? []);
}

function lineOf({ name, sha256 }: NamedObject): string {
  return `${sha256} ${name}`;
}
