/**
 * The checkpoint, which is a few seconds behind the journal when all is well: told when something durable has waited for
 * a fold for a minute, or when commands already wait because memory has taken all that it may without one.
 *
 * By time and not by facts: a busy node writes a hundred thousand between two folds that are in time.
 */
import type { Engine } from '../engine/loop/engine.ts';
import type { Watcher } from './alert-watch.ts';
import { NODE, type StandingAlerts } from './standing-alerts.ts';

const BEHIND_MS = 60_000;
/** The alert ends when the checkpoint is behind by less. */
const OVER_MS = BEHIND_MS / 2;

export interface CheckpointWatchOptions {
  readonly standing: StandingAlerts;
  readonly engine: Pick<Engine, 'acceptsCommands' | 'isFull'>;
  /** Facts that it lacks, and for how many milliseconds the oldest of them. */
  readonly lag: () => { readonly facts: number; readonly ms: number };
}

export class CheckpointWatch implements Watcher {
  readonly #options: CheckpointWatchOptions;

  constructor(options: CheckpointWatchOptions) {
    this.#options = options;
  }

  look(): void {
    const { standing, engine, lag } = this.#options;
    const { facts, ms } = lag();
    const behindMs = Math.round(ms);
    const fields = { facts, behindMs };
    const areCommandsWaiting = !engine.acceptsCommands && !engine.isFull;
    if (behindMs >= BEHIND_MS || areCommandsWaiting) {
      const waiting = areCommandsWaiting ? ' Commands wait for it, and are refused with 429.' : '';
      const message = `The checkpoint lacks ${facts} facts, and has been behind for ${Math.round(behindMs / 1_000)} s: the disk is full or slow, file descriptors are missing, or a file is damaged; the log of the node says which.${waiting}`;
      standing.begin('CHECKPOINT_BEHIND', NODE, () => ({ message, fields }));
    } else if (behindMs < OVER_MS) {
      standing.end('CHECKPOINT_BEHIND', NODE, () => ({ message: 'The checkpoint has caught up.', fields }));
    }
  }
}
