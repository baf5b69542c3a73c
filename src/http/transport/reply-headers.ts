/** The headers of a reply, and how both servers write them. */

export type ReplyHeader = readonly [name: string, value: string];

/**
 * Header names are lower case. A value is printable ASCII: what else there is, the two servers would send
 * differently. A reply with any other value leaves as the fallback reply, and `onFault` is told.
 */
export type ReplyHeaders = readonly (ReplyHeader | CheckedHeaders)[];

/** Headers whose values are known to be printable ASCII: they are not looked through again with each reply. */
class CheckedHeaders {
  /** The headers as they go on the wire. */
  readonly lines: string;
  /** Names and values in turn. */
  readonly flat: readonly string[];

  constructor(lines: string, flat: readonly string[]) {
    this.lines = lines;
    this.flat = flat;
  }
}

/**
 * Headers that many replies share, checked only once. Throws a `TypeError` for a value that must not go on the wire.
 */
export function fixedHeaders(headers: readonly ReplyHeader[]): CheckedHeaders {
  const illegal = illegalHeader(headers);
  if (illegal !== undefined) throw new TypeError(`reply header ${illegal} is not printable ASCII`);
  return new CheckedHeaders(headerLines(headers), headers.flat());
}

/**
 * One whose value this program has made, of nothing but printable ASCII: a request's id. Never for what a client or
 * an operator sent.
 */
export function ownHeader(name: string, value: string): CheckedHeaders {
  return new CheckedHeaders(headerLine(name, value), [name, value]);
}

const NOT_PRINTABLE_ASCII = /[^\t\x20-\x7e]/;

/** The name of a header whose value must not go on the wire, e.g. since a line break would begin another header. */
export function illegalHeader(headers: ReplyHeaders): string | undefined {
  for (const header of headers) {
    if (!(header instanceof CheckedHeaders) && NOT_PRINTABLE_ASCII.test(header[1])) return header[0];
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
    lines += header instanceof CheckedHeaders ? header.lines : headerLine(header[0], header[1]);
  }
  return lines;
}

function headerLine(name: string, value: string): string {
  return `\r\n${name}: ${value}`;
}

/** Names and values in turn, as node:http takes them. */
export function flatHeaders(headers: ReplyHeaders): string[] {
  const flat: string[] = [];
  for (const header of headers) flat.push(...(header instanceof CheckedHeaders ? header.flat : header));
  return flat;
}

/** The headers, and of `defaults` those whose names they don't have. */
export function withDefaults(headers: ReplyHeaders, defaults: readonly ReplyHeader[]): ReplyHeaders {
  const names = new Set(flatHeaders(headers).filter((_, at) => at % 2 === 0));
  return [...headers, ...defaults.filter(([name]) => !names.has(name))];
}
