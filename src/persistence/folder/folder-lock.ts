/**
 * One running purser per data folder: exclusive between processes, also of different containers on one machine,
 * and free again the moment the holder is gone, by kill -9 or a power cut too.
 *
 * A contender listens on a socket under a name of its own and then links it to the name `lock`; linking fails
 * when that name is taken, so it is the atomic step. (Binding `lock` itself is not as good: between bind and
 * listen a living socket looks dead, and node removes the path of a socket it closes, whoever's it is by then.)
 *
 * A dead `lock` is renamed away, looked at again, and only then removed; what turns out to be alive, because it
 * came between the look and the rename, goes back. So a holder's socket is always in the folder, under `lock` or
 * a `.stale` name, and whoever has linked `lock` looks for living `.stale` ones before it takes itself for the
 * holder. A file with a process number was rejected: it may come back empty, and the number may be another's.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, readdirSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { folderTrouble } from '../disk/disk-trouble.ts';
import { LockSocket, type Probe, probeSocket, SocketFolder } from './lock-socket.ts';

const NAME = 'lock';
const STALE_SUFFIX = '.stale';
const LEFT_BEHIND = /^lock\.[0-9a-f]{16}(\.stale)?$/;
/** How long `lock` must stay one's own before one believes it. */
const SETTLE_MS = 50;
const RETRY_MS = 20;
const MAX_ATTEMPTS = 100;

export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
  readonly folder: string;
  /** As the holder's own process sees it: in another container it may mean another process. */
  readonly pid: number | undefined;

  constructor(folder: string, pid: number | undefined) {
    const who = `another running purser (pid ${pid ?? 'unknown'})`;
    super(`the data folder ${folder} is in use by ${who}: stop it first or choose another --data`);
    this.folder = folder;
    this.pid = pid;
  }
}

/** The lock can't be had for a reason other than a holder: permissions, a foreign file, the path's length. */
export class FolderLockError extends Error {
  override readonly name = 'FolderLockError';

  constructor(folder: string, reason: string, options?: ErrorOptions) {
    super(`cannot lock the data folder ${folder}: ${reason}`, options);
  }
}

export interface FolderLock {
  /** Frees the folder; harmless when called again. */
  release(): Promise<void>;
}

/**
 * Takes the lock of an existing folder on a local file system. It takes 50 ms, and some seconds at worst.
 * @throws FolderInUseError when another process has it
 * @throws FolderLockError when it can't be had at all
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  try {
    const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
    if (isFolder !== true) throw new FolderLockError(folder, 'there is no such folder');
    return await Contender.enter(folder);
  } catch (error) {
    if (error instanceof FolderInUseError || error instanceof FolderLockError) throw error;
    throw new FolderLockError(folder, folderTrouble(error), { cause: error });
  }
}

class Contender implements FolderLock {
  readonly #folder: string;
  readonly #sockets: SocketFolder;
  #socket: LockSocket | undefined;
  /** The name its socket was bound to, and the inode that all its names share. */
  #boundName = '';
  #inode: bigint | undefined;
  #isReleased = false;

  private constructor(folder: string, sockets: SocketFolder) {
    this.#folder = folder;
    this.#sockets = sockets;
  }

  static async enter(folder: string): Promise<FolderLock> {
    const contender = new Contender(folder, SocketFolder.open(folder));
    try {
      await contender.#win();
      return contender;
    } catch (error) {
      await contender.release();
      throw error;
    }
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    await this.#stopListening();
    this.#sockets.close();
  }

  async #win(): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const socket = this.#socket ?? (await this.#listen());
      if (await this.#takeName()) {
        await sleep(SETTLE_MS);
        await this.#sweep();
        // Between this look and the new state there must be no await: others go by the state.
        if (this.#isOwn(NAME)) {
          socket.state = 'holding';
          this.#remove(this.#boundName);
          return;
        }
      }
    }
    throw new FolderLockError(this.#folder, 'others are trying at the same time; try again');
  }

  async #listen(): Promise<LockSocket> {
    this.#boundName = newName();
    const socket = await LockSocket.listen(this.#sockets.socketPath(this.#boundName));
    this.#socket = socket;
    this.#inode = this.#inodeOf(this.#boundName);
    return socket;
  }

  async #stopListening(): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#socket = undefined;
    socket.state = 'waiting';
    if (this.#isOwn(NAME)) await this.#moveAway();
    await socket.close();
  }

  /** Whether `lock` is now a name of one's own. When it isn't, somebody else's was dealt with or waited for. */
  async #takeName(): Promise<boolean> {
    const code = codeOf(() => linkSync(this.#path(this.#boundName), this.#path(NAME)));
    if (code === undefined || this.#isOwn(NAME)) return true;
    // Another contender has met the socket between bind and listen, and swept it away.
    if (code === 'ENOENT') await this.#stopListening();
    const found = await this.#probe(NAME);
    if (found.kind === 'live' && found.state === 'holding')
      throw new FolderInUseError(this.#folder, found.pid);
    if (found.kind === 'live') await sleep(RETRY_MS + RETRY_MS * Math.random());
    if (found.kind === 'dead') await this.#moveAway();
    return false;
  }

  /** Takes the name `lock` from a socket that is dead or one's own; any other gets it back. */
  async #moveAway(): Promise<void> {
    const stale = `${newName()}${STALE_SUFFIX}`;
    if (codeOf(() => renameSync(this.#path(NAME), this.#path(stale))) === 'ENOENT') return;
    const isFree = this.#isOwn(stale) || (await this.#probe(stale)).kind !== 'live';
    if (isFree) this.#remove(stale);
    else this.#giveBack(stale);
  }

  /** While somebody else has the name, the stale one stays, and keeps that somebody from becoming the holder. */
  #giveBack(stale: string): void {
    const code = codeOf(() => linkSync(this.#path(stale), this.#path(NAME)));
    if (code === undefined) this.#remove(stale);
  }

  /**
   * Removes what dead contenders have left behind.
   * @throws FolderInUseError when there is a living holder whose name was taken by mistake
   */
  async #sweep(): Promise<void> {
    for (const name of readdirSync(this.#folder)) {
      if (!LEFT_BEHIND.test(name) || name === this.#boundName) continue;
      const found = this.#isOwn(name) ? { kind: 'dead' as const } : await this.#probe(name);
      if (found.kind === 'dead') this.#remove(name);
      if (found.kind !== 'live' || found.state !== 'holding' || !name.endsWith(STALE_SUFFIX)) continue;
      if (this.#isOwn(NAME)) await this.#moveAway();
      this.#giveBack(name);
      throw new FolderInUseError(this.#folder, found.pid);
    }
  }

  async #probe(name: string): Promise<Probe> {
    const status = lstatSync(this.#path(name), { throwIfNoEntry: false });
    if (status === undefined) return { kind: 'gone' };
    // Connecting to a file of another kind is refused just as to a dead socket.
    if (!status.isSocket()) {
      throw new FolderLockError(
        this.#folder,
        `${this.#path(name)} is not a socket of purser's: move it away`,
      );
    }
    return probeSocket(this.#sockets.socketPath(name));
  }

  #isOwn(name: string): boolean {
    return this.#inode !== undefined && this.#inodeOf(name) === this.#inode;
  }

  #inodeOf(name: string): bigint | undefined {
    return lstatSync(this.#path(name), { bigint: true, throwIfNoEntry: false })?.ino;
  }

  #remove(name: string): void {
    codeOf(() => unlinkSync(this.#path(name)));
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

function newName(): string {
  return `${NAME}.${randomBytes(8).toString('hex')}`;
}

/** The code of the failure, if it is one of the two that a race explains. */
function codeOf(call: () => void): 'EEXIST' | 'ENOENT' | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' || code === 'ENOENT') return code;
    throw error;
  }
}
