/** Keys of the folder, wired: the master key that changes or is saved, and hashes with a key of the shop. */
import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import type { KeyServices } from '../http/operator/operator-services.ts';
import type { KeyRing } from '../persistence/keys/key-ring.ts';
import { SavedKey } from '../persistence/keys/saved-key.ts';

export interface KeyPartsOptions {
  readonly folder: string;
  readonly ring: KeyRing;
  readonly log: Logger;
}

export class KeyParts {
  readonly #options: KeyPartsOptions;

  constructor(options: KeyPartsOptions) {
    this.#options = options;
  }

  /** The hash of operators' calls. Its key is the shop's own and never changes. */
  readonly keyedHash = () =>
    createHmac('sha256', this.#options.ring.keys.fingerprintKey).update("an operator's call: ");

  services(): KeyServices {
    const { folder, ring, log } = this.#options;
    const saved = new SavedKey(folder, ring);
    return {
      refusalOf: (newKey) => ring.refusalOf(newKey)?.message,
      rekey: async (newKey) => {
        const before = ring.masterKeyId;
        ring.rekey(newKey);
        await ring.whenShared();
        log.info({ before, masterKeyId: ring.masterKeyId }, 'the master key was changed');
      },
      save: () => {
        const taken = saved.take();
        log.info(
          { masterKeyId: taken.masterKeyId },
          'the master key was given to an operator, to be kept elsewhere',
        );
        return taken;
      },
      state: () => ({ masterKeyId: ring.masterKeyId, keyFile: ring.keyFile, isSaved: saved.isSaved }),
    };
  }
}
