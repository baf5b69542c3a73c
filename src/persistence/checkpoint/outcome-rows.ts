/**
 * The key rows of one fold, written in the order of their digests so that LMDB walks its tree once.
 *
 * A fold writes tens of thousands, so digests lie in one slab and are sorted as numbers: half of a digest and
 * the row's index in one double. Sorting buffers with a comparison function took a fifth of the whole fold.
 * Rows whose halves are equal may come in any order, which costs nothing: the order is for speed only.
 */
import type { ByteWriter } from '../codec/byte-writer.ts';
import type { Table } from '../lmdb/lmdb-environment.ts';
import {
  DIGEST_BYTES,
  encodeOutcome,
  type OutcomeKind,
  type OutcomeRow,
  seal,
  writeOutcomeDigest,
} from './checkpoint-rows.ts';

/** An index and 32 bits of digest fit a double. */
const MAX_ROWS = 2 ** 20;

export class OutcomeRows {
  readonly #outcomes: OutcomeRow[] = [];
  #digests = Buffer.allocUnsafe(1024 * DIGEST_BYTES);

  add(kind: OutcomeKind, accountId: number, key: string, outcome: OutcomeRow): void {
    const offset = this.#outcomes.length * DIGEST_BYTES;
    if (offset === this.#digests.length) this.#grow();
    writeOutcomeDigest(this.#digests, offset, kind, accountId, key);
    this.#outcomes.push(outcome);
  }

  /** Inside a write transaction. */
  writeTo(table: Table, scratch: ByteWriter): void {
    for (const place of this.#places()) {
      const index = place % MAX_ROWS;
      const outcome = this.#outcomes[index];
      if (outcome === undefined) throw new RangeError(`there is no row ${index}`);
      const digest = this.#digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
      table.put(digest, seal(digest, encodeOutcome(scratch, outcome)));
    }
  }

  /** For each row half of its digest and its index, ascending. */
  #places(): Float64Array {
    if (this.#outcomes.length > MAX_ROWS) throw new RangeError(`a fold of ${this.#outcomes.length} keys`);
    const places = new Float64Array(this.#outcomes.length);
    for (let index = 0; index < places.length; index += 1) {
      places[index] = this.#digests.readUInt32BE(index * DIGEST_BYTES) * MAX_ROWS + index;
    }
    return places.sort();
  }

  #grow(): void {
    const larger = Buffer.allocUnsafe(this.#digests.length * 2);
    this.#digests.copy(larger);
    this.#digests = larger;
  }
}
