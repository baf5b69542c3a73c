/**
 * Keeps what is resident of `webhooks.mdb` small. Its pages count as the node's memory once they were touched, until
 * the system needs the room, and LMDB keeps one map for as long as the file is open. A million events for a thousand
 * endpoints touch all of it within seconds. So it is closed and opened again when what the process has mapped has
 * grown too much since it was opened; that another file's pages may be the reason only costs half a millisecond.
 *
 * For that, nobody else in the process may have the file open. Rejected: LMDB's map in chunks, which keeps up to
 * 512 MB of them; and telling the system that the pages aren't needed, for which Node has no call.
 */
export interface MapLimitOptions {
  /** What the process has mapped and in memory; 0 where that isn't known. */
  readonly mappedBytes: () => number;
  /** Lets go of all that is mapped of the file. */
  readonly reopen: () => void;
}

const MOST_BYTES = 8 * 1_024 ** 2;

export class MapLimit {
  readonly #options: MapLimitOptions;
  #leastBytes: number;

  constructor(options: MapLimitOptions) {
    this.#options = options;
    this.#leastBytes = options.mappedBytes();
  }

  /** To be called often. Not while rows are being read. */
  keep(): void {
    const { mappedBytes, reopen } = this.#options;
    const bytes = mappedBytes();
    // What others let go of must not be made up for here.
    this.#leastBytes = Math.min(this.#leastBytes, bytes);
    if (bytes - this.#leastBytes < MOST_BYTES) return;
    reopen();
    this.#leastBytes = mappedBytes();
  }
}
