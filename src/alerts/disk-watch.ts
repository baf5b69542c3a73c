/**
 * The disk of the data folder: nearly full by the system's figures (`--disk-low`), and full.
 *
 * Full is also what the journal found out by writing: figures ignore quotas. A disk is often full and not full in turns,
 * as the last bytes are taken and given back; so it is over only when there has been room for a minute.
 */
import type { Engine } from '../engine/loop/engine.ts';
import type { DiskFigures } from '../metrics/disk-space.ts';
import type { Watcher } from './alert-watch.ts';
import { NODE, type StandingAlerts } from './standing-alerts.ts';

/** So much that a group of commands can always be written. */
const FULL_BYTES = 2 * 1024 * 1024;
/** The alert ends when so many times `--disk-low` is free; where no disk has as much, when half of the rest is. */
const OVER = 1.1;
const ROOM_FOR_MS = 60_000;
const BYTES_PER_MIB = 1024 * 1024;

export interface DiskWatchOptions {
  readonly standing: StandingAlerts;
  readonly disk: { look(): Promise<DiskFigures> };
  readonly engine: Pick<Engine, 'counters' | 'isFull'>;
  /** `--disk-low`; 0: never. */
  readonly lowPercent: number;
}

export class DiskWatch implements Watcher {
  readonly #options: DiskWatchOptions;
  #fullCount: number;

  constructor(options: DiskWatchOptions) {
    this.#options = options;
    this.#fullCount = options.engine.counters.full;
  }

  async look(): Promise<void> {
    const { disk, standing, engine, lowPercent } = this.#options;
    const fields = await disk.look();
    const { freeBytes, totalBytes } = fields;
    const freePercent = totalBytes === 0 ? 0 : (100 * freeBytes) / totalBytes;
    const free = `${freePercent.toFixed(1)} % of the disk of the data folder is free (${Math.floor(freeBytes / BYTES_PER_MIB)} MiB)`;

    const wasRefused = engine.isFull || engine.counters.full > this.#fullCount;
    this.#fullCount = engine.counters.full;
    if (wasRefused || freeBytes < FULL_BYTES) {
      const message = `${free}: what finds no room is refused, purchases included, until there is space.`;
      standing.begin('DISK_FULL', NODE, () => ({ message, fields }));
    } else {
      standing.end('DISK_FULL', NODE, () => ({ message: `${free}.`, fields }), ROOM_FOR_MS);
    }
    if (freePercent < lowPercent) {
      const message = `${free}, less than ${lowPercent} %: make room before it is full.`;
      standing.begin('DISK_LOW', NODE, () => ({ message, fields }));
    } else if (freePercent >= Math.min(lowPercent * OVER, (lowPercent + 100) / 2)) {
      standing.end('DISK_LOW', NODE, () => ({ message: `${free}.`, fields }));
    }
  }
}
