import { DeliveredTexts } from './delivered/delivered-texts.ts';
import { TextClaims } from './delivered/text-claims.ts';
import type { StockFile } from './file/stock-file.ts';
import { Fingerprints } from './file/stock-fingerprints.ts';

/** What everything that writes texts has in common. */
export interface StockTexts {
  readonly file: StockFile;
  readonly fingerprints: Fingerprints;
  readonly deliveries: DeliveredTexts;
  readonly claims: TextClaims;
}

export function stockTexts(file: StockFile): StockTexts {
  return {
    file,
    fingerprints: new Fingerprints(file),
    deliveries: new DeliveredTexts(file),
    claims: new TextClaims(),
  };
}
