/** The headers of a reply, and how both servers write them. */

export type ReplyHeader = readonly [name: string, value: string];

/**
 * Header names are lower case. A value is printable ASCII: what else there is, the two servers would send
 * differently. A reply with any other value leaves as the fallback reply, and `onFault` is told.
 */
export type ReplyHeaders = readonly (ReplyHeader | FixedHeaders)[];

/** Headers that many replies share: looked through, and laid out as they go on the wire, only once. */
export class FixedHeaders {
  readonly headers: readonly ReplyHeader[];
  readonly lines: string;

  /** Throws a `TypeError` for a value that must not go on the wire. */
  constructor(headers: readonly ReplyHeader[]) {
    const illegal = illegalHeader(headers);
    if (illegal !== undefined) throw new TypeError(`reply header ${illegal} is not printable ASCII`);
    this.headers = headers;
    this.lines = headerLines(headers);
  }
}

const NOT_PRINTABLE_ASCII = /[^\t\x20-\x7e]/;

/** The name of a header whose value must not go on the wire, e.g. since a line break would begin another header. */
export function illegalHeader(headers: ReplyHeaders): string | undefined {
  for (const header of headers) {
    if (header instanceof FixedHeaders) continue;
    if (NOT_PRINTABLE_ASCII.test(header[1])) return header[0];
  }
  return undefined;
}

/**
 * The headers as they go on the wire behind the status: one call into the server for all of them instead of one
 * for each, which is a tenth of the cost of a reply. None holds a line break of its own.
 */
export function headerLines(headers: ReplyHeaders): string {
  let lines = '';
  for (const header of headers) {
    lines += header instanceof FixedHeaders ? header.lines : `\r\n${header[0]}: ${header[1]}`;
  }
  return lines;
}

/** Names and values in turn, as node:http takes them. */
export function flatHeaders(headers: ReplyHeaders): string[] {
  return headers.flatMap((header) => (header instanceof FixedHeaders ? header.headers.flat() : [...header]));
}
