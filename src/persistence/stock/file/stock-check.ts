/**
 * Proves the rows of `stock.mdb` one by one, before the file is opened: every block opens with the master key,
 * every fingerprint has its checksum and names an item or an order. What tells the file's master key may alone be of
 * another one, as long as the file has nothing that needs it (`adoptMasterKey`).
 */

import { type MasterKey, MasterKeyError } from '../../disk/master-key.ts';
import { ForeignKeyError, RowCipher } from '../../disk/row-cipher.ts';
import { MAX_ORDER_TEXTS } from '../delivered/order-texts.ts';
import { DamagedRowError } from '../stock-errors.ts';
import { ITEMS_PER_BLOCK } from './stock-block.ts';
import { FORMAT_KEY, MASTER_KEY_KEY, openBlock } from './stock-file.ts';
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
    if (table === 'fingerprints') checkFingerprintRow(key, value);
    else if (table === 'items') this.#open('a block of items', key, value, ITEMS_PER_BLOCK);
    else if (table === 'deliveries') this.#open('the texts of an order', key, value, MAX_ORDER_TEXTS);
    else if (MASTER_KEY_KEY.equals(key)) this.#proveMasterKey(key, value);
    else if (!FORMAT_KEY.equals(key)) {
      throw new DamagedRowError('a row of meta', 'its name is unknown');
    }
    if (this.#foreign !== undefined && !this.#isEmpty) throw this.#foreign;
  };

  #proveMasterKey(key: Uint8Array, value: Uint8Array): void {
    try {
      this.#open('the row that identifies the master key', key, value, 0);
    } catch (error) {
      if (!(error instanceof MasterKeyError)) throw error;
      this.#foreign = error;
    }
  }

  #open(row: string, key: Uint8Array, value: Uint8Array, limit: number): void {
    try {
      openBlock(this.#cipher, row, Buffer.from(value), Buffer.from(key), limit);
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof ForeignKeyError)) throw error;
      const message = `the master key is not the one this data folder was written with: ${cause.message}`;
      throw new MasterKeyError(message, { cause });
    }
  }
}
