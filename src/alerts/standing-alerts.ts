/**
 * Alerts of states, such as a disk that is full: one when it begins (`firing`), one when it is over (`resolved`), and none
 * in between, however often a watcher finds it so.
 *
 * Who watches a level that goes up and down says by itself when it is over: not at the height where it began. What
 * begins and ends in turns without a level is over only when it hasn't been found for a while.
 *
 * Kept in memory only: a node that starts again tells again what it finds, and of what ended meanwhile nothing.
 * Rejected: to keep it on disk, which is the first thing that such an alert may be about.
 */
import { ALERT_KINDS, type StateAlert, type StateError, type StateFields } from './alert.ts';

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

export class StandingAlerts {
  readonly #options: StandingAlertsOptions;
  /** When each state that goes on was found last, Unix milliseconds, by its id. */
  readonly #lastFoundMs = new Map<StateError, Map<number, number>>();

  constructor(options: StandingAlertsOptions) {
    this.#options = options;
  }

  /** How many go on. */
  count(error: StateError): number {
    return this.#lastFoundMs.get(error)?.size ?? 0;
  }

  isFiring(error: StateError, id = NODE): boolean {
    return this.#lastFoundMs.get(error)?.has(id) ?? false;
  }

  /** By id. Made at once, so states may end while they are gone through. */
  firing(error: StateError): number[] {
    return Array.from(this.#lastFoundMs.get(error)?.keys() ?? []);
  }

  /** It is so. Told when it wasn't before; then the answer is true. */
  begin<Kind extends StateError>(error: Kind, id: number, say: Say<Kind>): boolean {
    const isNew = !this.isFiring(error, id);
    let ofKind = this.#lastFoundMs.get(error);
    if (ofKind === undefined) {
      ofKind = new Map();
      this.#lastFoundMs.set(error, ofKind);
    }
    ofKind.set(id, this.#options.clock());
    if (isNew) this.#tell(error, 'firing', say);
    return isNew;
  }

  /** It goes on, and there is something new to say about it. */
  repeat<Kind extends StateError>(error: Kind, id: number, say: Say<Kind>): void {
    if (this.begin(error, id, say)) return;
    this.#tell(error, 'firing', say);
  }

  /** It isn't so. Told when it was; or later, when it has not been found for `quietMs`. True when it was told. */
  end<Kind extends StateError>(error: Kind, id: number, say: Say<Kind>, quietMs = 0): boolean {
    const ofKind = this.#lastFoundMs.get(error);
    const lastFoundMs = ofKind?.get(id);
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
