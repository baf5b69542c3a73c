/**
 * A data folder as it is shipped: its journal, the content that facts name, and the webhooks' queues. The folder is only
 * read.
 *
 * One thread has one of them: a thread has one handle to each file (`lmdb-renewal.ts`).
 */

import type { Epoch } from '../../engine/recovery/epochs.ts';
import { openCheckpoint } from '../../persistence/checkpoint/checkpoint.ts';
import { checkFormat, dataFiles } from '../../persistence/folder/data-folder.ts';
import { checkFile, segmentProof, unprovedSegments } from '../../persistence/folder/folder-check.ts';
import { lockForReading } from '../../persistence/folder/folder-lock.ts';
import type { LogReader } from '../../persistence/journal/frame-log.ts';
import { openLog, openLogReaders } from '../../persistence/journal/open-log.ts';
import type { DataKeys } from '../../persistence/keys/data-keys.ts';
import { KeyRing } from '../../persistence/keys/key-ring.ts';
import { recover } from '../../persistence/recovery.ts';
import { WriteGate } from '../../threads/write-gate.ts';
import { NamedContent } from '../named-content.ts';
import { type Runner, runnerOf } from '../runs.ts';
import { QueueReader } from './queue-progress.ts';

export class FolderParts {
  readonly content: NamedContent;
  readonly queues: QueueReader;
  readonly openLog: () => LogReader;

  /** `folder`: its newest files were proved, as a start does. Older segments are proved when they are read. */
  constructor(folder: string, keys: DataKeys, gate: WriteGate) {
    this.openLog = openLogReaders(folder, segmentProof(folder), gate);
    this.content = new NamedContent(folder, keys, gate);
    this.queues = new QueueReader(folder, gate);
  }

  async close(): Promise<void> {
    await this.content.close();
    await this.queues.close();
  }
}

/** The parts of one folder that are shipped, with its keys and its runner. */
export interface ShippedFolder {
  readonly runner: Runner;
  readonly keys: DataKeys;
  readonly parts: FolderParts;
  /** The key ring's text as it is now. */
  readonly ring: () => string;
}

/**
 * `work` with a folder that no node has, locked meanwhile. `masterKey`: the value of PURSER_MASTER_KEY. Rejects with
 * `DataFolderError` and `KeyError`.
 */
export async function withStoppedFolder<Result>(
  folder: string,
  masterKey: string | undefined,
  work: (folder: ShippedFolder) => Promise<Result>,
): Promise<Result> {
  checkFormat(folder);
  const lock = await lockForReading(folder);
  try {
    return await withLockedFolder(folder, masterKey, work);
  } finally {
    await lock.release();
  }
}

/** Opens a folder whose lock the caller has, without looking at the format. */
export async function withLockedFolder<Result>(
  folder: string,
  masterKey: string | undefined,
  work: (folder: ShippedFolder) => Promise<Result>,
): Promise<Result> {
  const ring = KeyRing.read(folder, masterKey);
  const old = new Set(unprovedSegments(folder));
  for (const file of dataFiles(folder)) if (!old.has(file)) checkFile(file, ring.keys);
  const parts = new FolderParts(folder, ring.keys, new WriteGate());
  try {
    const text = ring.backupCopy();
    const runner = runnerOf(ring.shop, epochsOf(folder));
    return await work({ runner, keys: ring.keys, parts, ring: () => text });
  } finally {
    await parts.close();
  }
}

/** The epochs as a start would have them. Throws `DamagedDataError`. */
function epochsOf(folder: string): readonly Epoch[] {
  const checkpoint = openCheckpoint(folder);
  const log = openLog(folder, { prove: segmentProof(folder) });
  try {
    return recover(log, checkpoint).state.epochs.list;
  } finally {
    void log.close();
    checkpoint.close();
  }
}
