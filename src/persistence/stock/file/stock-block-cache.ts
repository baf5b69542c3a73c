/**
 * Blocks of items by product and number, bounded by bytes. Those that were not used for longest are forgotten first,
 * nearly: the block that purchases of a product come from is found without being put behind all others each time. It
 * has another turn when it would be forgotten and was asked for since its last.
 *
 * One map from one number to a block: a number made of both parts is found faster than a text or a map of
 * maps, and a `Map` keeps its entries in the order in which they were put at the end.
 */
import { strict as assert } from 'node:assert';
import { MAX_ITEMS_PER_PRODUCT } from '../../../engine/limits.ts';
import { blockOf, type ItemBlock } from './stock-block.ts';

const BLOCKS_PER_PRODUCT = blockOf(MAX_ITEMS_PER_PRODUCT) + 1;

interface HotBlock {
  readonly block: number;
  readonly value: ItemBlock;
  /** Since it was put at the end. */
  wasAskedFor: boolean;
}

export class BlockCache {
  readonly #maxBytes: number;
  readonly #blocks = new Map<number, ItemBlock>();
  #bytes = 0;
  /** The block of each product that was used last: purchases of one product come from one block. */
  readonly #hot: (HotBlock | undefined)[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Of what the blocks hold, roughly. */
  get memoryBytes(): number {
    return this.#bytes;
  }

  get(productId: number, block: number): ItemBlock | undefined {
    const hot = this.#hot[productId];
    if (hot?.block === block) {
      hot.wasAskedFor = true;
      return hot.value;
    }
    const place = placeOf(productId, block);
    const found = this.#blocks.get(place);
    if (found === undefined) return undefined;
    this.#blocks.delete(place);
    this.#blocks.set(place, found);
    this.#hot[productId] = { block, value: found, wasAskedFor: false };
    return found;
  }

  /** Replaces what there was. A block larger than the whole cache isn't kept. */
  set(productId: number, block: number, value: ItemBlock): void {
    const place = placeOf(productId, block);
    this.#forget(place);
    if (value.memoryBytes > this.#maxBytes) return;
    this.#blocks.set(place, value);
    this.#bytes += value.memoryBytes;
    this.#hot[productId] = { block, value, wasAskedFor: false };
    for (const oldest of this.#blocks.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      if (!this.#hasAnotherTurn(oldest)) this.#forget(oldest);
    }
  }

  /** Forgets a product's blocks from the one of `item` on. */
  forgetFrom(productId: number, item: number): void {
    const first = placeOf(productId, blockOf(item));
    const end = placeOf(productId + 1, 0);
    for (const place of this.#blocks.keys()) {
      if (place >= first && place < end) this.#forget(place);
    }
  }

  #hasAnotherTurn(place: number): boolean {
    const hot = this.#hotAt(place);
    if (!hot?.wasAskedFor) return false;
    hot.wasAskedFor = false;
    this.#blocks.delete(place);
    this.#blocks.set(place, hot.value);
    return true;
  }

  #forget(place: number): void {
    const block = this.#blocks.get(place);
    if (block === undefined) return;
    if (this.#hotAt(place) !== undefined) this.#hot[productOf(place)] = undefined;
    this.#blocks.delete(place);
    this.#bytes -= block.memoryBytes;
  }

  #hotAt(place: number): HotBlock | undefined {
    const hot = this.#hot[productOf(place)];
    return hot?.value === this.#blocks.get(place) ? hot : undefined;
  }
}

function placeOf(productId: number, block: number): number {
  assert(block < BLOCKS_PER_PRODUCT);
  return productId * BLOCKS_PER_PRODUCT + block;
}

function productOf(place: number): number {
  return Math.floor(place / BLOCKS_PER_PRODUCT);
}
