/** What both servers write ahead of a reply's body. */
import { STATUS_CODES } from 'node:http';
import type { ReplyHeader, ReplyHeaders } from './transport.ts';

const STATUS_LINES: readonly string[] = Array.from({ length: 600 }, (_, status) =>
  `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(),
);

/** `404 Not Found`, from a table: this runs for every reply. */
export function statusLine(status: number): string {
  return STATUS_LINES[status] ?? String(status);
}

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

/** Statuses that have no body and, since 304 would have to name the length of the 200, no `content-length`. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
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
