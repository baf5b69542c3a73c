/**
 * The key ring at a target: a copy each time that it has changed, sealed with the master key.
 *
 * Invariant: no chunk is written before a copy is at the target (`there`). An older copy goes only when a newer one was
 * read back, for nobody with an old master key must find a ring that it opens; a target that forbids removing is asked
 * again with the next copy.
 */
import { epochText } from './chunk.ts';
import { prove, storedObject } from './proved-object.ts';
import type { Retrying } from './retrying.ts';
import { type BackupTarget, TargetError } from './target/backup-target.ts';
import { KEYS, keysName, parseKeysName, type StoredObject } from './target-layout.ts';

export class RingCopy {
  readonly #target: BackupTarget;
  readonly #epoch: number;
  readonly #retrying: Retrying;
  #placed: { readonly text: string; readonly object: StoredObject } | undefined;
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(target: BackupTarget, epoch: number, retrying: Retrying) {
    this.#target = target;
    this.#epoch = epoch;
    this.#retrying = retrying;
  }

  /** Resolves with the copy of this ring (`KeyRing.backupCopy`) when it is there. Rejects when the patience ends. */
  there(text: string): Promise<StoredObject> {
    const placed = this.#underWay.then(async () => {
      if (this.#placed?.text !== text) this.#placed = { text, object: await this.#place(text) };
      return this.#placed.object;
    });
    this.#underWay = placed.catch(() => undefined);
    return placed;
  }

  async #place(text: string): Promise<StoredObject> {
    const bytes = Buffer.from(text);
    const first = await this.#nextNumber();
    for (let number = first; ; number += 1) {
      const name = keysName(this.#epoch, number);
      const found = await this.#retrying.until((signal) => prove(this.#target, name, bytes, signal));
      if (found === undefined) {
        await this.#removeBefore(name);
        return storedObject(name, bytes);
      }
      await this.#retrying.restAfterWrong(name, 1 + number - first);
    }
  }

  #nextNumber(): Promise<number> {
    return this.#retrying.until(async (signal) => {
      let last = 0;
      for await (const { name } of this.#target.list(`${KEYS}${epochText(this.#epoch)}-`, { signal })) {
        last = Math.max(last, parseKeysName(name)?.number ?? 0);
      }
      return last + 1;
    });
  }

  async #removeBefore(own: string): Promise<void> {
    const { signal } = this.#retrying;
    try {
      for await (const { name } of this.#target.list(KEYS, { signal })) {
        if (name < own && parseKeysName(name) !== undefined) await this.#target.remove(name, { signal });
      }
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
    }
  }
}
