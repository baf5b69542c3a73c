/**
 * The key ring at a target: a copy each time that it has changed, sealed with the master key.
 *
 * What always holds: a chunk is sealed only with a key that a copy at the target has (`there`). An older copy goes only
 * when a newer one was read back, for who has an old master key must not find a ring that it opens; a target that
 * forbids removing is asked again with the next copy.
 */
import { epochText } from './chunk.ts';
import { prove, storedObject } from './proved-object.ts';
import type { Retrying } from './retrying.ts';
import { type BackupTarget, TargetError } from './target/backup-target.ts';
import { KEYS, keysName, type StoredObject } from './target-layout.ts';

const NAME = /^keys\/(\d{6,})-(\d{8,})\.ring$/;

/** The ring as it is now. */
export interface RingText {
  /** `KeyRing.backupCopy`. */
  readonly text: string;
  /** Of the data key that seals, as `DataKey.id`. */
  readonly newestKeyId: string;
}

export class RingCopy {
  readonly #target: BackupTarget;
  readonly #epoch: number;
  readonly #retrying: Retrying;
  #placed: { readonly ring: RingText; readonly object: StoredObject } | undefined;
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(target: BackupTarget, epoch: number, retrying: Retrying) {
    this.#target = target;
    this.#epoch = epoch;
    this.#retrying = retrying;
  }

  /** Resolves with the copy of this ring when it is there. Rejects when the patience ends. */
  there(ring: RingText): Promise<StoredObject> {
    const placed = this.#underWay.then(async () => {
      if (this.#placed?.ring.text !== ring.text) this.#placed = { ring, object: await this.#place(ring) };
      return this.#placed.object;
    });
    this.#underWay = placed.catch(() => undefined);
    return placed;
  }

  async #place({ text }: RingText): Promise<StoredObject> {
    const bytes = Buffer.from(text);
    for (let number = await this.#nextNumber(); ; number += 1) {
      const name = keysName(this.#epoch, number);
      const found = await this.#retrying.until((signal) => prove(this.#target, name, bytes, signal));
      if (found !== undefined) continue;
      await this.#removeBefore(name);
      return storedObject(name, bytes);
    }
  }

  #nextNumber(): Promise<number> {
    return this.#retrying.until(async (signal) => {
      let last = 0;
      for await (const { name } of this.#target.list(`${KEYS}${epochText(this.#epoch)}-`, { signal })) {
        last = Math.max(last, Number(NAME.exec(name)?.[2] ?? 0));
      }
      return last + 1;
    });
  }

  async #removeBefore(own: string): Promise<void> {
    const { signal } = this.#retrying;
    try {
      for await (const { name } of this.#target.list(KEYS, { signal })) {
        if (name < own && NAME.test(name)) await this.#target.remove(name, { signal });
      }
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
    }
  }
}
