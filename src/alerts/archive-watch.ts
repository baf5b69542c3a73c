/**
 * The daily archive: told when it failed, again for each more that fails, and when none has succeeded for two days. Over
 * when one does.
 */
import type { Watcher } from './alert-watch.ts';
import { NODE, type StandingAlerts } from './standing-alerts.ts';

/** How daily archives are. */
export interface ArchiveHealth {
  /** Null before the first one. */
  readonly last: {
    readonly ok: boolean;
    readonly at: number;
    readonly held?: string;
    readonly error?: string;
  } | null;
  /** Since one succeeded, or since they have been due, in milliseconds. */
  readonly ageMs: number;
  readonly isOverdue: boolean;
}

export interface ArchiveWatchOptions {
  readonly standing: StandingAlerts;
  /** Undefined on a node that archives nothing by itself. */
  readonly health: ArchiveHealth | undefined;
}

export class ArchiveWatch implements Watcher {
  readonly #options: ArchiveWatchOptions;
  /** When the one ended that was told of last. */
  #toldAt: number | undefined;

  constructor(options: ArchiveWatchOptions) {
    this.#options = options;
  }

  look(): void {
    const { standing, health } = this.#options;
    if (health === undefined) return;
    const { last, ageMs, isOverdue } = health;
    const fields = { archive: last };
    if (last?.ok === false) {
      const message = `The daily archive failed, so the data folder grows on: ${last.error}.`;
      const isNew = this.#toldAt !== last.at;
      this.#toldAt = last.at;
      if (isNew) standing.repeat('ARCHIVE', NODE, () => ({ message, fields }));
    } else if (isOverdue) {
      const message = `No daily archive has succeeded for ${Math.round(ageMs / 3_600_000)} hours: see why with purser archive status.`;
      standing.begin('ARCHIVE', NODE, () => ({ message, fields }));
    } else {
      standing.end('ARCHIVE', NODE, () => ({ message: 'The daily archive succeeded.', fields }));
    }
  }
}
