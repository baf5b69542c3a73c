/**
 * Proves the rows of `stock.mdb` one by one, before the file is opened: every block opens with a key of the key ring,
 * every fingerprint has its checksum and names an item or an order.
 */

import { unseal } from '../../codec/sealed-row.ts';
import type { DataKeys } from '../../keys/data-keys.ts';
import { RowCipher } from '../../keys/row-cipher.ts';
import { RUN_LIST_KEY } from '../../runs/run-list.ts';
import { MAX_ORDER_TEXTS } from '../delivered/order-texts.ts';
import { damagedRow } from '../stock-errors.ts';
import { ITEMS_PER_BLOCK } from './stock-block.ts';
import { FORMAT_KEY, openBlock } from './stock-file.ts';
import { type Holder, holderIn } from './stock-fingerprints.ts';

/** Whether a data key sealed the rows of a table. */
export function isSealed(table: string): boolean {
  return table === 'items' || table === 'deliveries';
}

/** Gets each sound row of the fingerprints. */
export type OnFingerprint = (key: Uint8Array, holder: Holder) => void;

export class StockCheck {
  readonly #cipher: RowCipher;
  readonly #onFingerprint: OnFingerprint | undefined;

  constructor(keys: DataKeys, onFingerprint?: OnFingerprint) {
    this.#cipher = new RowCipher(keys);
    this.#onFingerprint = onFingerprint;
  }

  /** Tombstones are passed over (`../../runs/tiered-table.ts`). Throws `damaged`, or `DamagedDataError`. */
  readonly row = (table: string, key: Uint8Array, value: Uint8Array): void => {
    if (table !== 'meta' && value.length === 0) return;
    if (table === 'fingerprints') {
      const holder = holderIn(key, value);
      this.#onFingerprint?.(key, holder);
    } else if (table === 'items') this.#open('a block of items', key, value, ITEMS_PER_BLOCK);
    else if (table === 'deliveries') this.#open('the texts of an order', key, value, MAX_ORDER_TEXTS);
    else if (RUN_LIST_KEY.equals(key)) unseal(table, key, value);
    else if (!FORMAT_KEY.equals(key)) {
      throw damagedRow('a row of meta', 'its name is unknown');
    }
  };

  #open(row: string, key: Uint8Array, value: Uint8Array, limit: number): void {
    openBlock(this.#cipher, row, Buffer.from(value), Buffer.from(key), limit);
  }
}
