/**
 * Alerts of states, such as a disk that is full: one when it begins (`firing`), one when it is over (`resolved`), and none
 * in between, however often a watcher finds it so.
 *
 * Who watches a level that goes up and down says by itself when it is over: not at the height where it began. What
 * begins and ends in turns without a level is over only when it hasn't been found for a while.
 *
 * Kept in memory only: a node that starts again tells again what it finds, and of what ended meanwhile nothing.
 * Rejected: to keep it on disk, which is the first thing that such an alert may be about; to keep what was told of each
 * state instead of who says it, which for all products at once would be tens of megabytes, and old by the next look.
 */
import {
  ALERT_KINDS,
  type FiringState,
  STATE_ERRORS,
  type StateAlert,
  type StateError,
  type StateFields,
} from './alert.ts';

/** The state of the node itself; others have the id of their product or supplier. */
export const NODE = 0;

export interface StandingAlertsOptions {
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly tell: (alert: StateAlert) => void;
}

/** What is told, made only when it is. `message` is for people. */
export type Say<Kind extends StateError> = () => {
  readonly message: string;
  readonly fields: StateFields[Kind];
};

/** A state that goes on; times are Unix milliseconds. */
interface Standing {
  readonly sinceMs: number;
  lastFoundMs: number;
  /** Of the latest look that found it. */
  say: Say<StateError>;
}

export class StandingAlerts {
  readonly #options: StandingAlertsOptions;
  /** By kind, and then by id. */
  readonly #standing = new Map<StateError, Map<number, Standing>>();

  constructor(options: StandingAlertsOptions) {
    this.#options = options;
  }

  /** How many go on. */
  count(error: StateError): number {
    return this.#standing.get(error)?.size ?? 0;
  }

  /** How many go on, of all kinds. */
  get total(): number {
    return STATE_ERRORS.reduce((all, error) => all + this.count(error), 0);
  }

  isFiring(error: StateError, id = NODE): boolean {
    return this.#standing.get(error)?.has(id) ?? false;
  }

  /** By id. Made at once, so states may end while they are gone through. */
  firing(error: StateError): number[] {
    return Array.from(this.#standing.get(error)?.keys() ?? []);
  }

  /** What goes on, as it was found last: at most `most`, those of the node itself before those of products. */
  list(most: number): FiringState[] {
    const listed: FiringState[] = [];
    for (const error of STATE_ERRORS) {
      for (const { sinceMs, say } of this.#standing.get(error)?.values() ?? []) {
        if (listed.length === most) return listed;
        const { message, fields } = say();
        listed.push({ class: ALERT_KINDS[error].class, error, message, since: sinceMs, ...fields });
      }
    }
    return listed;
  }

  /** It is so. Told when it wasn't before; then the answer is true. */
  begin<Kind extends StateError>(error: Kind, id: number, say: Say<Kind>): boolean {
    let ofKind = this.#standing.get(error);
    if (ofKind === undefined) {
      ofKind = new Map();
      this.#standing.set(error, ofKind);
    }
    const nowMs = this.#options.clock();
    const before = ofKind.get(id);
    if (before !== undefined) {
      before.lastFoundMs = nowMs;
      before.say = say;
      return false;
    }
    ofKind.set(id, { sinceMs: nowMs, lastFoundMs: nowMs, say });
    this.#tell(error, 'firing', say);
    return true;
  }

  /** It goes on, and there is something new to say about it. */
  repeat<Kind extends StateError>(error: Kind, id: number, say: Say<Kind>): void {
    if (this.begin(error, id, say)) return;
    this.#tell(error, 'firing', say);
  }

  /** It isn't so. Told when it was; or later, when it has not been found for `quietMs`. True when it was told. */
  end<Kind extends StateError>(error: Kind, id: number, say: Say<Kind>, quietMs = 0): boolean {
    const ofKind = this.#standing.get(error);
    const lastFoundMs = ofKind?.get(id)?.lastFoundMs;
    if (lastFoundMs === undefined) return false;
    // Without `quietMs` also by a clock that was set back.
    if (quietMs > 0 && this.#options.clock() - lastFoundMs < quietMs) return false;
    ofKind?.delete(id);
    this.#tell(error, 'resolved', say);
    return true;
  }

  #tell<Kind extends StateError>(error: Kind, state: StateAlert['state'], say: Say<Kind>): void {
    const { message, fields } = say();
    const { class: alertClass } = ALERT_KINDS[error];
    const at = this.#options.clock();
    // The union of all kinds is more than the compiler takes apart for a kind that isn't known here.
    this.#options.tell({ class: alertClass, error, state, message, at, ...fields } as unknown as StateAlert);
  }
}
