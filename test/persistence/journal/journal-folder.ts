/** A folder with a journal and a checkpoint, as a node has them, for tests of what lies behind the engine. */
import type { Fact } from '../../../src/engine/fact.ts';
import { Engine } from '../../../src/engine/loop/engine.ts';
import { createCheckpoint, openCheckpoint } from '../../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointHistory } from '../../../src/persistence/checkpoint/checkpoint-history.ts';
import type { FolderLog } from '../../../src/persistence/journal/frame-log.ts';
import { JournalWriter } from '../../../src/persistence/journal/journal-writer.ts';
import { createLog, openLog } from '../../../src/persistence/journal/open-log.ts';
import { recover } from '../../../src/persistence/recovery.ts';
import type { StoreReader } from '../../../src/persistence/store/store-reader.ts';

export class JournalFolder {
  readonly folder: string;
  readonly checkpoint: StoreReader;
  readonly history: CheckpointHistory;
  readonly log: FolderLog;
  readonly engine: Engine;

  private constructor(folder: string, segmentBytes: number, maxRecentOutcomes: number | undefined) {
    this.folder = folder;
    this.checkpoint = openCheckpoint(folder);
    this.history = new CheckpointHistory(this.checkpoint);
    this.log = openLog(folder, { segmentBytes });
    const { state } = recover(this.log, this.checkpoint);
    this.engine = new Engine({
      state,
      history: this.history,
      journal: new JournalWriter(this.log),
      clock: () => 1_700_000_000_000,
      defer: setImmediate,
      rebuild: () => recover(this.log, this.checkpoint).state,
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
    createCheckpoint(folder);
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
    this.checkpoint.close();
  }
}
