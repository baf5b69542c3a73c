/**
 * What has to do with archives, wired: how far the journal may be moved away, the fact that says so, and what operators ask.
 *
 * Facts are moved that nobody here has still to read: the checkpoint, the outbox, and the continuous backup have them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type ArchiveEnd, Archives } from './archive/archives.ts';
import { archive } from './archive/archiving.ts';
import { removeFetched } from './archive/bringing-back.ts';
import type { Backups } from './backup/backups.ts';
import { TargetError } from './backup/target/backup-target.ts';
import { inDataFolder, isWithin } from './backup/target/folder-place.ts';
import { openTarget } from './backup/target/open-target.ts';
import type { Config } from './config/config.ts';
import type { Baseline } from './engine/baseline.ts';
import type { Engine } from './engine/engine.ts';
import { Rejection } from './engine/rejection.ts';
import type { ArchiveServices } from './http/operator/operator-services.ts';
import type { Checkpointer } from './persistence/checkpoint/checkpointer.ts';
import type { FolderLog } from './persistence/journal/frame-log.ts';
import { beginsLater, firstFactOf, logExtents } from './persistence/journal/open-log.ts';
import { frameTimes } from './persistence/journal/time-search.ts';

const LOOK_MS = 50;
/** The outbox is a moment behind; when it is more, what it lacks stays. */
const OUTBOX_PATIENCE_MS = 5_000;

export interface ArchivePartsOptions {
  readonly config: Config;
  readonly engine: Engine;
  readonly checkpointer: Pick<Checkpointer, 'reach' | 'reachDecided' | 'position'>;
  /** Undefined where the log isn't the folder's alone. */
  readonly folderLog: FolderLog | undefined;
  readonly backups: Backups;
  /** Has the outbox read up to there; how far it has, durably. Undefined when the node stops. */
  readonly outboxWritten: (position: number) => Promise<number | undefined>;
  readonly log: Logger;
}

export class ArchiveParts {
  /** Undefined on a node of a cluster. */
  readonly archives: Archives | undefined;
  readonly #options: ArchivePartsOptions;

  /** Throws a `TargetError` when `--archive-target` can't be one. */
  constructor(options: ArchivePartsOptions) {
    this.#options = options;
    const { config, folderLog, log } = options;
    const { dataDir } = config;
    const daily = this.#daily();
    if (folderLog === undefined) return;
    this.archives = new Archives({
      dataDir,
      daily,
      clock: Date.now,
      run: (target, beforeMs, signal, onWait) => this.#run(target, beforeMs, signal, onWait),
      onEnd: (row) =>
        row.state !== 'complete'
          ? log.error({ archive: row }, 'the archive failed')
          : row.held === undefined
            ? log.info({ archive: row }, 'the archive is complete')
            : log.warn({ archive: row }, 'the archive is complete, and facts stay that are old enough'),
      onTrouble: (err) => log.warn({ err }, 'the result of the archive could not be kept'),
    });
  }

  start(): void {
    this.archives?.start();
    const { config, log } = this.#options;
    removeFetched(config.dataDir).catch((err) =>
      log.warn({ err }, 'what a fetch has left could not be removed'),
    );
  }

  async stop(): Promise<void> {
    await this.archives?.stop();
  }

  /** Undefined on a node of a cluster. */
  services(): ArchiveServices | undefined {
    const { archives } = this;
    if (archives === undefined) return undefined;
    return {
      refusalOf: (target) => this.#refusalOf(target),
      isRunning: () => archives.isRunning,
      endFile: (beforeMs) => this.#endFile(beforeMs),
      begin: (target, beforeMs) => archives.begin(target, beforeMs),
      list: () => archives.list,
      // The fact of one stays where facts were brought back, and in a restored folder, which has them all.
      baseline: () =>
        beginsLater(this.#options.config.dataDir) ? this.#options.engine.state.baseline : null,
      daily: () => archives.daily && { ...archives.daily, last: archives.last },
    };
  }

  async #run(
    target: string,
    beforeMs: number,
    signal: AbortSignal,
    onWait: (line: string | undefined) => void,
  ): Promise<ArchiveEnd> {
    const { config, engine, checkpointer } = this.#options;
    this.#expectNoBackup();
    this.#endFile(beforeMs);
    if ((await checkpointer.reachDecided()) !== 'reached')
      throw new Error('the checkpoint is behind: try again when it has caught up');
    const slowest = await this.#slowestReader(signal);
    const { baseline, epochs } = engine.state;
    const { held, ...archived } = await archive({
      folder: config.dataDir,
      target,
      masterKey: config.masterKey,
      beforeMs,
      through: slowest.position,
      baseline,
      epoch: epochs.current,
      signal,
      onWait,
      record: (made) => this.#record(made),
      expectRead: (position) => this.#expectRead(position),
    });
    if (held === undefined) return archived;
    const why = `facts behind ${held.after} are old enough and stay here: ${slowest.who} has come to fact ${slowest.position} only`;
    return { ...archived, held: { why, atMs: held.atMs } };
  }

  /**
   * The journal's newest file ends here when its first fact is that old; what comes goes into another. A file is moved as a
   * whole, so one that never ends would never be moved.
   */
  #endFile(beforeMs: number): void {
    const { folderLog, config } = this.#options;
    const newest = logExtents(config.dataDir).at(-1);
    if (newest === undefined || folderLog === undefined) return;
    const firstMs = frameTimes(folderLog, newest.firstSequence)?.times[0];
    if (firstMs !== undefined && firstMs < beforeMs) folderLog.beginFile();
  }

  /** Who of those that read the journal has come least far. */
  async #slowestReader(signal: AbortSignal): Promise<{ readonly who: string; readonly position: number }> {
    const { checkpointer, outboxWritten, backups } = this.#options;
    const { position } = checkpointer;
    let written = 0;
    for (let waitedMs = 0; waitedMs < OUTBOX_PATIENCE_MS; waitedMs += LOOK_MS) {
      written = (await outboxWritten(position)) ?? 0;
      if (written >= position) break;
      await delay(LOOK_MS, undefined, { signal });
    }
    const readers = [
      { who: 'the checkpoint', position },
      { who: 'what sends webhooks', position: written },
      { who: 'the continuous backup (purser backup status)', position: await backups.readThrough() },
    ];
    return readers.reduce((slowest, each) => (each.position < slowest.position ? each : slowest));
  }

  /** Resolves when the checkpoint has the fact: a start looks there for the baseline. */
  async #record(baseline: Baseline): Promise<void> {
    const { engine, checkpointer } = this.#options;
    const answer = await new Promise<Baseline | Rejection>((resolve) =>
      engine.submit({ kind: 'SetBaseline', baseline }, resolve),
    );
    const reached =
      answer instanceof Rejection ? 'no-room' : await checkpointer.reach(engine.durablePosition);
    if (reached === 'reached') return;
    throw new Error(
      reached === 'no-room'
        ? 'the archive is complete, but the disk of the data folder has no room to record that: make room; the next archive goes on'
        : 'the archive is complete, but the checkpoint is behind, so nothing was removed: the next archive goes on',
    );
  }

  /** A backup may have begun anew, or another one begun, since the archive asked how far all have read. */
  async #expectRead(position: number): Promise<void> {
    const read = await this.#options.backups.readThrough();
    this.#expectNoBackup();
    if (read < position)
      throw new Error(
        `the backup has come to fact ${read} only, so old files stay: the next archive goes on when it has all up to ${position}`,
      );
  }

  /** The last fact that the folder doesn't have any more; 0 when it has all. */
  readonly archivedPosition = (): number => firstFactOf(this.#options.config.dataDir) - 1;

  /** A single backup reads the journal from wherever its target has come to. */
  #expectNoBackup(): void {
    if (this.#options.backups.running === undefined) return;
    throw new Error('a backup is being made, so old files stay: archive again when it has ended');
  }

  /** What the settings say of it; undefined when they say nothing. */
  #daily(): { readonly target: string; readonly afterMs: number } | undefined {
    const { config, folderLog } = this.#options;
    const { archiveTarget: target, archiveAfterMs: afterMs } = config;
    if (target === undefined && afterMs === 0) return undefined;
    const refuse = (message: string) => new TargetError('refused', message);
    if (folderLog === undefined)
      throw refuse('--archive-target: a node of a cluster archives nothing, for its folder has all facts');
    if (target === undefined) throw refuse('--archive-after: say with --archive-target where old facts go');
    if (afterMs === 0)
      throw refuse('--archive-target: say with --archive-after how old facts are that go there');
    const refusal = this.#refusalOf(target);
    if (refusal !== undefined) throw refuse(`--archive-target: ${refusal}`);
    return { target, afterMs };
  }

  /** Why it can't be a target, as a sentence without its end; undefined when it can. */
  #refusalOf(text: string): string | undefined {
    try {
      const { url } = openTarget(text, process.env, { makesFolder: true });
      // By names alone: the process that writes there looks where links lead.
      if (url.startsWith('/') && isWithin(this.#options.config.dataDir, url))
        return inDataFolder(url).message;
      return undefined;
    } catch (error) {
      if (error instanceof TargetError) return error.message;
      throw error;
    }
  }
}
