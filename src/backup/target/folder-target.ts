/**
 * A folder as the target of a backup: an object is a file, and the parts of its name are folders.
 *
 * Invariants:
 *
 * - An object has its name when it is whole and durable, never before: it is written in `.unfinished`, synced, and then
 *   linked to its name. A link fails when the name is taken, so of two writers one gets it, on whatever machines they
 *   are.
 * - One operation of the file system is under way at a time. One that never returns, as of a network that is gone,
 *   takes one thread of libuv's pool, and the journal commits in the others.
 * - The folder is made only if it was never there, and only in a folder that is: a disk that isn't mounted is not
 *   replaced by the disk below it.
 *
 * Rejected: renaming, which replaces what has the name; creating the file under its name (`wx`), which shows others
 * half an object while it is written; and writing in the thread itself, which a hanging network would stop for good.
 */
import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { link, lstat, mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../../shared/error-code.ts';
import {
  type BackupTarget,
  type CallOptions,
  MAX_OBJECT_BYTES,
  TargetError,
  type TargetObject,
} from './backup-target.ts';
import { contentMs, endingCall, PATIENCE, type Patience } from './call-end.ts';
import { folderError, hasNoLinks, noFolder, noLinks, noSource, tooLarge } from './folder-errors.ts';
import { expectPlaceOfBackup } from './folder-place.ts';
import { checkName, isNamePart } from './object-name.ts';

/** Begins with a dot, as no part of an object's name does. */
const UNFINISHED = '.unfinished';
/** The age from which an unfinished file has been left behind: no call takes so long. */
const LEFT_BEHIND_MS = 60 * 60 * 1_000;
/** Sizes that are asked for together, so that others come in between. */
const SIZES_AT_ONCE = 64;
const CLOSE_MS = 1_000;
/** File systems that have no way to sync a folder. */
const NO_FOLDER_SYNC = new Set<unknown>(['EINVAL', 'ENOTSUP']);

export interface FolderTargetOptions {
  /** Whether to make the folder when it isn't there: writers do. */
  readonly makesFolder: boolean;
  /** The data folder that is backed up there: the target must not lie in it, nor in another backup. */
  readonly dataFolder?: string | undefined;
  readonly patience?: Patience | undefined;
}

export class FolderTarget implements BackupTarget {
  /** The folder's path. */
  readonly url: string;
  readonly #options: FolderTargetOptions;
  readonly #patience: Patience;
  /** Folders that were there, or were made, and whose names are durable. */
  readonly #durable = new Set<string>();
  #wasThere = false;
  #wasTidied = false;
  #busy = 0;
  /** Settled when nothing is under way. */
  #last: Promise<unknown> = Promise.resolve();

  /** `path` is absolute. Nothing is looked at before the first call. */
  constructor(path: string, options: FolderTargetOptions) {
    this.url = path;
    this.#options = options;
    this.#patience = options.patience ?? PATIENCE;
  }

  get holdsThread(): boolean {
    return this.#busy > 0;
  }

  async create(name: string, bytes: Uint8Array, options: CallOptions = {}): Promise<boolean> {
    checkName(name);
    if (bytes.byteLength > MAX_OBJECT_BYTES) throw tooLarge(this.url, name);
    return this.#call(options.signal, bytes.byteLength, async (signal) => {
      await this.#tidy();
      const unfinished = join(this.url, UNFINISHED, randomUUID());
      try {
        const file = await open(unfinished, 'wx', 0o600);
        try {
          await file.writeFile(bytes, { signal });
          await file.sync();
        } finally {
          await file.close();
        }
        await this.#makeDurable(dirname(name));
        signal.throwIfAborted();
        return await this.#give(join(this.url, name), unfinished);
      } finally {
        await unlink(unfinished).catch(() => {});
      }
    });
  }

  async read(name: string, options: CallOptions = {}): Promise<Buffer | undefined> {
    checkName(name);
    return this.#call(options.signal, MAX_OBJECT_BYTES, (signal) =>
      unlessMissing(async () => {
        const file = await open(join(this.url, name), 'r');
        try {
          if ((await file.stat()).size > MAX_OBJECT_BYTES) throw tooLarge(this.url, name);
          return await file.readFile({ signal });
        } finally {
          await file.close();
        }
      }),
    );
  }

  async *list(
    prefix: string,
    { after = '', signal }: CallOptions & { readonly after?: string } = {},
  ): AsyncIterable<TargetObject> {
    yield* this.#walk('', (name) => mayHold(name, prefix, after), signal);
  }

  async remove(name: string, options: CallOptions = {}): Promise<void> {
    checkName(name);
    await this.#call(options.signal, 0, () => unlessMissing(() => unlink(join(this.url, name))));
  }

  /** Waits a moment for what is under way, as of a call that was given up. */
  async close(): Promise<void> {
    const ended = new AbortController();
    const waited = delay(CLOSE_MS, undefined, { signal: ended.signal }).catch(() => {});
    await Promise.race([this.#last, waited]);
    ended.abort();
  }

  /** `folder` is empty, or ends with `/`; so names come in the order of their bytes, as a bucket lists them. */
  async *#walk(
    folder: string,
    isWanted: (name: string) => boolean,
    signal: AbortSignal | undefined,
  ): AsyncIterable<TargetObject> {
    const entries = await this.#call(signal, 0, () =>
      unlessMissing(() => readdir(join(this.url, folder), { withFileTypes: true })),
    );
    const names = (entries ?? []).flatMap((entry) => nameOf(folder, entry)).filter(isWanted);
    names.sort((a, b) => (a < b ? -1 : 1));
    for (let at = 0; at < names.length; ) {
      const name = names[at] ?? '';
      if (name.endsWith('/')) {
        at += 1;
        yield* this.#walk(name, isWanted, signal);
        continue;
      }
      const next = names.slice(at, at + SIZES_AT_ONCE);
      const nextFolder = next.findIndex((other) => other.endsWith('/'));
      const files = nextFolder === -1 ? next : next.slice(0, nextFolder);
      at += files.length;
      yield* await this.#call(signal, 0, () => this.#sizesOf(files));
    }
  }

  async #sizesOf(names: readonly string[]): Promise<TargetObject[]> {
    const objects: TargetObject[] = [];
    for (const name of names) {
      const found = await unlessMissing(() => lstat(join(this.url, name)));
      if (found !== undefined) objects.push({ name, sizeBytes: found.size });
    }
    return objects;
  }

  /** Runs `work` in its turn: when all calls before have let go of the file system. */
  async #call<T>(
    signal: AbortSignal | undefined,
    sizeBytes: number,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const limitMs = this.#patience.answerMs + contentMs(this.#patience, sizeBytes);
    return endingCall(this.url, limitMs, signal, (end) => {
      const turn = this.#last.then(async () => {
        end.signal.throwIfAborted();
        this.#busy += 1;
        try {
          await this.#findFolder();
          end.signal.throwIfAborted();
          return await work(end.signal);
        } catch (error) {
          // Somebody removed folders: they are made again by the next call.
          if (codeOf(error) === 'ENOENT') {
            this.#durable.clear();
            this.#wasTidied = false;
          }
          throw folderError(this.url, error);
        } finally {
          this.#busy -= 1;
        }
      });
      this.#last = turn.catch(() => {});
      return turn;
    });
  }

  async #findFolder(): Promise<void> {
    const { makesFolder, dataFolder } = this.#options;
    if (!this.#wasThere && dataFolder !== undefined) await expectPlaceOfBackup(this.url, dataFolder);
    const found = await unlessMissing(() => stat(this.url));
    if (found === undefined) {
      if (!makesFolder) throw noSource(this.url);
      if (this.#wasThere) throw noFolder(this.url);
      await mkdir(this.url, { mode: 0o700 }).catch((error) => {
        if (codeOf(error) === 'ENOENT') throw noFolder(dirname(this.url));
        if (codeOf(error) !== 'EEXIST') throw error;
      });
      await syncFolder(dirname(this.url));
    } else if (!found.isDirectory()) {
      throw new TargetError(
        'impossible',
        `${this.url} is a file; give a folder, or the URL of a bucket (s3://bucket/prefix)`,
      );
    }
    this.#wasThere = true;
  }

  /** Once: makes the folder of unfinished files, and removes those that were left behind. */
  async #tidy(): Promise<void> {
    if (this.#wasTidied) return;
    const folder = join(this.url, UNFINISHED);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) {
      const found = await unlessMissing(() => stat(join(folder, name)));
      if (found !== undefined && Date.now() - found.mtimeMs > LEFT_BEHIND_MS)
        await unlessMissing(() => unlink(join(folder, name)));
    }
    this.#wasTidied = true;
  }

  /**
   * Makes the target itself (`.`), or a folder below it, and makes its name durable. Another process that made the
   * folder may not have synced the name.
   */
  async #makeDurable(folder: string): Promise<void> {
    if (folder === '.' || this.#durable.has(folder)) return;
    await this.#makeDurable(dirname(folder));
    const path = join(this.url, folder);
    await mkdir(path, { recursive: true, mode: 0o700 });
    await syncFolder(dirname(path));
    this.#durable.add(folder);
  }

  async #give(path: string, unfinished: string): Promise<boolean> {
    try {
      await link(unfinished, path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw hasNoLinks(error) ? noLinks(this.url, error) : error;
      // A network file system that lost its answer asks again, and is told that the name is taken: by this file.
      if ((await stat(unfinished)).nlink < 2) return false;
    }
    await syncFolder(dirname(path));
    return true;
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows can't open a folder, and syncs names by itself.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    if (!NO_FOLDER_SYNC.has(codeOf(error))) throw error;
  } finally {
    await folder.close();
  }
}

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Empty when it is neither an object nor a folder of objects. */
function nameOf(folder: string, entry: Dirent): string[] {
  if (!isNamePart(entry.name)) return [];
  if (entry.isDirectory()) return [`${folder}${entry.name}/`];
  return entry.isFile() ? [`${folder}${entry.name}`] : [];
}

/** Whether it is such an object, or a folder (it ends with `/`) that may have such. */
function mayHold(name: string, prefix: string, after: string): boolean {
  const isFolder = name.endsWith('/');
  const isBelow = name.startsWith(prefix) || (isFolder && prefix.startsWith(name));
  return isBelow && (name > after || (isFolder && after.startsWith(name)));
}
