/** Suppliers' secrets, sealed with the master key before they come near a fact. */

import type { MasterKey } from '../persistence/folder/master-key.ts';
import { ItemCipher } from '../persistence/stock/item-cipher.ts';

/** What was sealed for something else doesn't open here. */
const PURPOSE = Buffer.from('supplier secret');

export class SupplierSecrets {
  readonly #cipher: ItemCipher;

  constructor(masterKey: MasterKey) {
    this.#cipher = new ItemCipher(masterKey);
  }

  /** Base64. */
  seal(secret: string): string {
    return this.#cipher.seal(Buffer.from(secret), PURPOSE).toString('base64');
  }

  /** Throws `ForeignKeyError` or `BrokenSealError`. */
  open(sealed: string): string {
    return this.#cipher.open(Buffer.from(sealed, 'base64'), PURPOSE).toString('utf8');
  }
}
