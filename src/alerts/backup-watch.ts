/**
 * The continuous backup: told when what was sold some minutes ago is not at the target, when nothing is shipped there any
 * more, because another node ships to it or the data folder can't be read, and when objects are there that the shop didn't
 * write.
 */
import type { Watcher } from './alert-watch.ts';
import { NODE, type StandingAlerts } from './standing-alerts.ts';

const BEHIND_MS = 5 * 60_000;
/** The alert ends when the backup is behind by less. */
const OVER_MS = 60_000;

/** How the continuous backup is. */
export interface BackupHealth {
  readonly lagMs: number;
  /** Why nothing is shipped any more. */
  readonly end: { readonly why: 'fenced' | 'failed'; readonly message: string } | undefined;
  /** The current error, in one sentence; null when there is none. */
  readonly error: string | null;
  /** Names of objects at the target that are not what the shop wrote. */
  readonly altered: readonly string[];
}

export interface BackupWatchOptions {
  readonly standing: StandingAlerts;
  /** Undefined without `--backup`. */
  readonly health: BackupHealth | undefined;
}

export class BackupWatch implements Watcher {
  readonly #options: BackupWatchOptions;

  constructor(options: BackupWatchOptions) {
    this.#options = options;
  }

  look(): void {
    const { health } = this.#options;
    if (health === undefined) return;
    this.#lookForEnd(health);
    this.#lookForLag(health);
    this.#lookForAltered(health);
  }

  #lookForAltered({ altered }: BackupHealth): void {
    const { standing } = this.#options;
    const fields = { objects: altered };
    if (altered.length === 0) {
      const message = 'The backup has no object any more that the shop did not write.';
      standing.end('BACKUP_ALTERED', NODE, () => ({ message, fields }));
      return;
    }
    const message = `The backup has objects that are not what the shop wrote, and count for nothing: ${altered.join(', ')}. Find out who wrote them, and remove them.`;
    standing.begin('BACKUP_ALTERED', NODE, () => ({ message, fields }));
  }

  #lookForEnd({ end }: BackupHealth): void {
    const { standing } = this.#options;
    if (end === undefined) {
      const fields = { reason: 'failed' } as const;
      standing.end('BACKUP_STOPPED', NODE, () => ({ message: 'The node is backed up again.', fields }));
      return;
    }
    const message = `Nothing is backed up any more, and the node sells on: ${end.message}.`;
    standing.begin('BACKUP_STOPPED', NODE, () => ({ message, fields: { reason: end.why } }));
  }

  #lookForLag({ lagMs, error }: BackupHealth): void {
    const { standing } = this.#options;
    const behindMs = Math.round(lagMs);
    const fields = { behindMs };
    if (behindMs > BEHIND_MS) {
      const why = error === null ? 'the target is slow, or the node is busy' : error;
      const message = `The backup has been behind for ${Math.round(behindMs / 60_000)} minutes: ${why}.`;
      standing.begin('BACKUP_BEHIND', NODE, () => ({ message, fields }));
    } else if (behindMs < OVER_MS) {
      standing.end('BACKUP_BEHIND', NODE, () => ({ message: 'The backup has caught up.', fields }));
    }
  }
}
