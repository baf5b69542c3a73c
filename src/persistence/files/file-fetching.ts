/**
 * Brings files that other nodes have put (`shared-files.ts`) into this node's folder: those that somebody waits for at
 * once, the others behind that, one at a time.
 *
 * Invariant: a file gets its name when it is whole, proved and durable, as an upload does. The list of wanted files is
 * bounded: when it is full, or a file could not be got, all names are compared with the folder instead, in pages. A
 * failure that may pass is followed by another try, ever more rarely; any other one ends the run, until the next file is
 * wanted. The log is told of both.
 */
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { withCauses } from '../../shared/error-code.ts';
import { retry } from '../../shared/retry.ts';
import { Semaphore } from '../../shared/semaphore.ts';
import { isOutOfSpace } from '../disk/disk-room.ts';
import { FileError, unreadableFile } from './file-errors.ts';
import { proveContent } from './file-proof.ts';
import { FILE_ID_FORM, type FilesFolder } from './files-folder.ts';
import type { SharedFiles } from './shared-files.ts';
import { StoredFile } from './stored-file.ts';

const MAX_WANTED = 1_000;
const PAGE_NAMES = 500;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;

/** The node's log, as far as it is told of files that don't come. */
export interface FetchingLog {
  warn(line: string): void;
  error(line: string): void;
}

export class FileFetching {
  readonly #folder: FilesFolder;
  readonly #shared: SharedFiles;
  readonly #log: FetchingLog;
  /** Fetches under way, by the file's id; each file is fetched once, however many wait. */
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #wanted = new Set<string>();
  /** All names are to be compared; at the beginning, too. */
  #mustCompare = true;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(folder: FilesFolder, shared: SharedFiles, log: FetchingLog) {
    this.#folder = folder;
    this.#shared = shared;
    this.#log = log;
  }

  /** A fact names it: it is fetched in the background, if it isn't there. Without an id, whatever isn't there. */
  want(fileId?: string): void {
    if (fileId === undefined || this.#wanted.size >= MAX_WANTED) this.#mustCompare = true;
    else this.#wanted.add(fileId);
    this.#running ??= this.#run();
  }

  /** Resolves when the file is there. Rejects with `unreadable`. */
  async fetch(fileId: string): Promise<void> {
    if (existsSync(this.#folder.path(fileId))) return;
    let underWay = this.#underWay.get(fileId);
    if (underWay === undefined) {
      underWay = this.#bring(fileId).finally(() => this.#underWay.delete(fileId));
      this.#underWay.set(fileId, underWay);
    }
    try {
      await underWay;
    } catch (error) {
      if (FileError.is(error, 'unreadable')) throw error;
      throw unreadableFile(fileId, `it can't be got from the other nodes: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /** Nothing more is begun; resolves when what is under way has ended. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([this.#running, ...this.#underWay.values()]);
  }

  /** Ends when nothing is wanted any more, or with an error that doesn't pass. Never rejects. */
  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let told: string | undefined;
    const onFailure = (error: unknown) => {
      this.#mustCompare = true;
      const { message } = error as Error;
      if (message !== told) this.#log.warn(`${message}: it is tried again`);
      told = message;
    };
    const mayHelp = (error: unknown) => this.#mayPass(error);
    const options = { pauseMs: FIRST_PAUSE_MS, longestMs: LONGEST_PAUSE_MS, mayHelp, onFailure, signal };
    try {
      await retry(() => this.#bringAll(signal), options);
    } catch (error) {
      this.#mustCompare = true;
      this.#running = undefined;
      if (signal.aborted) return;
      this.#log.error(`files of other nodes are not fetched until the next one: ${(error as Error).message}`);
    }
  }

  #mayPass(error: unknown): boolean {
    if (isOutOfSpace(error)) return true;
    for (const each of withCauses(error)) if (this.#shared.mayPass(each)) return true;
    return false;
  }

  async #bringAll(signal: AbortSignal): Promise<void> {
    while ((this.#mustCompare || this.#wanted.size > 0) && !signal.aborted) {
      if (this.#mustCompare) await this.#compare();
      for (const fileId of this.#wanted) {
        if (signal.aborted) return;
        await this.#bringKnown(fileId);
        this.#wanted.delete(fileId);
      }
    }
    this.#running = undefined;
  }

  async #compare(): Promise<void> {
    for (let after = ''; ; ) {
      const names = await this.#shared.names(after, PAGE_NAMES);
      for (const fileId of names) {
        if (this.#stopping.signal.aborted) return;
        if (FILE_ID_FORM.test(fileId)) await this.#bringKnown(fileId);
      }
      const last = names.at(-1);
      if (last === undefined || names.length < PAGE_NAMES) break;
      after = last;
    }
    this.#mustCompare = false;
  }

  /**
   * One that can't be proved may be under way to there, or was left by a node that died: no fact names it. If one does,
   * whoever needs the file tries again, and is told.
   */
  async #bringKnown(fileId: string): Promise<void> {
    try {
      await this.fetch(fileId);
    } catch (error) {
      if (!FileError.is(error, 'unreadable') || error.cause !== undefined) throw error;
    }
  }

  async #bring(fileId: string): Promise<void> {
    const unfinished = this.#folder.unfinishedPath(fileId);
    try {
      await this.#shared.fetch(fileId, unfinished, this.#stopping.signal);
      const file = await StoredFile.open(fileId, unfinished, new Semaphore(1));
      await proveContent(file).finally(() => file.close());
      await rename(unfinished, this.#folder.path(fileId));
      await this.#folder.sync();
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }
}
