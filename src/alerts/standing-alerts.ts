/**
 * Alerts of states, such as a disk that is full: one when it begins (`firing`), one when it is over (`resolved`), and none
 * in between, however often a watcher finds it so.
 *
 * Watchers of a level that goes up and down say by themselves when the state is over: not at the height where it began.
 * A state that begins and ends in turns without a level is over only when it hasn't been found for a while.
 *
 * States that go on are known at once, to lists and metrics. States of products, which may be as many as there are, are
 * told in turn, a few at a time (`tellNext`): half of them the most pressing, half those that have waited longest, so
 * that none waits for ever. A state that is again as it was told is no news. A node that starts again knows what it had
 * told (`alert-memory.ts`): it tells again what it finds, and of the rest that it is over. Rejected: to keep what was
 * told of each state instead of who says it, which for all products at once would be tens of megabytes, and old by the
 * next look.
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

/** The content of an alert, made only when it is told. `message` is for people. */
export type Say<Kind extends StateError> = () => {
  readonly message: string;
  readonly fields: StateFields[Kind];
};

/** A state that goes on; times are Unix milliseconds. */
interface Standing {
  readonly sinceMs: number;
  lastFoundMs: number;
  /** The content by the latest look that found the state; undefined when none has since the start. */
  say: Say<StateError> | undefined;
}

/** A state that was told before the start, and is not known to be over. */
export interface StandingState {
  readonly error: StateError;
  readonly id: number;
  readonly since: number;
  /** The fields that were told; not for products. */
  readonly fields?: object;
}

/** A product whose state is to be told, and how pressing that is: the less, the more. */
interface Untold {
  say: Say<'STOCK_LOW'>;
  pressing: number;
  /** True when the state was told before the start. */
  isAgain: boolean;
}

/** The kind of which there may be as many as there are products. */
const IN_TURN = 'STOCK_LOW';
const NOT_FOUND_AGAIN = 'It has not been found since the node started.';

export class StandingAlerts {
  readonly #options: StandingAlertsOptions;
  /** By kind, and then by id. */
  readonly #standing = new Map<StateError, Map<number, Standing>>();
  /** By product, in the order in which they changed. */
  readonly #unsent = new Map<number, Untold>();
  /** Products that were told to be low, and not yet that it is over. */
  readonly #alertedLow = new Set<number>();
  /** The last words, before the start, on states that are not found yet, by kind and id. */
  readonly #lastSaid = new Map<string, Say<StateError>>();
  #changes = 0;

  constructor(options: StandingAlertsOptions) {
    this.#options = options;
  }

  /** Another number whenever what goes on has changed, or what was told of it. */
  get changes(): number {
    return this.#changes;
  }

  /** How many go on. */
  count(error: StateError): number {
    let count = 0;
    for (const { say } of this.#standing.get(error)?.values() ?? []) if (say !== undefined) count += 1;
    return count;
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

  /** States that go on, as they were found last: at most `most`, those of the node itself before those of products. */
  list(most: number): FiringState[] {
    const listed: FiringState[] = [];
    for (const error of STATE_ERRORS) {
      for (const { sinceMs, say } of this.#standing.get(error)?.values() ?? []) {
        if (listed.length === most) return listed;
        if (say === undefined) continue;
        const { message, fields } = say();
        listed.push({ class: ALERT_KINDS[error].class, error, message, since: sinceMs, ...fields });
      }
    }
    return listed;
  }

  /**
   * The state has been found. True when it is told now, because it hadn't been found before, or not since the start.
   * `pressing`: for a product, the less the sooner it is told.
   */
  begin<Kind extends StateError>(error: Kind, id: number, say: Say<Kind>, pressing = 0): boolean {
    const ofKind = this.#ofKind(error);
    const nowMs = this.#options.clock();
    const before = ofKind.get(id);
    ofKind.set(id, { sinceMs: before?.sinceMs ?? nowMs, lastFoundMs: nowMs, say });
    if (before?.say !== undefined) return false;
    if (error === IN_TURN) {
      this.#wait(id, say, pressing, before !== undefined);
    } else this.#tell(error, 'firing', say);
    return true;
  }

  /** The state goes on, and there is something new to say about it. */
  repeat<Kind extends StateError>(error: Kind, id: number, say: Say<Kind>): void {
    if (this.begin(error, id, say)) return;
    this.#tell(error, 'firing', say);
  }

  /**
   * A look has not found the state. Its end is told if it had begun; with `quietMs`, once it has not been found for so
   * long. True when the end was told.
   */
  end<Kind extends StateError>(error: Kind, id: number, say: Say<Kind>, quietMs = 0): boolean {
    const ofKind = this.#standing.get(error);
    const lastFoundMs = ofKind?.get(id)?.lastFoundMs;
    if (lastFoundMs === undefined) return false;
    // Without `quietMs` also by a clock that was set back.
    if (quietMs > 0 && this.#options.clock() - lastFoundMs < quietMs) return false;
    ofKind?.delete(id);
    if (error === IN_TURN) this.#wait(id, say, Number.POSITIVE_INFINITY, false);
    else this.#tell(error, 'resolved', say);
    return true;
  }

  /** A state that was told before the start. The state counts once it is found, and may end before. */
  restore({ error, id, since, fields }: StandingState): void {
    const say = fields && (() => ({ message: NOT_FOUND_AGAIN, fields: fields as StateFields[StateError] }));
    this.#ofKind(error).set(id, { sinceMs: since, lastFoundMs: this.#options.clock(), say: undefined });
    if (error === IN_TURN) this.#alertedLow.add(id);
    else if (say !== undefined) this.#lastSaid.set(`${error} ${id}`, say);
  }

  /**
   * States that were told before the start, and that nobody has found since, are over: nobody looks for them any more.
   */
  endUnfound(): void {
    for (const [error, ofKind] of this.#standing) {
      for (const [id, { say }] of ofKind) {
        if (say !== undefined) continue;
        const last = this.#lastSaid.get(`${error} ${id}`);
        if (last !== undefined) this.end(error, id, last);
        else ofKind.delete(id);
      }
    }
  }

  /** States that were told, and are not known to be over. */
  *told(): IterableIterator<StandingState> {
    for (const [error, ofKind] of this.#standing) {
      for (const [id, { sinceMs: since, say }] of ofKind) {
        if (error === IN_TURN) continue;
        const { fields } = (say ?? this.#lastSaid.get(`${error} ${id}`))?.() ?? {};
        yield { error, id, since, ...(fields === undefined ? {} : { fields }) };
      }
    }
    const low = this.#standing.get(IN_TURN);
    const nowMs = this.#options.clock();
    for (const id of this.#alertedLow) yield { error: IN_TURN, id, since: low?.get(id)?.sinceMs ?? nowMs };
  }

  /** Tells of `most` products at most, whose state is another than was told. */
  tellNext(most: number): void {
    for (const [id, { say }] of this.#next(most)) {
      this.#unsent.delete(id);
      const isLow = this.isFiring(IN_TURN, id);
      if (isLow) this.#alertedLow.add(id);
      else this.#alertedLow.delete(id);
      this.#tell(IN_TURN, isLow ? 'firing' : 'resolved', say);
    }
  }

  /** Half the most pressing, half those that have waited longest. */
  #next(most: number): Map<number, Untold> {
    for (const [id, { isAgain }] of this.#unsent) {
      if (!isAgain && this.isFiring(IN_TURN, id) === this.#alertedLow.has(id)) this.#unsent.delete(id);
    }
    const all = [...this.#unsent];
    if (all.length <= most) return new Map(all);
    const pressing = all.toSorted(([, one], [, other]) => one.pressing - other.pressing);
    const next = new Map(pressing.slice(0, Math.floor(most / 2)));
    for (const [id, untold] of all) {
      if (next.size === most) break;
      next.set(id, untold);
    }
    return next;
  }

  #wait<Kind extends StateError>(id: number, say: Say<Kind>, pressing: number, isAgain: boolean): void {
    this.#changes += 1;
    const before = this.#unsent.get(id);
    const untold = { say: say as unknown as Say<'STOCK_LOW'>, pressing, isAgain };
    if (before === undefined) this.#unsent.set(id, untold);
    else Object.assign(before, untold);
  }

  #ofKind(error: StateError): Map<number, Standing> {
    const ofKind = this.#standing.get(error) ?? new Map<number, Standing>();
    this.#standing.set(error, ofKind);
    return ofKind;
  }

  #tell<Kind extends StateError>(error: Kind, state: StateAlert['state'], say: Say<Kind>): void {
    this.#changes += 1;
    const { message, fields } = say();
    const { class: alertClass } = ALERT_KINDS[error];
    const at = this.#options.clock();
    // The union of all kinds is more than the compiler takes apart for a kind that isn't known here.
    this.#options.tell({ class: alertClass, error, state, message, at, ...fields } as unknown as StateAlert);
  }
}
