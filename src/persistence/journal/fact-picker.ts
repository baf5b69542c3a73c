/**
 * Single facts of the log, picked by their positions, which ascend. Facts between them are passed over and not made, and a
 * frame from which several are picked is read once. A frame is believed by its checksum: its place in the chain is what
 * readers of all facts prove.
 */
import type { Fact } from '../../engine/fact.ts';
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import { readFact, skipFact } from './fact-codec.ts';
import type { LogReader } from './frame-log.ts';
import { HEADER_BYTES, readHead } from './journal-frame.ts';

export class FactPicker {
  readonly #log: LogReader;
  #reader = new ByteReader(new Uint8Array(0));
  /** The position of the fact that the reader stands before, and of the frame's last one. */
  #next = 0;
  #last = -1;

  constructor(log: LogReader) {
    this.#log = log;
  }

  /** Throws `DamagedDataError` when the fact is missing, or already passed. */
  pick(position: number): Fact {
    if (position > this.#last) this.#open(position);
    if (position < this.#next) throw new DamagedDataError(`the journal's fact ${position} was passed over`);
    for (; this.#next < position; this.#next += 1) skipFact(this.#reader);
    this.#next += 1;
    return readFact(this.#reader);
  }

  #open(position: number): void {
    for (const frame of this.#log.read(position - 1)) {
      // The log's bytes are valid until it is asked for another frame.
      const bytes = Buffer.from(frame);
      const { firstSequence, count } = readHead(bytes);
      if (firstSequence > position) break;
      this.#reader = new ByteReader(bytes, HEADER_BYTES);
      this.#next = firstSequence;
      this.#last = firstSequence + count - 1;
      return;
    }
    throw new DamagedDataError(`the journal's fact ${position} is missing`);
  }
}
