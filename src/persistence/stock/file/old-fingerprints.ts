/**
 * Fingerprints as files of format 5 have them: by product, so that nobody finds a text in the whole shop. Fingerprints
 * of format 6 are made of the texts, in parts, before the node sells anything; whatever interrupts it, the next start
 * does it again. The old rows stay, and nobody looks them up: their keys have other lengths.
 */
import { isDeepStrictEqual } from 'node:util';
import { readNumberKey } from '../../codec/number-key.ts';
import { rowChecksum } from '../../codec/row-checksum.ts';
import { orderTexts } from '../delivered/order-texts.ts';
import { DamagedRowError } from '../stock-errors.ts';
import { ITEMS_PER_BLOCK } from './stock-block.ts';
import { openBlock, type StockFile, writeFormat } from './stock-file.ts';
import { Fingerprints, type Holder, hintOfOrder, orderOfHint } from './stock-fingerprints.ts';

/** Product and fingerprint; and the number of an order or an item behind them. */
const KEY_BYTES = [14, 20];
const NUMBER_BYTES = 6;
const BLOCK_AT = 8;
const TEXTS_PER_TRANSACTION = 10_000;

export function isOldKey(key: Uint8Array): boolean {
  return KEY_BYTES.includes(key.length);
}

/** Throws `DamagedRowError`. */
export function oldHolder(key: Uint8Array, row: Uint8Array): Holder {
  const [name, value] = [Buffer.from(key), Buffer.from(row)];
  const isWhole =
    value.length === NUMBER_BYTES + 4 &&
    value.readUInt32BE(NUMBER_BYTES) === rowChecksum(name, value, NUMBER_BYTES);
  if (!isWhole) throw new DamagedRowError(`fingerprint ${name.toString('hex')}`, 'its checksum is wrong');
  return { productId: name.readUInt32BE(0), hint: value.readUIntBE(0, NUMBER_BYTES) };
}

/** Makes the fingerprints of a file that `isOld`. Throws `DamagedRowError`. */
export function renewFingerprints(file: StockFile): void {
  const fingerprints = new Fingerprints(file);
  let waiting: (Holder & { readonly text: Buffer })[] = [];
  const write = () => {
    file.write(() => {
      for (const { text, ...holder } of waiting) {
        const key = fingerprints.keyOf(text);
        const named = fingerprints.get(key);
        const isFirst = named === undefined || isDeepStrictEqual(named, holder);
        fingerprints.addHolder(key, holder, isFirst);
      }
    });
    waiting = [];
  };
  for (const holder of textsOfItems(file)) {
    waiting.push(holder);
    if (waiting.length === TEXTS_PER_TRANSACTION) write();
  }
  for (const [orderId, productId] of oldOrders(file)) {
    for (const text of orderTexts(file, orderId)?.texts() ?? [])
      waiting.push({ productId, hint: hintOfOrder(orderId), text: Buffer.from(text) });
    write();
  }
  write();
  writeFormat(file.environment, file.tiers.meta);
}

/** The texts of all items, also of uploads that came to nothing. */
function* textsOfItems(file: StockFile): IterableIterator<Holder & { readonly text: Buffer }> {
  const keys = Array.from(file.items.getRange(), ({ key }) => Buffer.from(key));
  for (const key of keys) {
    const sealed = file.items.get(key);
    if (sealed === undefined) continue;
    const [productId, number] = [readNumberKey(key, 0), readNumberKey(key, BLOCK_AT)];
    const name = `block ${number} of product ${productId}`;
    const block = openBlock(file.cipher, name, sealed, key, ITEMS_PER_BLOCK);
    for (let index = 0; index < block.count; index += 1)
      yield { productId, hint: number * ITEMS_PER_BLOCK + index, text: block.bytesAt(index) };
  }
}

/** Orders that were delivered with texts of their own, with their product. */
function oldOrders(file: StockFile): ReadonlyMap<number, number> {
  const orders = new Map<number, number>();
  for (const { key, value } of file.fingerprints.getRange()) {
    const { productId, hint } = isOldKey(key) ? oldHolder(key, value) : { productId: 0, hint: 0 };
    const orderId = orderOfHint(hint);
    if (orderId !== undefined) orders.set(orderId, productId);
  }
  return orders;
}
