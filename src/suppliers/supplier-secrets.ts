/** Suppliers' secrets, sealed with the master key before they come near a fact. */
import type { Supplier } from '../engine/suppliers.ts';
import type { MasterKey } from '../persistence/disk/master-key.ts';
import { BrokenSealError, ForeignKeyError, RowCipher } from '../persistence/disk/row-cipher.ts';

/** What was sealed for something else doesn't open here. */
const PURPOSE = Buffer.from('supplier secret');

export class SupplierSecrets {
  readonly #cipher: RowCipher;

  constructor(masterKey: MasterKey) {
    this.#cipher = new RowCipher(masterKey);
  }

  /** Base64. */
  seal(secret: string): string {
    return this.#cipher.seal(Buffer.from(secret), PURPOSE).toString('base64');
  }

  /** Undefined when this master key doesn't open it: it was sealed with another. */
  open({ profile }: Supplier): string | undefined {
    try {
      return this.#cipher.open(Buffer.from(profile.sealedSecret, 'base64'), PURPOSE).toString();
    } catch (error) {
      if (error instanceof ForeignKeyError || error instanceof BrokenSealError) return undefined;
      throw error;
    }
  }
}
