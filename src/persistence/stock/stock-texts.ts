import { DeliveredTexts } from './delivered-texts.ts';
import type { StockFile } from './stock-file.ts';
import { TextClaims } from './text-claims.ts';

/** What everything that writes texts has in common. */
export interface StockTexts {
  readonly file: StockFile;
  readonly deliveries: DeliveredTexts;
  readonly claims: TextClaims;
}

export function stockTexts(file: StockFile): StockTexts {
  return { file, deliveries: new DeliveredTexts(file), claims: new TextClaims() };
}
