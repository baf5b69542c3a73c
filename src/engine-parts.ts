/**
 * The engine and what makes it durable, wired: recovery ─▶ journal ─▶ engine ─▶ checkpoint.
 *
 * What always holds: it begins with what the disk has, and `settle` leaves everything durable and folded. Until `close`
 * the journal still takes what late writers of stock may bring.
 */
import type { Logger } from 'pino';
import { Engine } from './engine/engine.ts';
import type { Fact } from './engine/fact.ts';
import type { KeyFilter } from './engine/key-filter.ts';
import { CheckpointHistory } from './persistence/checkpoint/checkpoint-history.ts';
import { type CheckpointTables, openCheckpoint } from './persistence/checkpoint/checkpoint-tables.ts';
import { Checkpointer } from './persistence/checkpoint/checkpointer.ts';
import { roomAgain } from './persistence/disk/disk-room.ts';
import type { FrameLog } from './persistence/journal/frame-log.ts';
import { JournalWriter } from './persistence/journal/journal-writer.ts';
import { openLog } from './persistence/journal/open-log.ts';
import { rebuild, recover } from './persistence/recovery.ts';

const ROOM_LOOK_INTERVAL_MS = 1_000;
/** More than a group of the greatest size takes. */
const ROOM_FOR_GROUP_BYTES = 512 * 1024;

export interface EnginePartsOptions {
  /** The data folder, whose files have been proved. */
  readonly folder: string;
  /** Of the keys in its checkpoint. */
  readonly filter: KeyFilter;
  readonly log: Logger;
  /** See `EngineOptions`. */
  readonly onDurable: (position: number, facts: readonly Fact[]) => void;
  /** The process must stop. */
  readonly onFatal: (error: unknown) => void;
  readonly onFault: (error: unknown) => void;
  /** When a new segment of the journal starts; for tests, the default is the journal's. */
  readonly segmentBytes?: number | undefined;
}

export class EngineParts {
  readonly engine: Engine;
  readonly history: CheckpointHistory;
  readonly #tables: CheckpointTables;
  readonly #frameLog: FrameLog;
  readonly #checkpointer: Checkpointer;

  private constructor(
    engine: Engine,
    history: CheckpointHistory,
    tables: CheckpointTables,
    frameLog: FrameLog,
    checkpointer: Checkpointer,
  ) {
    this.engine = engine;
    this.history = history;
    this.#tables = tables;
    this.#frameLog = frameLog;
    this.#checkpointer = checkpointer;
  }

  static open(options: EnginePartsOptions): EngineParts {
    const { folder, filter, log, onDurable, onFatal, onFault, segmentBytes } = options;
    const tables = openCheckpoint(folder);
    const frameLog = openLog(folder, { segmentBytes });
    const recovered = recover(frameLog, tables, filter);
    const history = new CheckpointHistory(tables);
    const engine = new Engine({
      state: recovered.state,
      history,
      journal: new JournalWriter(frameLog),
      clock: Date.now,
      defer: setImmediate,
      later: setTimeout,
      rebuild: () => {
        log.error('the disk is full: commands are refused until space is free');
        return rebuild({ log: frameLog, tables, filter, history });
      },
      roomAgain: async () => {
        await roomAgain(folder, ROOM_FOR_GROUP_BYTES, ROOM_LOOK_INTERVAL_MS);
        log.info('the disk has space again: commands are accepted');
      },
      onFatal,
      onDurable,
      onFault,
    });
    const checkpointer = new Checkpointer({
      folder,
      engine,
      history,
      position: recovered.checkpointPosition,
      onFatal,
      onDelay: (reason) =>
        log.error({ reason }, 'the checkpoint is delayed: not enough disk space or file descriptors'),
    });
    checkpointer.start();
    return new EngineParts(engine, history, tables, frameLog, checkpointer);
  }

  /** The journal position that the checkpoint reflects. */
  get checkpointPosition(): number {
    return this.#checkpointer.position;
  }

  /** Resolves when everything is durable and folded. */
  async settle(): Promise<void> {
    await this.engine.idle();
    await this.#checkpointer.stop();
  }

  /** No more commands may come. */
  async close(): Promise<void> {
    await this.#frameLog.close();
    await this.#tables.environment.close();
  }
}
