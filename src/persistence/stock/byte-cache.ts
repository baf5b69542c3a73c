/**
 * Values by number, bounded by bytes. Values that were asked for lately are kept, nearly: to find a value marks it and
 * moves nothing, because purchases look here, and a marked one is spared once when it would be forgotten.
 */
interface Sized {
  readonly memoryBytes: number;
}

interface Entry<Value> {
  readonly value: Value;
  /** Whether somebody asked for it since it was put at the end. */
  wasAskedFor: boolean;
}

export class ByteCache<Value extends Sized> {
  readonly #maxBytes: number;
  /** Entries by number; the one that was put at the end last is the last. */
  readonly #entries = new Map<number, Entry<Value>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of all values in memory. */
  get memoryBytes(): number {
    return this.#bytes;
  }

  keys(): IterableIterator<number> {
    return this.#entries.keys();
  }

  get(key: number): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.wasAskedFor = true;
    return entry.value;
  }

  /** Replaces what there was. A value larger than the whole cache isn't kept. */
  set(key: number, value: Value): void {
    this.delete(key);
    if (value.memoryBytes > this.#maxBytes) return;
    this.#entries.set(key, { value, wasAskedFor: false });
    this.#bytes += value.memoryBytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break;
      if (oldest === key) continue;
      if (!entry.wasAskedFor) {
        this.delete(oldest);
      } else {
        entry.wasAskedFor = false;
        this.#entries.delete(oldest);
        this.#entries.set(oldest, entry);
      }
    }
  }

  delete(key: number): void {
    this.#bytes -= this.#entries.get(key)?.value.memoryBytes ?? 0;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}
