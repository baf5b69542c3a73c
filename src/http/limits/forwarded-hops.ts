/**
 * The hops that proxies have noted in `X-Forwarded-For`, the last one first, and the one reader of addresses for all
 * who count or trust by them.
 *
 * The last hop was written by the nearest proxy, what stands to its left may come from anybody. So the text is read
 * from its end.
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

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`; a zone is nothing that a proxy can know. */
function addressOfNode(node: string): Address | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(node) ?? [];
  const address = bracketed ?? plain ?? node;
  return address.includes('%') ? undefined : parseAddress(address);
}
