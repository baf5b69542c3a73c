/**
 * One running purser per data folder: exclusive between processes, also of different containers on one machine,
 * and free again the moment the holder is gone, by kill -9 or a power cut too. `lock-contest.ts` says who gets it.
 *
 * A contender is a Unix domain socket in the folder, `lock.<random>.<pid>`. The kernel accepts connections for a
 * listening process however busy it is, and refuses them once it is gone, however it went.
 *
 * Rejected: a file with a process number, which may come back empty, and the number may be another's; abstract
 * sockets, which another container's network doesn't see; `flock`, which Node doesn't have.
 */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../shared/error-code.ts';
import { folderTrouble } from '../disk/disk-trouble.ts';
import { DataFolderError } from './data-folder-error.ts';
import { contend, HELD, type LockNames, UNBORN } from './lock-contest.ts';

const NAME = /^lock\.[0-9a-f]{16}\.(\d+)(\.\w+)?$/;
const LONGEST_NAME_BYTES = 40;
/**
 * The longest address of a socket, in bytes: the smallest limit of the systems in use, the closing zero byte not
 * counted.
 */
const MAX_ADDRESS_BYTES = 103;
const RETRY_MS = 20;
/**
 * The beginning of names that are made in a folder to try it out. A folder with one that was left behind is still taken
 * for a data folder.
 */
export const PROBE = 'room-probe';
/** Codes of file systems that have no sockets, or no second names of a file. */
const LACKING = new Set<unknown>(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EXDEV']);

/** The name of a folder for its user, and the flag by which another one is chosen. */
interface Called {
  readonly kind: string;
  readonly flag: string;
}
const DATA_FOLDER: Called = { kind: 'data folder', flag: '--data' };

export interface FolderLock {
  /** Frees the folder; harmless when called again. */
  release(): Promise<void>;
}

/**
 * Takes the lock of an existing folder on a local file system. Locking takes some milliseconds, and some seconds when
 * others try at the same time.
 * @throws DataFolderError `in-use` when another process has it, and `lock` when it can't be had at all
 */
export async function lockFolder(folder: string, called = DATA_FOLDER): Promise<FolderLock> {
  let sockets: SocketFolder | undefined;
  try {
    const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
    if (isFolder !== true) throw new Error('there is no such folder');
    sockets = new SocketFolder(folder);
    const contest = await contend(sockets);
    if (contest.kind === 'lost') throw inUse(folder, pidIn(contest.holder), called);
    if (contest.kind === 'undecided')
      throw new Error('other processes are trying to lock it at the same time; try again');
    return sockets;
  } catch (error) {
    // What is left behind answers nobody, so it is dead.
    await sockets?.release().catch(() => undefined);
    if (DataFolderError.is(error, 'in-use')) throw error;
    throw noLock(folder, error, called);
  }
}

/** Does what a lock needs of the file system. Leaves nothing behind. Rejects with `lock`. */
export async function tryLocking(folder: string): Promise<void> {
  let sockets: SocketFolder | undefined;
  const name = `${PROBE}.${randomBytes(8).toString('hex')}`;
  try {
    sockets = new SocketFolder(folder);
    await sockets.listen(name);
    await sockets.link(name, `${name}${HELD}`);
  } catch (error) {
    throw noLock(folder, error);
  } finally {
    for (const each of [`${name}${HELD}`, name]) await sockets?.remove(each).catch(() => undefined);
    await sockets?.release().catch(() => undefined);
  }
}

/**
 * The lock for a reader that changes nothing. Where the folder may not be written to, or its file system knows no lock,
 * none can be taken: then it is looked whether anybody has it, now and by `release`, which throws `in-use`
 * when somebody has taken it meanwhile.
 */
export async function lockForReading(folder: string): Promise<FolderLock> {
  try {
    accessSync(folder, constants.W_OK);
    return await lockFolder(folder);
  } catch (error) {
    if (DataFolderError.is(error, 'in-use')) throw error;
    await refuseWhileHeld(folder);
    return { release: () => refuseWhileHeld(folder) };
  }
}

function inUse(folder: string, pid: number, { kind, flag } = DATA_FOLDER): DataFolderError {
  const who = `another running purser (pid ${pid})`;
  const message = `the ${kind} ${folder} is in use by ${who}: stop it first or choose another ${flag}`;
  return new DataFolderError(message, { reason: 'in-use', folder, pid });
}

function noLock(folder: string, cause: unknown, { kind } = DATA_FOLDER): DataFolderError {
  const message = `cannot lock the ${kind} ${folder}: ${folderTrouble(cause)}`;
  return new DataFolderError(message, { reason: 'lock', cause });
}

async function refuseWhileHeld(folder: string): Promise<void> {
  const pid = await holderOf(folder);
  if (pid !== undefined) throw inUse(folder, pid);
}

/**
 * The pid of the process that has the folder, as that process sees it; undefined when none has. Takes no lock, and the
 * holder notices nothing. Rejects with `lock`.
 */
export async function holderOf(folder: string): Promise<number | undefined> {
  let sockets: SocketFolder | undefined;
  try {
    sockets = new SocketFolder(folder);
    for (const name of await sockets.list()) {
      if (!name.endsWith(UNBORN) && (await sockets.isAlive(name))) return pidIn(name);
    }
    return undefined;
  } catch (error) {
    throw noLock(folder, error);
  } finally {
    await sockets?.release();
  }
}

function pidIn(name: string): number {
  return Number(NAME.exec(name)?.[1]);
}

/**
 * Whether a socket that this user may not connect to has a process behind it. The system lists sockets by the names
 * that they were bound to. Where there is no such list, it is taken to be alive.
 */
function isListed(name: string): boolean {
  const [own = name] = /^lock\.[0-9a-f]{16}\.\d+/.exec(name) ?? [];
  try {
    return readFileSync('/proc/net/unix', 'utf8').includes(own);
  } catch {
    return true;
  }
}

/** The sockets in a folder, whose path may be longer than a socket's address. */
class SocketFolder implements LockNames, FolderLock {
  readonly #folder: string;
  /** Reaches the folder by a short path. */
  readonly #descriptor: number | undefined;
  #own = '';
  #server: Server | undefined;
  #isReleased = false;

  /** Throws an error of one line when the path is too long here, and the file system's errors. */
  constructor(folder: string) {
    this.#folder = folder;
    const limit = MAX_ADDRESS_BYTES - 1 - LONGEST_NAME_BYTES;
    if (Buffer.byteLength(folder) <= limit) return;
    if (process.platform !== 'linux')
      throw new Error(`its path is longer than the ${limit} bytes that a lock's socket leaves for it`);
    this.#descriptor = openSync(folder, 'r');
  }

  newName(): string {
    this.#own = `lock.${randomBytes(8).toString('hex')}.${process.pid}`;
    return this.#own;
  }

  listen(name: string): Promise<void> {
    const server = createServer((peer) => peer.destroy());
    this.#server = server;
    return new Promise((resolve, reject) => {
      server.once('error', (error) => reject(lacking('Unix sockets', error)));
      server.listen({ path: this.#address(name) }, () => {
        // Failing to accept a connection (too many open files, say) is the peer's trouble.
        server.removeAllListeners('error').on('error', () => undefined);
        resolve();
      });
      // It keeps no process alive.
      server.unref();
    });
  }

  async rename(from: string, to: string): Promise<boolean> {
    try {
      renameSync(this.#path(from), this.#path(to));
      return true;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  async link(from: string, to: string): Promise<void> {
    try {
      linkSync(this.#path(from), this.#path(to));
    } catch (error) {
      throw lacking('hard links', error);
    }
  }

  async list(): Promise<readonly string[]> {
    return readdirSync(this.#folder).filter((name) => NAME.test(name));
  }

  isAlive(name: string): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ path: this.#address(name) });
      const conclude = (isAlive: boolean) => {
        socket.destroy();
        resolve(isAlive);
      };
      socket.on('connect', () => conclude(true));
      socket.on('error', (error) => {
        const code = codeOf(error);
        // Signs of life: the queue of connections to accept is full, or was given up this moment.
        if (code === 'EAGAIN' || code === 'ECONNRESET' || code === 'EPIPE') conclude(true);
        else if (code === 'ECONNREFUSED' || code === 'ENOENT') conclude(false);
        else if (code === 'EACCES') conclude(isListed(name));
        else reject(error);
      });
    });
  }

  async remove(name: string): Promise<void> {
    rmSync(this.#path(name), { force: true });
  }

  async withdraw(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    try {
      await this.remove(`${this.#own}${HELD}`);
      await this.remove(this.#own);
    } finally {
      // The name that it was bound to is removed by this.
      await new Promise((resolve) => server.close(resolve));
    }
  }

  pause(): Promise<void> {
    return sleep(RETRY_MS + RETRY_MS * Math.random());
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    try {
      await this.withdraw();
    } finally {
      if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    }
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  #address(name: string): string {
    return join(this.#descriptor === undefined ? this.#folder : `/proc/self/fd/${this.#descriptor}`, name);
  }
}

/** The error of a lock: as it is, unless it says that a file system lacks something. */
function lacking(what: string, error: unknown): unknown {
  if (!LACKING.has(codeOf(error))) return error;
  return new Error(
    `this file system has no ${what} (${codeOf(error)}), which a lock is made of: take a folder on a local disk of this machine, with ext4, XFS or the like`,
    { cause: error },
  );
}
