/** The backups, wired: the thread, the key ring that goes with them, and the operators' calls. */
import type { Logger } from 'pino';
import { Backups } from '../backup/backups.ts';
import { runnerOf } from '../backup/runs.ts';
import { TargetError } from '../backup/target/backup-target.ts';
import { aroundDataFolder, inDataFolder, isWithin } from '../backup/target/folder-place.ts';
import { openTarget } from '../backup/target/open-target.ts';
import type { Config } from '../config/config.ts';
import type { Engine } from '../engine/loop/engine.ts';
import type { BackupServices } from '../http/operator/operator-services.ts';
import type { KeyRing } from '../persistence/keys/key-ring.ts';

export interface BackupPartsOptions {
  readonly config: Config;
  readonly ring: KeyRing;
  readonly engine: Engine;
  readonly log: Logger;
}

/**
 * Does a part of the start that may wait for as long as a target is away; the signal breaks it off. `isHanging`, behind
 * that: the process can't exit by itself.
 */
export type WhileWaiting = (
  work: (signal: AbortSignal) => Promise<void>,
  isHanging: () => boolean,
) => Promise<void>;

export class BackupParts {
  readonly backups: Backups;
  readonly #options: BackupPartsOptions;

  /** Throws a `TargetError` when `--backup` can't be a target. */
  constructor(options: BackupPartsOptions) {
    const { config, ring, engine, log } = options;
    this.#options = options;
    const { backup: target, backupIntervalMs, backupBaseMs, backupKeepMs, dataDir: folder } = config;
    if (target !== undefined) this.#refuseAtOnce(target);
    this.backups = new Backups({
      thread: {
        folder,
        keys: ring.keys.shared,
        runner: runnerOf(ring.shop, engine.state.epochs.list),
        ring: ring.backupCopy(),
      },
      continuous:
        target === undefined ? undefined : settings(target, backupIntervalMs, backupBaseMs, backupKeepMs),
      position: engine.durablePosition,
      gap: () => gapOf(engine),
      clock: Date.now,
      onTrouble: (message) => log.error(message),
    });
    ring.watch(() => this.backups.setRing(ring.backupCopy()));
  }

  /**
   * Starts the continuous backup, before the node sells and before anything else makes facts. Resolves and rejects as
   * `Backups.start` does.
   */
  async start(whileWaiting: WhileWaiting = (work) => work(new AbortController().signal)): Promise<void> {
    const { backups } = this;
    if (backups.continuous === undefined) return;
    this.#warnOfKeyFile();
    await whileWaiting(
      (signal) => backups.start(signal),
      () => backups.isHanging,
    );
  }

  /** Starts the backup of a node of a cluster, whose buyers wait already: it begins whenever its target is there. */
  startBehind(): void {
    const { backups } = this;
    if (backups.continuous === undefined) return;
    this.#warnOfKeyFile();
    backups.startBehind();
  }

  services(): BackupServices {
    const { backups } = this;
    return {
      refusalOf: (target) => this.#refusalOf(target),
      begin: (target) => backups.single.begin(target),
      isRunning: () => backups.single.running !== undefined,
      list: () => backups.single.list,
      status: () => {
        const { continuous } = backups;
        if (continuous === undefined) return undefined;
        const { target, lagMs, position, end, error } = continuous;
        return { target, lagMs, position, isFenced: end?.why === 'fenced', error };
      },
    };
  }

  #warnOfKeyFile(): void {
    const { ring, log } = this.#options;
    if (ring.keyFile === undefined) return;
    log.warn(
      `the backup opens only with the master key, and that lies in ${ring.keyFile}: keep a copy elsewhere, or whoever loses the data folder has lost the backup, too`,
    );
  }

  #refuseAtOnce(target: string): void {
    const refusal = this.#refusalOf(target, false);
    if (refusal !== undefined) throw new TargetError('refused', `--backup: ${refusal}`);
  }

  /** Why a target can't be one of a single backup, as a sentence without its end; undefined when it can. */
  #refusalOf(text: string, isSingle = true): string | undefined {
    const { dataDir, backup } = this.#options.config;
    try {
      const { url } = openTarget(text, process.env, { makesFolder: true });
      // By names alone: the thread that writes there looks where links lead.
      if (url.startsWith('/') && isWithin(dataDir, url)) return inDataFolder(url).message;
      if (url.startsWith('/') && isWithin(url, dataDir)) return aroundDataFolder(url).message;
      if (!isSingle || backup === undefined) return undefined;
      const own = openTarget(backup, process.env, { makesFolder: true }).url;
      if (own !== url && !url.startsWith(`${own}/`)) return undefined;
      return `${own} is where --backup ships to all the time: choose another place`;
    } catch (error) {
      if (error instanceof TargetError) return error.message;
      throw error;
    }
  }
}

function gapOf({ state: { gap } }: Engine) {
  return gap === null ? undefined : { from: gap.fromMs, to: gap.toMs };
}

function settings(target: string, intervalMs: number, baseMs: number, keepMs: number) {
  return { target, intervalMs, baseMs, keepMs };
}
