import { DeliveredTexts } from './delivered/delivered-texts.ts';
import { TextReservations } from './delivered/text-reservations.ts';
import type { StockFile } from './file/stock-file.ts';
import { Fingerprints } from './file/stock-fingerprints.ts';
import { ShopShelves } from './shop-shelves.ts';

/** The tables and memory that all writers of texts share. */
export interface StockTexts {
  readonly file: StockFile;
  readonly fingerprints: Fingerprints;
  readonly deliveries: DeliveredTexts;
  readonly reservations: TextReservations;
  readonly shelves: ShopShelves;
}

export function stockTexts(file: StockFile): StockTexts {
  const fingerprints = new Fingerprints(file);
  return {
    file,
    fingerprints,
    deliveries: new DeliveredTexts(file),
    reservations: new TextReservations(fingerprints),
    shelves: new ShopShelves(file),
  };
}
