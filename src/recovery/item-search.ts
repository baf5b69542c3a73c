/**
 * One search for the items that an order had by its receipt: the wanted, the found and the missing ones. The places to
 * look at are in `sold-items.ts`.
 *
 * Invariant: a wanted item is either found once, or missing.
 */

import { type ItemRange, ItemRanges } from '../engine/item-ranges.ts';
import { itemHash } from '../persistence/stock/item-hash.ts';
import { numbersOf, type ReceiptClaims } from '../receipts/receipt-claims.ts';
import { Slices } from '../shared/slices.ts';

export interface SoldItems {
  /** Texts of the found items by place: of all that were wanted, or of fewer. */
  readonly texts: ReadonlyMap<number, string>;
  /** The numbers of the found items in own stock, by place. */
  readonly numbers: ReadonlyMap<number, number>;
  /** Numbers of the found items that the order doesn't have yet, former items, too; ascending. */
  readonly items: readonly ItemRange[];
  /** Hashes of former items that weren't found, and that nobody has. */
  readonly missingFormer: readonly string[];
  /** How many of the items that were overtaken are news: found now, or not found. */
  readonly overtaken: number;
  /** Whether something is missing, and not all items were looked at. */
  readonly isCut: boolean;
  /** Others may find them again. */
  letGo(): void;
}

/** An item that the order doesn't show any more, or never showed here. */
export interface FormerWanted {
  /** As of `Wanted`. */
  readonly item: number | undefined;
  readonly hash: string;
  /** When the receipt doesn't know that another took its place. */
  readonly isOvertaken?: boolean;
}

/** The items of a receipt that are looked for. */
export interface SoldWanted {
  /** Places of the order. */
  readonly places: readonly number[];
  /** Items that others took the places of. */
  readonly former: readonly FormerWanted[];
  /** Numbers of items that the order has already: these are looked at first. */
  readonly has: readonly number[];
}

export interface Wanted {
  readonly hash: string;
  /** The number on the shelf where it was sold; undefined when that isn't known. */
  readonly item: number | undefined;
  /** Undefined of a former item. */
  readonly place: number | undefined;
  readonly isOvertaken?: boolean | undefined;
}

/** The items that were found for one receipt, and those that are still missing. */
export class Search {
  readonly taken: number[] = [];
  readonly slices = new Slices();
  readonly #texts = new Map<number, string>();
  readonly #numbers = new Map<number, number>();
  readonly #items = new ItemRanges();
  readonly #missing = new Map<string, Wanted[]>();
  readonly #salt: Buffer;
  #foundOvertaken = 0;
  missing = 0;
  isCut = false;

  constructor({ salt }: ReceiptClaims) {
    this.#salt = Buffer.from(salt, 'base64url');
  }

  get found(): Omit<SoldItems, 'letGo'> {
    const missing = [...this.#missing.values()].flat();
    const missingFormer = missing.filter(({ place }) => place === undefined).map(({ hash }) => hash);
    const lists = { texts: this.#texts, numbers: this.#numbers, items: this.#items.list, missingFormer };
    const overtaken = this.#foundOvertaken + this.overtaken;
    return { ...lists, overtaken, isCut: this.isCut && missing.length > 0 };
  }

  /** How many of those are missing that were overtaken. */
  get overtaken(): number {
    let count = 0;
    for (const wanted of this.#missing.values()) for (const one of wanted) if (isOvertaken(one)) count += 1;
    return count;
  }

  hashOf(text: string): string {
    return itemHash(this.#salt, text);
  }

  /** Nobody has it. */
  add(item: number, wanted: Wanted, text: string): void {
    this.taken.push(item);
    this.#items.add({ firstItem: item, count: 1 });
    if (isOvertaken(wanted)) this.#foundOvertaken += 1;
    this.has(item, wanted, text);
  }

  /** The order has it. */
  has(item: number, { place }: Wanted, text: string): void {
    if (place === undefined) return;
    this.#numbers.set(place, item);
    this.#texts.set(place, text);
  }

  miss(wanted: Wanted): void {
    this.missing += 1;
    const others = this.#missing.get(wanted.hash);
    if (others === undefined) this.#missing.set(wanted.hash, [wanted]);
    else others.push(wanted);
  }

  /** Takes a wanted item with this hash off the missing ones; with `onlyOvertaken`, only one that was overtaken. */
  takeMissing(hash: string, onlyOvertaken = false): Wanted | undefined {
    const wanted = this.#missing.get(hash);
    const at = wanted?.findIndex((one) => !onlyOvertaken || isOvertaken(one)) ?? -1;
    if (at === -1) return undefined;
    this.missing -= 1;
    return wanted?.splice(at, 1)[0];
  }
}

export function allWanted(claims: ReceiptClaims, { places, former }: SoldWanted): Wanted[] {
  const numbers = numbersOf(claims);
  return [
    ...places.map((place) => ({ place, item: numbers.get(place), hash: claims.itemHashes[place] ?? '' })),
    ...former.map((one) => ({ ...one, place: undefined })),
  ];
}

function isOvertaken(wanted: Wanted): boolean {
  return wanted.isOvertaken === true;
}
