/**
 * Drills of the backup, wired: each restores it and compares it with this node.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Backups } from '../backup/backups.ts';
import { type PositionJson, positionJson } from '../backup/target-layout.ts';
import type { Config } from '../config/config.ts';
import type { Engine } from '../engine/loop/engine.ts';
import { figuresOf } from '../engine/state-figures.ts';
import { Job } from '../persistence/disk/job.ts';
import type { FrameLog } from '../persistence/journal/frame-log.ts';
import type { KeyRing } from '../persistence/keys/key-ring.ts';
import type { DrillPoint } from '../restore/drill/drill-messages.ts';
import { hashOfFigures } from '../restore/drill/figures-hash.ts';
import { runDrill } from '../restore/drill/node-drill.ts';

export const DRILL_FILE = 'last-drill';
const HOUR_MS = 60 * 60 * 1_000;
/** A drill tells of its progress every moment, but for the proof of a large journal. */
const SILENCE_MS = HOUR_MS;
const DEADLINE_MS = 24 * HOUR_MS;
/** The backup has a point that was taken now in a second or two, if it ships at all. */
const BEHIND_PATIENCE_MS = 15 * 60_000;
/** … and does not have it after so long at a target that fails. */
const TROUBLE_PATIENCE_MS = 3 * 60_000;
const LOOK_MS = 100;

/** The last fact up to which the backup was proved, or should have been; null when that wasn't known yet. */
interface Proved {
  readonly position: PositionJson | null;
}

export interface DrillPartsOptions {
  readonly config: Config;
  readonly ring: KeyRing;
  readonly engine: Engine;
  readonly frameLog: FrameLog;
  readonly backups: Backups;
  readonly log: Logger;
}

export class DrillParts {
  /** Undefined without a continuous backup. */
  readonly drills: Job<Proved> | undefined;
  readonly #options: DrillPartsOptions;

  constructor(options: DrillPartsOptions) {
    this.#options = options;
    const { config, log, backups } = options;
    const { dataDir, backupDrillMs } = config;
    if (backups.continuous !== undefined) {
      this.drills = new Job<Proved>({
        file: join(dataDir, DRILL_FILE),
        clock: Date.now,
        intervalMs: backupDrillMs === 0 ? null : backupDrillMs,
        run: (signal, onWait) => this.#drill(signal, onWait),
        nothing: { position: null },
        onResult: (drill, err) =>
          drill.ok
            ? log.info({ drill }, 'the drill succeeded')
            : log.error({ drill, err }, 'the drill failed'),
        onTrouble: (err) => log.warn({ err }, 'the result of the drill could not be kept'),
      });
    }
  }

  start(): void {
    this.drills?.start();
  }

  async stop(): Promise<void> {
    await this.drills?.stop();
  }

  async #drill(
    signal: AbortSignal,
    onWait: (line: string | null) => void,
  ): Promise<Proved & { readonly error?: string }> {
    const { config, backups, ring } = this.#options;
    const point = await this.#point(signal);
    const { position } = point;
    const missing = await this.#missing(position.seq, signal);
    if (missing !== undefined) return { position, error: missing };
    const error = await runDrill({
      dataDir: config.dataDir,
      source: backups.continuous?.target ?? '',
      masterKey: ring.masterKeyText,
      point,
      silenceMs: SILENCE_MS,
      deadlineMs: DEADLINE_MS,
      signal,
      onWait: (line) => onWait(line ?? null),
    });
    return error === null ? { position } : { position, error };
  }

  /** Where a frame ends, and what the state was there. */
  async #point(signal: AbortSignal): Promise<DrillPoint> {
    const { engine, frameLog } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const taken = await new Promise<{ figures: Float64Array; hash: Buffer; seq: number } | undefined>(
        (resolve) =>
          engine.whenSent((state) => {
            const { position: seq } = state;
            const figures = figuresOf(state);
            engine.whenDurable((isDurable) => {
              const { position, hash } = frameLog.head;
              resolve(isDurable && position === seq ? { figures, hash, seq } : undefined);
            });
          }),
      );
      if (taken === undefined) {
        // The disk was full, and what was applied is gone.
        await delay(LOOK_MS);
        continue;
      }
      const { figures, hash, seq } = taken;
      return { position: positionJson({ position: seq, hash }), figures: await hashOfFigures(figures) };
    }
  }

  /** Why the backup doesn't have the fact, in one sentence; undefined when it has. */
  async #missing(seq: number, signal: AbortSignal): Promise<string | undefined> {
    const { continuous } = this.#options.backups;
    let troubledMs = 0;
    for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
      if (continuous?.end !== undefined) return `nothing is backed up any more: ${continuous.end.message}`;
      if ((continuous?.position?.seq ?? 0) >= seq) return undefined;
      troubledMs = continuous?.error == null ? 0 : troubledMs + LOOK_MS;
      if (waitedMs >= BEHIND_PATIENCE_MS || troubledMs >= TROUBLE_PATIENCE_MS)
        return `the backup has not come to fact ${seq}: ${continuous?.error ?? 'it is behind'}`;
      await delay(LOOK_MS);
      signal.throwIfAborted();
    }
  }
}
