/**
 * Proves the rows of `stock.mdb` one by one, before the file is opened: every block opens with a key of the key ring,
 * every fingerprint has its checksum and names an item or an order.
 */

import type { DataKeys } from '../../disk/data-keys.ts';
import { RowCipher } from '../../disk/row-cipher.ts';
import { MAX_ORDER_TEXTS } from '../delivered/order-texts.ts';
import { DamagedRowError } from '../stock-errors.ts';
import { ITEMS_PER_BLOCK } from './stock-block.ts';
import { FORMAT_KEY, openBlock } from './stock-file.ts';
import { checkFingerprintRow } from './stock-fingerprints.ts';

export class StockCheck {
  readonly #cipher: RowCipher;

  constructor(keys: DataKeys) {
    this.#cipher = new RowCipher(keys);
  }

  /** Throws `DamagedRowError`. */
  readonly row = (table: string, key: Uint8Array, value: Uint8Array): void => {
    if (table === 'fingerprints') checkFingerprintRow(key, value);
    else if (table === 'items') this.#open('a block of items', key, value, ITEMS_PER_BLOCK);
    else if (table === 'deliveries') this.#open('the texts of an order', key, value, MAX_ORDER_TEXTS);
    else if (!FORMAT_KEY.equals(key)) {
      throw new DamagedRowError('a row of meta', 'its name is unknown');
    }
  };

  #open(row: string, key: Uint8Array, value: Uint8Array, limit: number): void {
    openBlock(this.#cipher, row, Buffer.from(value), Buffer.from(key), limit);
  }
}
