/**
 * The work place of a folder, where it is built before it has its name: beside that, and renamed when it is whole. So
 * nothing half done looks done, and a power cut leaves nothing that a node would start with.
 *
 * Where that isn't possible, because the folder is a volume of its own or the one around it can't be written to, it is
 * built inside, and its files move up in the end, `format` last: without that one no node starts there. A link stays
 * one: what it leads to is the folder, also when that isn't there yet.
 */
import { randomBytes } from 'node:crypto';
import { accessSync, constants, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { folderTrouble } from '../disk/disk-trouble.ts';
import { syncFolderOf } from '../disk/durable-file.ts';
import { DataFolderError } from './data-folder-error.ts';
import { FORMAT_FILE } from './folder-format.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import { linkedPath } from './linked-path.ts';
import { makeFolder } from './new-folder.ts';
import { isRoot, otherFiles } from './other-files.ts';

/** The kind of work that makes folders: a restore, for one. */
export interface Maker {
  /** The mark in the name of an unfinished folder: `.restoring-`. */
  readonly mark: string;
  /** The verb of messages: `restore`. */
  readonly verb: string;
  /** Makes its errors: the message is one line that says why and what to do. */
  readonly error: (message: string, options?: ErrorOptions) => Error;
}

export class WorkPlace {
  /** The folder to be filled, locked meanwhile. */
  readonly path: string;
  readonly #folder: string;
  readonly #isInside: boolean;
  readonly #lock: FolderLock;

  private constructor(folder: string, path: string, isInside: boolean, lock: FolderLock) {
    this.#folder = folder;
    this.path = path;
    this.#isInside = isInside;
    this.#lock = lock;
  }

  /** `folder` is empty, or not there. Removes what an interrupted one left. Rejects with the maker's error. */
  static async open(folder: string, maker: Maker): Promise<WorkPlace> {
    let absolute = resolve(folder);
    try {
      absolute = await linkedPath(absolute);
      const isInside = mustBeInside(absolute);
      const around = isInside ? absolute : dirname(absolute);
      const prefix = isInside ? maker.mark : `${basename(absolute)}${maker.mark}`;
      if (!isInside) makeFolder(around);
      await clear(around, prefix);
      const path = join(around, `${prefix}${randomBytes(8).toString('hex')}`);
      makeFolder(path);
      return new WorkPlace(absolute, path, isInside, await lockFolder(path));
    } catch (error) {
      if (DataFolderError.is(error, 'in-use'))
        throw maker.error(
          `another ${maker.verb} is filling ${error.folder} (pid ${error.pid}): wait for it, or stop it`,
        );
      throw maker.error(`cannot ${maker.verb} into ${absolute}: ${folderTrouble(error)}`, {
        cause: error,
      });
    }
  }

  /** The folder has its name. */
  async settle(): Promise<void> {
    await this.#lock.release();
    if (this.#isInside) {
      for (const name of readdirSync(this.path)) if (name !== FORMAT_FILE) this.#moveUp(name);
      syncFolderOf(join(this.#folder, FORMAT_FILE));
      this.#moveUp(FORMAT_FILE);
      rmdirSync(this.path);
      syncFolderOf(join(this.#folder, FORMAT_FILE));
    } else {
      // In the place of an empty folder, too.
      renameSync(this.path, this.#folder);
      syncFolderOf(this.#folder);
    }
  }

  /** Nothing of it is left. */
  async discard(): Promise<void> {
    await this.#lock.release();
    rmSync(this.path, { recursive: true, force: true });
  }

  #moveUp(name: string): void {
    renameSync(join(this.path, name), join(this.#folder, name));
  }
}

/** Throws the maker's error when there is anything but what an interrupted one left. */
export function expectEmpty(folder: string, { mark, verb, error }: Maker): void {
  const status = statSync(folder, { throwIfNoEntry: false });
  if (status === undefined) return;
  if (!status.isDirectory()) throw error(`${folder} is not a folder: choose another one with --data`);
  const [other, ...others] = readdirSync(folder).filter((name) => !name.startsWith(mark));
  if (other === undefined) return;
  if (isRoot(resolve(folder), [other, ...others])) throw error(otherFiles(folder, [other, ...others]));
  throw error(
    `${folder} is not empty (it has ${other}), and a ${verb} replaces nothing: move it away, or choose another folder with --data`,
  );
}

function mustBeInside(folder: string): boolean {
  const own = statSync(folder, { throwIfNoEntry: false });
  if (own === undefined) return false;
  const around = dirname(folder);
  if (statSync(around).dev !== own.dev) return true;
  try {
    accessSync(around, constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

async function clear(around: string, prefix: string): Promise<void> {
  for (const name of readdirSync(around)) {
    if (!name.startsWith(prefix) || !/^[0-9a-f]{16}$/.test(name.slice(prefix.length))) continue;
    const left = join(around, name);
    await (await lockFolder(left)).release();
    rmSync(left, { recursive: true, force: true });
  }
}
