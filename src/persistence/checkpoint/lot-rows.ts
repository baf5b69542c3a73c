/**
 * Lots in the checkpoint: a row by number, and one that leads there from a product and the lot's first item. So the lots
 * of a product, and the lot that an item came with, are found without a scan. Uploads are few: each writes its rows at once.
 */

import { lotAddedBy } from '../../engine/decide/lot-lookup.ts';
import type { Fact } from '../../engine/fact.ts';
import type { Lot } from '../../engine/lots.ts';
import { numberKey, numbersKey, readNumberKey } from '../codec/number-key.ts';
import { decodeJson, encodeJson, readRow, seal, unseal } from '../codec/sealed-row.ts';
import type { CheckpointTables } from './checkpoint-tables.ts';

type Tables = Pick<CheckpointTables, 'lots' | 'productLots'>;

export class LotRows {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  take(fact: Fact): void {
    if (fact.kind === 'LotRecalled') this.#put(fact.lot);
    const lot = lotAddedBy(fact);
    if (lot === undefined) return;
    this.#put(lot);
    const key = numbersKey(lot.productId, lot.firstItem);
    this.#tables.productLots.put(key, seal(key, numberKey(lot.lotId)));
  }

  flush(): void {}

  #put(lot: Lot): void {
    const key = numberKey(lot.lotId);
    this.#tables.lots.put(key, seal(key, encodeJson(lot)));
  }
}

/** Throws `DamagedDataError`, like `readLotsOf`. */
export function readLot({ lots }: Tables, lotId: number): Lot | undefined {
  return readRow('lots', lots, numberKey(lotId), decodeJson<Lot>);
}

/** At most `limit` lots of a product whose items come before `beforeItem`, the newest first. */
export function readLotsOf(tables: Tables, productId: number, beforeItem: number, limit: number): Lot[] {
  if (beforeItem <= 0) return [];
  const range = {
    start: numbersKey(productId, beforeItem - 1),
    // Not in it: it is no key of this product.
    end: numbersKey(productId - 1, Number.MAX_SAFE_INTEGER),
    reverse: true,
    limit,
  };
  const found: Lot[] = [];
  for (const { key, value } of tables.productLots.getRange(range)) {
    const lot = readLot(tables, readNumberKey(unseal('productLots', key, value)));
    if (lot !== undefined) found.push(lot);
  }
  return found;
}
