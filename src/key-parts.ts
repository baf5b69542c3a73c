/** The keys that change, wired: the ring, and the sealing anew behind the traffic. */
import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import type { Engine } from './engine/engine.ts';
import type { KeyServices } from './http/operator/operator-services.ts';
import type { KeyRing } from './persistence/disk/key-ring.ts';
import type { SecretCipher } from './persistence/disk/secret-cipher.ts';
import { DataRekeying } from './persistence/rekeying/data-rekeying.ts';
import { SecretResealing } from './persistence/rekeying/secret-resealing.ts';
import type { StockStore } from './persistence/stock/stock-store.ts';

export interface KeyPartsOptions {
  readonly ring: KeyRing;
  readonly engine: Engine;
  readonly stock: StockStore;
  readonly webhookSecrets: SecretCipher;
  readonly supplierSecrets: SecretCipher;
  readonly log: Logger;
}

export class KeyParts {
  readonly #options: KeyPartsOptions;
  readonly #rekeying: DataRekeying;

  constructor(options: KeyPartsOptions) {
    this.#options = options;
    const { ring, stock, log } = options;
    this.#rekeying = new DataRekeying({
      ring,
      stock,
      secrets: new SecretResealing(options),
      onDone: () => log.info('everything is sealed with the newest data key; the older ones are dropped'),
      onTrouble: (err, isFinal) => {
        if (isFinal) log.error({ err }, 'sealing anew has failed: the older data keys stay, and still open');
        else log.warn({ err }, 'sealing anew waits for room on the disk');
      },
    });
  }

  /** Goes on with what a stop or a crash left. */
  start(): void {
    this.#rekeying.resume();
  }

  stop(): Promise<void> {
    return this.#rekeying.stop();
  }

  /** The hash of operators' calls. Its key is the shop's own and never changes, whatever data keys do. */
  readonly keyedHash = () =>
    createHmac('sha256', this.#options.ring.keys.fingerprintKey).update("an operator's call: ");

  services(): KeyServices {
    const { ring, log } = this.#options;
    return {
      refusalOf: (newKey) => ring.refusalOf(newKey)?.message,
      rekey: async (newKey) => {
        const before = ring.masterKeyId;
        ring.rekey(newKey);
        await ring.whenShared();
        log.info({ before, masterKeyId: ring.masterKeyId }, 'the master key was changed');
      },
      beginDataKey: async () => {
        this.#rekeying.begin();
        await ring.whenShared();
        log.info({ dataKeyIds: ring.dataKeyIds }, 'everything is being sealed with a new data key');
      },
      state: () => ({
        masterKeyId: ring.masterKeyId,
        keyFile: ring.keyFile,
        dataKeyIds: ring.dataKeyIds,
        ...this.#rekeying.progress,
      }),
    };
  }
}
