/**
 * All fingerprints of a shop in the order of their rows, however many there are: sorted in runs, which are files, and
 * merged. So `stock.mdb` gets its rows from the first to the last, each page once. Rejected: rows as they come, for
 * which every commit writes half of a large table anew.
 *
 * A record is a fingerprint and behind it who has the text (`stock-fingerprints.ts`): of one text, by product, the items
 * come first, by their numbers, then the orders.
 */
import { closeSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  FINGERPRINT_BYTES,
  HOLDER_BYTES,
  type Holder,
} from '../persistence/stock/file/stock-fingerprints.ts';

const PRODUCT_BYTES = 4;
const HINT_BYTES = HOLDER_BYTES - PRODUCT_BYTES;
const HINT_AT = FINGERPRINT_BYTES + PRODUCT_BYTES;
const RECORD_BYTES = FINGERPRINT_BYTES + HOLDER_BYTES;
/** The records of a run, in memory at a time, as bytes and as their order: some 30 MB. A power of two. */
const RUN_RECORDS = 2 ** 20;
/** Records that are read at a time of a run that is merged. */
const READ_RECORDS = 4_096;

export interface FingerprintRecord extends Holder {
  readonly key: Buffer;
}

export class FingerprintSorter {
  readonly #folder: string;
  readonly #runRecords: number;
  readonly #records: Buffer;
  #count = 0;
  readonly #runs: string[] = [];

  /** The sorter's files are in `folder` until `close`. `runRecords` is at most 2^20. */
  constructor(folder: string, runRecords = RUN_RECORDS) {
    this.#folder = folder;
    this.#runRecords = runRecords;
    this.#records = Buffer.allocUnsafeSlow(runRecords * RECORD_BYTES);
  }

  add(key: Buffer, { productId, hint }: Holder): void {
    if (this.#count === this.#runRecords) this.#writeRun();
    const at = this.#count * RECORD_BYTES;
    this.#records.set(key, at);
    this.#records.writeUInt32BE(productId, at + FINGERPRINT_BYTES);
    this.#records.writeUIntBE(hint, at + HINT_AT, HINT_BYTES);
    this.#count += 1;
  }

  /** All that were added, ascending. A key is valid until the next record. */
  *sorted(): IterableIterator<FingerprintRecord> {
    this.#writeRun();
    const runs = this.#runs.map((file) => new RunReader(file)).filter((run) => run.next());
    try {
      runs.sort(byRecord);
      for (let first = runs.shift(); first !== undefined; first = runs.shift()) {
        const { record } = first;
        const key = record.subarray(0, FINGERPRINT_BYTES);
        const productId = record.readUInt32BE(FINGERPRINT_BYTES);
        yield { key, productId, hint: record.readUIntBE(HINT_AT, HINT_BYTES) };
        if (first.next()) insert(runs, first);
      }
    } finally {
      for (const run of runs) run.close();
    }
  }

  close(): void {
    for (const file of this.#runs) rmSync(file, { force: true });
  }

  #writeRun(): void {
    if (this.#count === 0) return;
    const sorted = Buffer.allocUnsafeSlow(this.#count * RECORD_BYTES);
    let to = 0;
    for (const index of orderOf(this.#records, this.#count)) {
      to += this.#records.copy(sorted, to, index * RECORD_BYTES, (index + 1) * RECORD_BYTES);
    }
    const file = join(this.#folder, `fingerprints-${this.#runs.length}.run`);
    writeFileSync(file, sorted, { mode: 0o600 });
    this.#runs.push(file);
    this.#count = 0;
  }
}

/** The records' places, in their order. By a number that is sorted natively first: bytes are compared where it is the same. */
function orderOf(records: Buffer, count: number): Uint32Array {
  const ranks = new Float64Array(count);
  for (let index = 0; index < count; index += 1)
    ranks[index] = records.readUInt32BE(index * RECORD_BYTES) * RUN_RECORDS + index;
  ranks.sort();
  const order = Uint32Array.from(ranks, (rank) => rank % RUN_RECORDS);
  settleTies(records, order);
  return order;
}

/** Neighbours of one rank stand in the order in which they came. */
function settleTies(records: Buffer, order: Uint32Array): void {
  const rankAt = (place: number) => records.readUInt32BE((order[place] ?? 0) * RECORD_BYTES);
  for (let from = 0; from < order.length; ) {
    const rank = rankAt(from);
    let to = from + 1;
    while (to < order.length && rankAt(to) === rank) to += 1;
    if (to - from > 1) order.subarray(from, to).sort((a, b) => compareAt(records, a, b));
    from = to;
  }
}

function compareAt(records: Buffer, a: number, b: number): number {
  const [left, right] = [a * RECORD_BYTES, b * RECORD_BYTES];
  return records.compare(records, right, right + RECORD_BYTES, left, left + RECORD_BYTES);
}

/** A run, from its first record on. */
class RunReader {
  readonly #descriptor: number;
  readonly #buffer = Buffer.allocUnsafe(READ_RECORDS * RECORD_BYTES);
  #at = 0;
  #end = 0;
  /** The next record. */
  record: Buffer = this.#buffer;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'r');
  }

  /** Goes on to the next record; false when there is none, and the run is closed. */
  next(): boolean {
    if (this.#at === this.#end) {
      this.#end = readSync(this.#descriptor, this.#buffer);
      this.#at = 0;
    }
    if (this.#end === 0) {
      this.close();
      return false;
    }
    this.record = this.#buffer.subarray(this.#at, this.#at + RECORD_BYTES);
    this.#at += RECORD_BYTES;
    return true;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function byRecord(a: RunReader, b: RunReader): number {
  return a.record.compare(b.record);
}

/** Where it belongs among runs that are in order. */
function insert(runs: RunReader[], run: RunReader): void {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = runs[middle];
    if (other !== undefined && byRecord(other, run) < 0) low = middle + 1;
    else high = middle;
  }
  runs.splice(low, 0, run);
}
