/**
 * A receipts file: one receipt a line, as it arrives, of any length. In memory is one line at most, and of one that is
 * longer than any receipt nothing.
 */
import { MAX_RECEIPT_BYTES } from './receipt-claims.ts';

export interface ReceiptLine {
  /** Counts from 1, empty lines too. */
  readonly line: number;
  /** Without white space around it. Undefined when the line is too long. */
  readonly receipt: string | undefined;
}

const LINE_FEED = 0x0a;

/** Empty lines are left out. Rejects with what `chunks` does. */
export async function* receiptLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReceiptLine> {
  const lines = new Lines();
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const feed = chunk.indexOf(LINE_FEED, at);
      lines.add(chunk.subarray(at, feed < 0 ? chunk.length : feed));
      at = feed < 0 ? chunk.length : feed + 1;
      const ended = feed < 0 ? undefined : lines.end();
      if (ended !== undefined) yield ended;
    }
  }
  const last = lines.end();
  if (last !== undefined) yield last;
}

class Lines {
  #line = 1;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  add(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes <= MAX_RECEIPT_BYTES) this.#parts.push(part);
    else this.#parts = [];
  }

  /** The line that ends here; undefined when it is empty. */
  end(): ReceiptLine | undefined {
    const isTooLong = this.#bytes > MAX_RECEIPT_BYTES;
    const receipt = isTooLong ? undefined : Buffer.concat(this.#parts).toString().trim();
    const line = this.#line;
    this.#line += 1;
    this.#parts = [];
    this.#bytes = 0;
    return receipt === '' ? undefined : { line, receipt };
  }
}
