/**
 * Room for more connections of a server that can't bear to be without file descriptors: a connection that it can't accept
 * stays in the system's queue, and uWebSockets.js looks at it again and again, with all of a processor. So it stops
 * listening before: who connects then is refused at once, and may try again. node:http needs none of it: the system's queue
 * is emptied with a descriptor that libuv keeps.
 *
 * The system gives out the lowest free descriptor, so its number tells how many are left at least. Rejected: a look at each
 * connection; a fixed number of connections, because others take descriptors, too.
 */
import { descriptorCeiling, nextDescriptor } from '../../shared/descriptor-reserve.ts';

/** Descriptors left to the node's files and to operators. Requests to suppliers leave more. */
const RESERVED = 16;
/** Interval of looks without a new connection: others take descriptors as well, and give them back. */
const LOOK_INTERVAL_MS = 500;

/** Connections between two looks where the system does not tell its limit. */
const CONNECTIONS_UNSEEN = 16;

export class ConnectionRoom {
  readonly #onChange: (hasRoom: boolean) => void;
  readonly #ceiling = descriptorCeiling(RESERVED);
  /** Connections that may open before the next look. */
  #unseen = 0;
  #hasRoom = true;
  #timer: NodeJS.Timeout | undefined;

  /** `onChange` is told when there is no room any more, and when there is again. */
  constructor(onChange: (hasRoom: boolean) => void) {
    this.#onChange = onChange;
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** A connection has opened. */
  taken(): void {
    this.#unseen -= 1;
    if (this.#unseen <= 0 && this.#timer !== undefined) this.#look();
  }

  /** The change to room could not be used: it is told again with the next look. */
  missed(): void {
    this.#hasRoom = false;
  }

  #look(): void {
    const next = nextDescriptor();
    const hasRoom = next < this.#ceiling;
    // Others take some meanwhile.
    this.#unseen = Number.isFinite(this.#ceiling)
      ? Math.floor((this.#ceiling - next) / 2)
      : CONNECTIONS_UNSEEN;
    if (hasRoom === this.#hasRoom) return;
    this.#hasRoom = hasRoom;
    this.#onChange(hasRoom);
  }
}
