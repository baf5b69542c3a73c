/**
 * Reads HTTP/1.1 replies off one connection: status, Content-Length, body bytes, and nothing else.
 *
 * A general parser costs more than the rest of the load generator. This parser assumes, and throws when it isn't so:
 * every reply has a Content-Length and none is chunked. Replies may arrive in pieces or several in one piece.
 */

/** The body is `bytes[start]` to `bytes[end - 1]`, valid only during the call. */
export type OnReply = (status: number, bytes: Buffer, start: number, end: number) => void;

const maxReplyBytes = 1024 * 1024;
const lineFeed = 10;
const carriageReturn = 13;
const digitZero = 48;
const lowerCaseBit = 0x20;
const firstLetter = 'c'.charCodeAt(0);
const lengthHeader = 'content-length:';

export class ReplyParser {
  readonly #onReply: OnReply;
  /** The beginning of a reply whose rest hasn't arrived. */
  #partial: Buffer | undefined;
  #headEnd = 0;
  #contentLength = -1;

  constructor(onReply: OnReply) {
    this.#onReply = onReply;
  }

  /** Takes the first `length` bytes of `chunk`; what must be kept of them is copied. */
  push(chunk: Buffer, length: number): void {
    let bytes = chunk;
    let available = length;
    if (this.#partial !== undefined) {
      bytes = Buffer.concat([this.#partial, chunk.subarray(0, length)]);
      available = bytes.length;
      this.#partial = undefined;
    }
    let from = 0;
    while (from < available) {
      if (!this.#readHead(bytes, from, available)) break;
      const bodyEnd = this.#headEnd + this.#contentLength;
      if (bodyEnd > available) break;
      this.#onReply(statusOf(bytes, from), bytes, this.#headEnd, bodyEnd);
      from = bodyEnd;
    }
    if (from < available) this.#keep(bytes, from, available);
  }

  /** Finds the end of the head and its Content-Length; false when the head isn't complete. */
  #readHead(bytes: Buffer, from: number, available: number): boolean {
    this.#contentLength = -1;
    let lineStart = from;
    for (let at = from; at < available; at += 1) {
      if (bytes[at] !== lineFeed) continue;
      if (at - lineStart === 1 && bytes[lineStart] === carriageReturn) {
        this.#headEnd = at + 1;
        if (this.#contentLength < 0) throw new Error(`no Content-Length: ${text(bytes, from, at)}`);
        return true;
      }
      if (((bytes[lineStart] ?? 0) | lowerCaseBit) === firstLetter) this.#readLength(bytes, lineStart, at);
      lineStart = at + 1;
    }
    return false;
  }

  #readLength(bytes: Buffer, lineStart: number, lineEnd: number): void {
    const valueStart = lineStart + lengthHeader.length;
    for (let at = lineStart; at < valueStart; at += 1) {
      if (((bytes[at] ?? 0) | lowerCaseBit) !== lengthHeader.charCodeAt(at - lineStart)) return;
    }
    let value = 0;
    for (let at = valueStart; at < lineEnd; at += 1) {
      const digit = (bytes[at] ?? 0) - digitZero;
      if (digit >= 0 && digit <= 9) value = value * 10 + digit;
    }
    this.#contentLength = value;
  }

  #keep(bytes: Buffer, from: number, available: number): void {
    if (available - from > maxReplyBytes) throw new Error(`a reply of over ${maxReplyBytes} bytes`);
    this.#partial = Buffer.from(bytes.subarray(from, available));
  }
}

/** `HTTP/1.1 201 Created` has its status at offset 9. */
function statusOf(bytes: Buffer, from: number): number {
  const status =
    ((bytes[from + 9] ?? 0) - digitZero) * 100 +
    ((bytes[from + 10] ?? 0) - digitZero) * 10 +
    ((bytes[from + 11] ?? 0) - digitZero);
  if (!(status >= 200 && status <= 599)) throw new Error(`not a reply: ${text(bytes, from, from + 40)}`);
  return status;
}

function text(bytes: Buffer, from: number, to: number): string {
  return JSON.stringify(bytes.toString('latin1', from, to));
}
