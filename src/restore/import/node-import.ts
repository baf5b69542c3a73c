/**
 * An import by a node that runs: `POST /restore/import`.
 *
 * A process makes the folder while the node goes on, with sales closed. When it is proved, the node lets go of its own
 * folder, the other one takes its place, and the node opens that, in the same process and on the same ports. What always
 * holds: whatever fails or dies before the change of names, the restored folder goes on as before; what was entered
 * meanwhile is looked at again when nothing can be entered any more.
 *
 * Rejected: to end the process and have the next start import. Nobody would have heard why it can't.
 */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CleanEndMark } from '../../backup/clean-end-mark.ts';
import type { Epoch } from '../../engine/epochs.ts';
import type { Origin } from '../../engine/origin.ts';
import { FORMAT_VERSION } from '../../persistence/folder/folder-format.ts';
import { lockFolder } from '../../persistence/folder/folder-lock.ts';
import type { LogReader } from '../../persistence/journal/frame-log.ts';
import { keptFolder, workFolder } from '../../persistence/migration/folder-swap.ts';
import { RestoreError } from '../restore-error.ts';
import { runWatched } from '../watched-process.ts';
import { type BegunEpoch, begunEpoch, expectNothingSince } from './entered-since.ts';
import type { MadeFolder } from './import-making.ts';
import type { MakingReport } from './import-messages.ts';
import { withJournal } from './proved-journal.ts';
import { takePlace, withMade } from './taking-place.ts';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
const NO_ROOM = 'the disk of the data folder has no room for an import: make room';

export interface ImportRequest {
  /** The whole path of the folder that was lost, on this machine. */
  readonly folder: string;
  /** Whether what was entered since the restore may be lost. */
  readonly discards: boolean;
  /** See `Making`. */
  readonly isComplete: boolean;
  readonly origin: Origin;
}

export interface ImportStatus {
  readonly state: 'running' | 'complete' | 'failed';
  readonly folder: string;
  /** When it began, or ended, in Unix milliseconds. */
  readonly at: number;
  /** Why it failed, in one sentence. */
  readonly error?: string;
  /** When it is complete: see `MadeFolder`. */
  readonly epoch?: number;
  readonly orders?: number;
  readonly facts?: number;
  readonly sales?: 'open' | 'closed';
  /** When it is complete: where the restored folder is. */
  readonly kept?: string;
}

export interface NodeImportOptions {
  /** The data folder. */
  readonly folder: string;
  /** The value of PURSER_MASTER_KEY. */
  readonly masterKey: string | undefined;
  /** What `--backup` says. */
  readonly backup: string | undefined;
  readonly clock: () => number;
  /** What the open folder has: the epochs that restores began, and its journal. */
  readonly opened: () => { readonly epochs: readonly Epoch[]; readonly log: LogReader };
  /** Lets go of the folder, has `change` done, and opens it again, whether that failed or not; unless the node is to stop. */
  readonly reopen: (change: () => Promise<void>) => Promise<void>;
  /** For tests; default: `making-process.ts`. */
  readonly program?: string | undefined;
}

export class NodeImport {
  readonly #options: NodeImportOptions;
  readonly #stopping = new AbortController();
  #status: ImportStatus | undefined;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();

  constructor(options: NodeImportOptions) {
    this.#options = options;
  }

  /** The last one that was begun since the process started. */
  get status(): ImportStatus | undefined {
    return this.#status;
  }

  /** From the moment when it is asked for. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** None may be running. Resolves with why it can't be, as a sentence without its end; undefined when it has begun. */
  begin(request: ImportRequest): Promise<string | undefined> {
    this.#isRunning = true;
    return new Promise((resolve) => {
      let hasBegun = false;
      const onChecked = () => {
        hasBegun = true;
        this.#tell(request, { state: 'running' });
        resolve(undefined);
      };
      const failed = (error: unknown) => {
        const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
        if (hasBegun) this.#tell(request, { state: 'failed', error: reason });
        else resolve(reason);
      };
      this.#running = this.#run(request, onChecked)
        .catch(failed)
        .finally(() => {
          this.#isRunning = false;
        });
    });
  }

  /** Breaks off what can be broken off. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the node stops'));
    await this.#running;
  }

  async #run(request: ImportRequest, onChecked: () => void): Promise<void> {
    const { folder, opened, reopen } = this.#options;
    const { folder: from, discards } = request;
    const begun = begunEpoch(folder, opened().epochs);
    await expectNothingSince(opened().log, begun, { discards });
    // Else the node could not start with it.
    new CleanEndMark(from).expectAt(this.#options.backup);
    const nothingSince = (log: LogReader) =>
      withMade(folder, (find) => expectNothingSince(log, begun, { discards, find }));
    const made = await this.#made(request, begun, onChecked, () => nothingSince(opened().log));
    let change: unknown;
    await reopen(async () => {
      try {
        await withFolder(folder, nothingSince, () => takePlace(folder, from, begun.position + made.facts));
      } catch (error) {
        change = error;
      }
    });
    // A change of names that was interrupted was completed when the folder was opened.
    const isThere = () => !this.#stopping.signal.aborted && opened().epochs.at(-1)?.epoch === made.epoch;
    if (change !== undefined && !isThere()) throw change;
    this.#tell(request, {
      state: 'complete',
      ...made,
      kept: keptFolder(folder, FORMAT_VERSION, FORMAT_VERSION),
    });
  }

  /** Rejects when there is none that may take the place; then nothing is left of it. */
  async #made(
    { folder: from, isComplete, origin }: ImportRequest,
    begun: BegunEpoch,
    onChecked: () => void,
    look: () => Promise<void>,
  ): Promise<MadeFolder> {
    const { folder, masterKey, clock } = this.#options;
    const program = this.#options.program ?? fileURLToPath(new URL('./making-process.js', import.meta.url));
    const work = dirname(workFolder(folder, FORMAT_VERSION));
    const request = { folder, from, begun, isComplete, origin, masterKey, nowMs: clock() };
    const { signal } = this.#stopping;
    const watch = { dataDir: folder, silenceMs: HOUR_MS, deadlineMs: DAY_MS, noRoom: NO_ROOM, signal };
    try {
      const end = await runWatched<MakingReport>(program, request, watch, ({ kind }) => {
        if (kind === 'checked') onChecked();
      });
      if (!('made' in end)) throw new RestoreError(end.error);
      await look();
      return end.made;
    } catch (error) {
      await rm(work, { recursive: true, force: true, maxRetries: 3 });
      throw error;
    }
  }

  #tell({ folder }: ImportRequest, status: Omit<ImportStatus, 'folder' | 'at'>): void {
    this.#status = { ...status, folder, at: this.#options.clock() };
  }
}

/** No node has it. */
async function withFolder(
  folder: string,
  look: (log: LogReader) => Promise<void>,
  then: () => Promise<unknown>,
): Promise<void> {
  const lock = await lockFolder(folder);
  try {
    await withJournal(folder, look);
    await then();
  } finally {
    await lock.release();
  }
}
