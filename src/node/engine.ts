/**
 * The engine and what makes it durable, wired: recovery ─▶ journal ─▶ engine ─▶ checkpoint. The engine begins with the
 * state on disk.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Engine } from '../engine/loop/engine.ts';
import type { EngineOptions } from '../engine/loop/engine-options.ts';
import { openCheckpoint } from '../persistence/checkpoint/checkpoint.ts';
import { CheckpointHistory } from '../persistence/checkpoint/checkpoint-history.ts';
import { Checkpointer } from '../persistence/checkpoint/checkpointer.ts';
import { TABLES } from '../persistence/checkpoint/tables.ts';
import { roomAgain } from '../persistence/disk/disk-room.ts';
import { segmentProof } from '../persistence/folder/folder-check.ts';
import type { FolderLog, FrameLog } from '../persistence/journal/frame-log.ts';
import { JournalWriter } from '../persistence/journal/journal-writer.ts';
import { openLog } from '../persistence/journal/open-log.ts';
import { recover } from '../persistence/recovery.ts';
import type { CompactionLimits } from '../persistence/runs/compaction.ts';
import type { StoreReader } from '../persistence/store/store-reader.ts';

const SHARED_ROOM_INTERVAL_MS = 5_000;
/** The room for a group, in bytes: more than one of the greatest size takes. */
const ROOM_FOR_GROUP_BYTES = 512 * 1024;

export interface EnginePartsOptions
  extends Pick<EngineOptions, 'onDurable' | 'keptBack' | 'onFatal' | 'onFault'> {
  /** The data folder, whose files have been proved. */
  readonly folder: string;
  readonly log: Logger;
  /** The size at which a new segment of the journal starts; for tests, the default is the journal's. */
  readonly segmentBytes?: number | undefined;
  /** How often the journal is folded into the checkpoint; for tests, the default is the checkpoint's. */
  readonly foldIntervalMs?: number | undefined;
  /** Limits at which rows are moved to run files; for tests, the default is the compaction's. */
  readonly compaction?: Partial<CompactionLimits> | undefined;
  /** The journal of a node of a cluster. */
  readonly shared?: SharedJournal | undefined;
}

/** The difference of a node whose facts are made durable by another log than the folder's own. */
export interface SharedJournal {
  /** The log that does, made of the folder's own. */
  readonly over: (local: FolderLog) => FrameLog;
  /** Resolves when the folder's own has the facts up to there. */
  readonly whenReadable: (position: number) => Promise<void>;
}

export interface EngineParts {
  readonly engine: Engine;
  readonly history: CheckpointHistory;
  readonly checkpointer: Checkpointer;
  /** Open until late writers of stock have ended, whose facts it still takes. */
  readonly frameLog: FrameLog;
  readonly journal: JournalWriter;
  readonly checkpoint: StoreReader;
  /** Facts that were replayed on top of the checkpoint. */
  readonly replayed: number;
}

export function openEngine(options: EnginePartsOptions): EngineParts {
  const { folder, log, segmentBytes, foldIntervalMs, compaction, shared, ...told } = options;
  const checkpoint = openCheckpoint(folder);
  // A damaged one is refused now, and no purchase waits for it.
  checkpoint.loadFilters(TABLES.keys);
  const local = openLog(folder, { segmentBytes, prove: segmentProof(folder) });
  const frameLog = shared === undefined ? local : shared.over(local);
  const recovered = recover(frameLog, checkpoint);
  const history = new CheckpointHistory(checkpoint);
  const disk = shared === undefined ? 'the disk' : "the disk, this node's or PostgreSQL's,";
  const journal = new JournalWriter(frameLog);
  const engine = new Engine({
    ...told,
    state: recovered.state,
    history,
    journal,
    clock: Date.now,
    defer: setImmediate,
    later: setTimeout,
    rebuild: () => {
      log.error(`${disk} is full: commands are refused until space is free`);
      return recover(frameLog, checkpoint).state;
    },
    roomAgain: async () => {
      await roomAgain(folder, ROOM_FOR_GROUP_BYTES);
      // Of PostgreSQL's disk nothing is known but that a group found no room.
      if (shared !== undefined) await delay(SHARED_ROOM_INTERVAL_MS);
      log.info('the disk has space again: commands are accepted');
    },
  });
  const checkpointer = new Checkpointer({
    folder,
    engine,
    history,
    position: recovered.checkpointPosition,
    foldIntervalMs,
    compaction,
    whenReadable: shared?.whenReadable,
    onFatal: told.onFatal,
    onDamage: (damage) => log.error(damage),
    onDelay: (reason) =>
      log.error({ reason }, 'the checkpoint is delayed: not enough disk space or file descriptors'),
  });
  checkpointer.start();
  const replayed = recovered.state.position - recovered.checkpointPosition;
  return { engine, history, checkpointer, frameLog, journal, checkpoint, replayed };
}
