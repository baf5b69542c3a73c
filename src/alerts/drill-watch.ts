/**
 * Drills of the backup: told when the last one failed, again for each more that fails, and when none has been for twice
 * their interval. Over when one succeeds.
 */
import type { StateFields } from './alert.ts';
import type { Watcher } from './alert-watch.ts';
import { NODE, type StandingAlerts } from './standing-alerts.ts';

/** How drills are. */
interface DrillHealth {
  /** Null before the first one. */
  readonly last: StateFields['BACKUP_DRILL']['drill'];
  /** Since the last one, or since they have been due, in milliseconds. */
  readonly ageMs: number;
  readonly isOverdue: boolean;
}

export interface DrillWatchOptions {
  readonly standing: StandingAlerts;
  /** Undefined without a continuous backup. */
  readonly health: DrillHealth | undefined;
}

export class DrillWatch implements Watcher {
  readonly #options: DrillWatchOptions;
  /** When the drill ended that was told of last. */
  #alertedAt: number | undefined;

  constructor(options: DrillWatchOptions) {
    this.#options = options;
  }

  look(): void {
    const { standing, health } = this.#options;
    if (health === undefined) return;
    const { last, ageMs, isOverdue } = health;
    const fields = { drill: last };
    if (last?.ok === false) {
      const message = `The drill of the backup failed, so it may not be possible to restore from it: ${last.error}.`;
      const isNew = this.#alertedAt !== last.at;
      this.#alertedAt = last.at;
      if (isNew) standing.repeat('BACKUP_DRILL', NODE, () => ({ message, fields }));
    } else if (isOverdue) {
      const message = `There has been no drill of the backup for ${Math.round(ageMs / 3_600_000)} hours: see why with purser backup drill.`;
      standing.begin('BACKUP_DRILL', NODE, () => ({ message, fields }));
    } else {
      standing.end('BACKUP_DRILL', NODE, () => ({ message: 'A drill of the backup succeeded.', fields }));
    }
  }
}
