/** What became of the items that an unresolved purchase brought after all. */
import { itemBytes } from '../persistence/stock/intake/stock-lines.ts';

export interface LateItems {
  readonly delivered: number;
  readonly intoStock: number;
  readonly duplicates: number;
  /** Blank, too long, or with characters that no item may have. */
  readonly unsellable: number;
}

export const NO_LATE_ITEMS: LateItems = { delivered: 0, intoStock: 0, duplicates: 0, unsellable: 0 };

export function isSellable(item: string): boolean {
  try {
    itemBytes(item, 1);
    return true;
  } catch {
    return false;
  }
}
