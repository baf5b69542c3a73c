/**
 * Says of most new keys that they are surely new, so that a purchase need not look for an outcome that isn't
 * there: in memory that is two cold look-ups, in the checkpoint a walk down a tree of random keys.
 *
 * A Bloom filter in layers, each twice as large as the one before. Invariant: of a key that was added it never says
 * that it is new; that is what keeps a retry from buying twice, so every key enters by `apply` or when the checkpoint
 * is loaded. Beyond `MAX_FILTERED_KEYS` it stops helping and says that of no key.
 */

import { MAX_FILTERED_KEYS } from '../limits.ts';
import { FilterLayer } from './filter-layer.ts';

const FIRST_LAYER_KEYS = 2 ** 19;
/**
 * All layers are asked for each new key, and each has its chance to be wrong. Half full, one is wrong twelve times less
 * often than full; then a purchase hardly ever looks for a key in vain, which reads the disk (decision 5).
 */
const ROOM_PER_KEY = 2;

/**
 * Mixes an account's key into 53 bits. The function must never change: data folders hold its hashes, and a key that
 * hashed otherwise would be taken for a new one. Not for secrets: whoever chooses keys can make two alike.
 */
export function keyHash(accountId: number, key: string): number {
  let high = 0xdeadbeef ^ accountId;
  let low = 0x41c6ce57 ^ accountId;
  for (let index = 0; index < key.length; index += 1) {
    const unit = key.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x85ebca77);
    low = Math.imul(low ^ unit, 0xc2b2ae3d);
  }
  high = Math.imul(high ^ (high >>> 15) ^ low, 0x735a2d97);
  low = Math.imul(low ^ (low >>> 15) ^ high, 0xcaf649a9);
  high ^= low >>> 16;
  low ^= high >>> 16;
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}

/** An empty layer with room for so many keys, or for up to twice as many. */
export function keyLayer(keys: number): FilterLayer {
  return FilterLayer.of(keys * ROOM_PER_KEY);
}

export class KeyFilter {
  readonly #layers: FilterLayer[] = [];
  /** The layer that gets what is new; the others are full, or were loaded. */
  #open: FilterLayer | undefined;
  #size = 0;

  /** False when no key with this hash was ever added. */
  mayHave(hash: number): boolean {
    if (this.#size > MAX_FILTERED_KEYS) return true;
    for (const layer of this.#layers) if (layer.has(hash)) return true;
    return false;
  }

  /**
   * Twice is once: a state that is rebuilt adds its tail again. Only the open layer is asked, which has nearly all of it:
   * to ask the others, as `mayHave` did for the same key a moment ago, would double what a long history costs a purchase.
   */
  add(hash: number): void {
    if (this.#size > MAX_FILTERED_KEYS || this.#open?.has(hash) === true) return;
    this.#size += 1;
    if (this.#size > MAX_FILTERED_KEYS) return this.#drop();
    let layer = this.#open;
    if (layer === undefined || layer.size * ROOM_PER_KEY >= layer.capacity) {
      layer = keyLayer(layer === undefined ? FIRST_LAYER_KEYS : layer.size * 2);
      this.#layers.push(layer);
      this.#open = layer;
    }
    layer.add(hash);
  }

  /** A layer of keys that are on disk; nothing is added to it any more. */
  load(layer: FilterLayer): void {
    this.#size += layer.size;
    if (this.#size > MAX_FILTERED_KEYS) this.#drop();
    else this.#layers.push(layer);
  }

  #drop(): void {
    this.#layers.length = 0;
    this.#open = undefined;
  }
}
