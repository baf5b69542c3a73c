/**
 * The hops that proxies have noted in `X-Forwarded-For` and `Forwarded` (RFC 7239), the last one first, and the one
 * reader of addresses for all who count or trust by them.
 *
 * The last hop was written by the nearest proxy, what stands to its left may come from anybody. So the text is read
 * from its end, and each hop in time that is linear in its own length: nothing further left, such as a quote that is
 * never closed, changes how a hop is read. Rejected: to read from the left, where an open quote takes in all that
 * the proxies added.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** No chain of proxies is that long; what stands before is not read. */
export const MAX_HOPS = 64;
/** The longest hop, in characters; a longer one can't be read. */
const MAX_HOP_LENGTH = 512;

/** An IPv4-mapped address is IPv4. The zone of a local address is left out: it says nothing on another machine. */
export function parseAddress(text: string): Address | undefined {
  const zone = text.indexOf('%');
  const address = zone === -1 ? text : text.slice(0, zone);
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

/** The addresses that `X-Forwarded-For` names, from its end. Ends, after undefined, at an entry that is no address. */
export function* listedHops(header: string): Generator<Address | undefined> {
  for (let end = header.length, hops = 0; end >= 0 && hops < MAX_HOPS; hops += 1) {
    const comma = end === 0 ? -1 : header.lastIndexOf(',', end - 1);
    const hop = end - comma > MAX_HOP_LENGTH ? undefined : addressOfNode(header.slice(comma + 1, end).trim());
    yield hop;
    if (hop === undefined) return;
    end = comma;
  }
}

/**
 * The addresses that the elements of `Forwarded` have as `for`, from its end. Ends, after undefined, at an element
 * without one.
 */
export function* forwardedHops(header: string): Generator<Address | undefined> {
  for (let end = header.length, hops = 0; end >= 0 && hops < MAX_HOPS; hops += 1) {
    const start = elementStart(header, end);
    const hop = start === undefined ? undefined : addressOfElement(header.slice(start, end).trim());
    yield hop;
    if (hop === undefined || start === undefined) return;
    end = start - 1;
  }
}

/** Where the element begins that ends before `end`: behind a comma that is in no quotes. */
function elementStart(header: string, end: number): number | undefined {
  let isQuoted = false;
  const first = Math.max(0, end - MAX_HOP_LENGTH);
  for (let at = end - 1; at >= first; at -= 1) {
    if (header[at] === '"' && !(isQuoted && isEscaped(header, at))) isQuoted = !isQuoted;
    else if (header[at] === ',' && !isQuoted) return at + 1;
  }
  return first === 0 && !isQuoted ? 0 : undefined;
}

function isEscaped(header: string, quote: number): boolean {
  let before = quote;
  while (header[before - 1] === '\\') before -= 1;
  return (quote - before) % 2 === 1;
}

const PAIR = /\s*([^\s=;,"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]+))\s*(?:;|$)/y;

function addressOfElement(element: string): Address | undefined {
  let node: string | undefined;
  for (let at = 0; at < element.length; at = PAIR.lastIndex) {
    PAIR.lastIndex = at;
    const [, name = '', quoted, plain] = PAIR.exec(element) ?? [];
    if (name === '') return undefined;
    if (name.toLowerCase() !== 'for') continue;
    if (node !== undefined) return undefined;
    node = quoted?.replace(/\\(.)/g, '$1') ?? plain;
  }
  return node === undefined ? undefined : addressOfNode(node);
}

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`; a zone is nothing that a proxy can know. */
function addressOfNode(node: string): Address | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(node) ?? [];
  const address = bracketed ?? plain ?? node;
  return address.includes('%') ? undefined : parseAddress(address);
}
