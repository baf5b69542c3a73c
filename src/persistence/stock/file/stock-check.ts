/**
 * Proves the rows of `stock.mdb` one by one, before the file is opened: every block opens with the master key,
 * every fingerprint has its checksum and names an item or an order. What tells the file's master key may alone be of
 * another one, as long as the file has nothing that needs it (`adoptMasterKey`).
 */

import { type MasterKey, MasterKeyError } from '../../disk/master-key.ts';
import { BrokenSealError, ForeignKeyError, RowCipher } from '../../disk/row-cipher.ts';
import { MAX_ORDER_TEXTS } from '../delivered/order-texts.ts';
import { DamagedRowError } from '../stock-errors.ts';
import { ITEMS_PER_BLOCK, ItemBlock } from './stock-block.ts';
import { FORMAT_KEY, MASTER_KEY_KEY } from './stock-file.ts';
import { checkFingerprintRow } from './stock-fingerprints.ts';

export class StockCheck {
  readonly #cipher: RowCipher;
  #isEmpty = true;
  /** The file tells of another one. */
  #foreign: MasterKeyError | undefined;

  constructor(masterKey: MasterKey) {
    this.#cipher = new RowCipher(masterKey);
  }

  /** Throws `DamagedRowError`, or `MasterKeyError` when the file belongs to another master key. */
  readonly row = (table: string, key: Uint8Array, value: Uint8Array): void => {
    if (table !== 'meta') this.#isEmpty = false;
    if (table === 'fingerprints') {
      checkFingerprintRow(key, value);
    } else if (table === 'items') {
      if (ItemBlock.decode(this.#open(key, value), ITEMS_PER_BLOCK) === undefined) {
        throw new DamagedRowError('a block of items', 'its texts have wrong lengths');
      }
    } else if (table === 'deliveries') {
      if (ItemBlock.decode(this.#open(key, value), MAX_ORDER_TEXTS) === undefined) {
        throw new DamagedRowError('the texts of an order', 'they have wrong lengths');
      }
    } else if (MASTER_KEY_KEY.equals(key)) {
      this.#proveMasterKey(key, value);
    } else if (!FORMAT_KEY.equals(key)) {
      throw new DamagedRowError('a row of meta', 'nothing is kept under this name');
    }
    if (this.#foreign !== undefined && !this.#isEmpty) throw this.#foreign;
  };

  #proveMasterKey(key: Uint8Array, value: Uint8Array): void {
    try {
      this.#open(key, value);
    } catch (error) {
      if (!(error instanceof MasterKeyError)) throw error;
      this.#foreign = error;
    }
  }

  #open(key: Uint8Array, value: Uint8Array): Buffer {
    try {
      return this.#cipher.open(Buffer.from(value), Buffer.from(key));
    } catch (error) {
      if (error instanceof BrokenSealError) {
        throw new DamagedRowError('a sealed row', error.message, { cause: error });
      }
      if (!(error instanceof ForeignKeyError)) throw error;
      throw new MasterKeyError(
        `the master key is not the one this data folder was written with: ${error.message}`,
        {
          cause: error,
        },
      );
    }
  }
}
