/**
 * The records of a text in UTF-8, by the rules of `csv-parse`, at once: what is written has been read when `push` returns.
 *
 * A quote that is no quote of a cell, such as in `5" screen`, is a character like others. Rejected: to refuse it, for the
 * parser can't say where a record that it gives up has ended, and so not in which line the next one begins.
 */
import { Parser } from 'csv-parse';

export type Cells = readonly Buffer[];
export type LineEnd = '\n' | '\r';

/** The parser looks at most three bytes ahead of what it reads. */
const BEHIND_THE_END = 4;

export class RecordParser {
  readonly #parser: Parser;
  readonly #lineEnd: LineEnd;
  #records: Cells[] = [];

  /** `lineEnd`: `\r` for old Macs' tables, whose lines end with nothing else. */
  constructor(delimiter: string, lineEnd: LineEnd) {
    this.#lineEnd = lineEnd;
    this.#parser = new Parser({
      delimiter,
      encoding: null,
      record_delimiter: lineEnd === '\r' ? ['\r'] : ['\r\n', '\n'],
      relax_quotes: true,
      relax_column_count: true,
      // Nothing is pushed into the stream, so none of it waits.
      on_record: (cells) => {
        // Without an encoding they are bytes.
        this.#records.push(cells as unknown as Cells);
        return null;
      },
    });
    this.#parser.on('error', () => {});
  }

  /** The records that have ended; a line that is empty is one with one empty cell. */
  push(bytes: Buffer): Cells[] {
    this.#parser.write(bytes);
    const { errored } = this.#parser;
    if (errored) throw errored;
    const records = this.#records;
    this.#records = [];
    return records;
  }

  /** The last ones, some of them empty; undefined when the text ends within quotes. */
  end(): Cells[] | undefined {
    const records = this.push(Buffer.alloc(BEHIND_THE_END, this.#lineEnd));
    return records.length === 0 ? undefined : records;
  }
}
