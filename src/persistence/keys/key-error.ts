/** An error of keys. The message is one line for the operator, and never holds a key or a part of it. */

/**
 * Kinds that callers tell apart: `key` (the master key is missing, or none), `other-key` (the ring needs another master
 * key), `ring` (the key ring is missing or damaged), `change` (a change of the keys makes no sense as it was asked for,
 * and nothing was changed), `seal` (a value was sealed with a key that the folder doesn't have, or is not what was
 * sealed).
 */
export type KeyErrorKind = 'key' | 'other-key' | 'ring' | 'change' | 'seal';

interface KeyErrorOptions extends ErrorOptions {
  /** The ids of the master keys, either of which opens the ring. */
  readonly neededIds?: readonly string[];
}

export class KeyError extends Error {
  override readonly name = 'KeyError';
  readonly kind: KeyErrorKind;
  readonly neededIds: readonly string[];

  constructor(kind: KeyErrorKind, message: string, { neededIds = [], ...options }: KeyErrorOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.neededIds = neededIds;
  }
}
