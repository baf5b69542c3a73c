/**
 * A block that names blocks, as it was read: by the first key that is in each, where it is. A reader of a thousand rows
 * looks into the same few of these each time, so the place of a key is found by halving. A file keeps many of them, so
 * a name is no object.
 */
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { RunCursor } from './run-cursor.ts';
import { BLOCK_BYTES, decodeExtent, type Extent } from './run-format.ts';

const EXTENT_NUMBERS = 3;

export class NameBlock {
  /** One behind the other. */
  readonly #keys: Buffer;
  /** Where each key begins, and where the last one ends. */
  readonly #bounds: Uint32Array;
  /** Three numbers a name: an `Extent`'s. */
  readonly #extents: Float64Array;

  /** `file`: the one it is in, for messages. Throws `DamagedDataError` and `DamagedFileError`. */
  constructor(file: string, bytes: Buffer) {
    const keys = new ByteWriter(BLOCK_BYTES);
    const bounds = [0];
    const extents: number[] = [];
    const values = new ByteReader(bytes);
    const name = new RunCursor({ file, blocks: () => [bytes].values() });
    while (name.next()) {
      keys.part(name.key, 0, name.keyLength);
      bounds.push(keys.length);
      values.skip(name.valueStart - values.offset);
      const { offset, length, sum } = decodeExtent(values);
      if (values.offset !== name.valueEnd)
        throw new DamagedDataError('the place of a block has a wrong length');
      extents.push(offset, length, sum);
    }
    this.#keys = keys.copy();
    this.#bounds = Uint32Array.from(bounds);
    this.#extents = Float64Array.from(extents);
  }

  get length(): number {
    return this.#bounds.length - 1;
  }

  at(index: number): Extent {
    const extents = this.#extents;
    const at = index * EXTENT_NUMBERS;
    return { offset: extents[at] ?? 0, length: extents[at + 1] ?? 0, sum: extents[at + 2] ?? 0 };
  }

  /** The index of the block in which `key` is, or would be. */
  indexOf(key: Buffer): number {
    let low = 0;
    let high = this.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (key.compare(this.#keys, this.#bounds[middle], this.#bounds[middle + 1]) < 0) high = middle;
      else low = middle;
    }
    return low;
  }
}
