/**
 * A key ring that several nodes have: changes by the leader reach the others through the log, in order.
 *
 * A ring is sealed with the master key, which all of them have. One that comes sealed with another is a master key that
 * was changed at the leader: this node keeps it for its next start.
 */
import { KeyError } from './key-error.ts';
import type { MasterKey } from './master-key.ts';
import { openRingText, type RingKeys } from './ring-text.ts';

/**
 * Resolves when the log has the ring's text for good. The shipping tries again itself while the log has no room: a
 * rejection ends the sharing.
 */
export type ShipRing = (text: Buffer) => Promise<void>;

export class RingSharing {
  readonly #ship: ShipRing;
  #shared: Promise<void> = Promise.resolve();

  constructor(ship: ShipRing) {
    this.#ship = ship;
  }

  /** Resolves when other nodes have all that was added so far. */
  get whenShared(): Promise<void> {
    return this.#shared;
  }

  /** Ships it when other nodes have all that was added before. Errors of shipping reject `whenShared`. */
  add(text: string): void {
    this.#shared = this.#shared.then(() => this.#ship(Buffer.from(text)));
    this.#shared.catch(() => {});
  }
}

/** Undefined when none of the master keys opens it. Throws `KeyError` (`ring`) for one that is damaged. */
export function openSharedRing(text: string, masterKeys: readonly MasterKey[]): RingKeys | undefined {
  for (const masterKey of masterKeys) {
    try {
      return openRingText(text, { name: 'the key ring in the log', masterKey, keyOrigin: 'this node' }).keys;
    } catch (error) {
      if (!(error instanceof KeyError && error.kind === 'other-key')) throw error;
    }
  }
  return undefined;
}

/** The refusal of changes at a node that has not got the master key of its ring. */
export function foreignRing(): KeyError {
  return new KeyError(
    'change',
    'the master key was changed at another node: start this one again with the new key in PURSER_MASTER_KEY',
  );
}
