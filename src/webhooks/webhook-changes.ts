/**
 * Changes of webhooks, by account: how far the journal must have been read before anything may be sent to one whose
 * webhook was replaced or deleted. In memory that threads share: the main thread writes here before the answer to POST
 * or DELETE /webhook leaves, and whoever is about to send looks here at the last moment. So "the previous secret stops
 * working at once" (SPEC.md §3) holds however far the outbox lies behind. A request can still leave after the answer
 * only if it was being written to a socket at that moment: looking here and writing are one stretch without a pause.
 *
 * Messages alone were rejected: a thread hears them only between its passes, and answers would wait for each of them.
 * Accounts share places, so that the memory is bounded: when one of two changes its webhook, the other's deliveries may
 * wait until that is read, and those under way may be broken off and made again. Nothing else happens to it.
 */

const PLACES = 65_536;
/**
 * The slot of the position that all accounts must wait for; before the first word nobody knows what the end of the
 * journal says.
 */
const FOR_ALL = PLACES;
/** 1 while nothing is sent to anybody. */
const IS_HELD = PLACES + 1;
const SLOTS = PLACES + 2;
const NEVER = BigInt(Number.MAX_SAFE_INTEGER);

export class WebhookChanges {
  readonly shared: SharedArrayBuffer;
  readonly #positions: BigInt64Array;

  private constructor(shared: SharedArrayBuffer) {
    this.shared = shared;
    this.#positions = new BigInt64Array(shared);
  }

  /** Nothing may be sent to anybody before `open`. */
  static create(): WebhookChanges {
    const shared = new SharedArrayBuffer(SLOTS * BigInt64Array.BYTES_PER_ELEMENT);
    const changes = new WebhookChanges(shared);
    Atomics.store(changes.#positions, FOR_ALL, NEVER);
    return changes;
  }

  /** The changes in another thread. */
  static of(shared: SharedArrayBuffer): WebhookChanges {
    return new WebhookChanges(shared);
  }

  /** The journal ended here when the node started: who knows it so far knows all that is not told by `post`. */
  open(position: number): void {
    Atomics.store(this.#positions, FOR_ALL, BigInt(position));
  }

  /** Whether no attempt begins: after a restore nobody knows whose webhook the gap has replaced or deleted. */
  get isHeld(): boolean {
    return Atomics.load(this.#positions, IS_HELD) === 1n;
  }

  set isHeld(isHeld: boolean) {
    Atomics.store(this.#positions, IS_HELD, isHeld ? 1n : 0n);
  }

  /** The account's webhook was replaced or deleted at or before this position. */
  post(accountId: number, position: number): void {
    Atomics.store(this.#positions, accountId % PLACES, BigInt(position));
  }

  /** Whether a configuration of the account, as read from the journal up to `position`, may be used now. */
  isCurrent(accountId: number, position: number): boolean {
    return this.neededPosition(accountId) <= position;
  }

  /** How far the journal must have been read to know the account's configuration. */
  neededPosition(accountId: number): number {
    const own = Atomics.load(this.#positions, accountId % PLACES);
    const all = Atomics.load(this.#positions, FOR_ALL);
    return Number(own > all ? own : all);
  }
}
