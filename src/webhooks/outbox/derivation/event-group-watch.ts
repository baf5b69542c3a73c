/**
 * When to ask for the fact that closes the open group (`EventGroupClosed`). Mostly the next change does, because it
 * comes a window later; after the last one for a while nothing would.
 *
 * A clock decides here, and nothing rests on it: it says when the journal is to say something, and what the journal
 * says is the same for whoever reads it. An answer isn't waited for: what was refused, or lost in a crash, is asked
 * for again as long as it is wanted.
 */
import type { OpenEventGroup } from './open-event-group.ts';

/** A request was refused, or nobody was there to take it. */
const AGAIN_MS = 1_000;

export interface EventGroupWatchOptions {
  /** `--group-window`. */
  readonly windowMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs: () => number;
  /** The open group, as far as the journal has been read. */
  readonly state: Pick<OpenEventGroup, 'openEventGroup' | 'windowMs'>;
  /**
   * The journal is to say that the open group closes. Pointless when it goes beyond `unlessBeyond`: what comes there
   * closes the group if it is time. Asked again after a while, unless it says so.
   */
  readonly closeEventGroup: (unlessBeyond: number) => void;
}

export class EventGroupWatch {
  readonly #options: EventGroupWatchOptions;
  #openEventGroup: number | undefined;
  #openedAtMs = 0;
  /** For the fact that closes it, or, while none is open, for one that says how long groups last. */
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: EventGroupWatchOptions) {
    this.#options = options;
  }

  /** Milliseconds until the fact is to be asked for, 0 at least; undefined while it isn't wanted. */
  get dueInMs(): number | undefined {
    const { state } = this.#options;
    const nowMs = this.#options.nowMs();
    if (state.openEventGroup !== this.#openEventGroup) {
      this.#openEventGroup = state.openEventGroup;
      this.#openedAtMs = nowMs;
      this.#askedAtMs = Number.NEGATIVE_INFINITY;
    }
    if (this.#wantsOtherWindow) return Math.max(0, this.#askedAtMs + AGAIN_MS - nowMs);
    if (state.openEventGroup === undefined) return undefined;
    const dueAtMs = Math.max(this.#openedAtMs + this.#options.windowMs, this.#askedAtMs + AGAIN_MS);
    return Math.max(0, dueAtMs - nowMs);
  }

  /** Groups are to last another time than they do. Said at once, so that it holds for the first who subscribes. */
  get #wantsOtherWindow(): boolean {
    const { state, windowMs } = this.#options;
    return state.windowMs !== windowMs;
  }

  /** Asks for the fact, if it is due. All of the journal was read, up to `position`. */
  askIfDue(position: number): void {
    if (this.dueInMs !== 0) return;
    const unlessBeyond = this.#wantsOtherWindow ? Number.POSITIVE_INFINITY : position;
    this.#askedAtMs = this.#options.nowMs();
    this.#options.closeEventGroup(unlessBeyond);
  }
}
