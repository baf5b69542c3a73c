/** A folder with a journal and a checkpoint, as a node has them, for tests of what lies behind the engine. */

import { join } from 'node:path';
import type { Fact } from '../../../src/engine/fact.ts';
import { Engine } from '../../../src/engine/loop/engine.ts';
import { KeyFilter } from '../../../src/engine/recent/key-filter.ts';
import { CheckpointHistory } from '../../../src/persistence/checkpoint/checkpoint-history.ts';
import {
  CHECKPOINT_FILE,
  CHECKPOINT_TABLES,
  type CheckpointTables,
  openCheckpoint,
} from '../../../src/persistence/checkpoint/checkpoint-tables.ts';
import { checkFile } from '../../../src/persistence/folder/folder-check.ts';
import type { FolderLog } from '../../../src/persistence/journal/frame-log.ts';
import { JournalWriter } from '../../../src/persistence/journal/journal-writer.ts';
import { createLog, openLog } from '../../../src/persistence/journal/open-log.ts';
import { createEnvironment } from '../../../src/persistence/lmdb/lmdb-environment.ts';
import { recover } from '../../../src/persistence/recovery.ts';
import { randomDataKeys } from '../../support/data-keys.ts';

export class JournalFolder {
  readonly folder: string;
  readonly tables: CheckpointTables;
  readonly history: CheckpointHistory;
  readonly log: FolderLog;
  readonly engine: Engine;

  private constructor(folder: string, segmentBytes: number, maxRecentOutcomes: number | undefined) {
    this.folder = folder;
    this.tables = openCheckpoint(folder);
    this.history = new CheckpointHistory(this.tables);
    const filter = keyFilterOf(folder);
    this.log = openLog(folder, { segmentBytes });
    const { state } = recover(this.log, this.tables, filter);
    this.engine = new Engine({
      state,
      history: this.history,
      journal: new JournalWriter(this.log),
      clock: () => 1_700_000_000_000,
      defer: setImmediate,
      rebuild: () => recover(this.log, this.tables, filter).state,
      roomAgain: () => Promise.resolve(),
      onFatal: (error) => {
        throw error;
      },
      onFault: (error) => {
        throw error;
      },
      ...(maxRecentOutcomes === undefined ? {} : { maxRecentOutcomes }),
    });
  }

  static async open(
    folder: string,
    segmentBytes = 1024 ** 3,
    maxRecentOutcomes?: number,
  ): Promise<JournalFolder> {
    await createLog(folder);
    await createEnvironment(join(folder, CHECKPOINT_FILE), CHECKPOINT_TABLES);
    return new JournalFolder(folder, segmentBytes, maxRecentOutcomes);
  }

  /** Appends facts that the engine has not seen: for folders that are only read afterwards. */
  async append(...groups: Fact[][]): Promise<void> {
    const journal = new JournalWriter(this.log);
    for (const facts of groups) await journal.append(this.log.head.position + 1, facts);
  }

  async close(): Promise<void> {
    await this.engine.idle();
    await this.log.close();
    await this.tables.environment.close();
  }
}

/** A filter with the keys of a folder's checkpoint. */
export function keyFilterOf(folder: string): KeyFilter {
  const filter = new KeyFilter();
  checkFile(join(folder, CHECKPOINT_FILE), randomDataKeys(), filter);
  return filter;
}
