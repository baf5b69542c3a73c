/**
 * Whose address a request comes from: the connection's, unless a proxy that the operator trusts
 * (`--trust-proxy`) says for whom it speaks, in `X-Forwarded-For` or `Forwarded` (RFC 7239).
 *
 * Every proxy appends whom it heard from, so the list is read from the right, and the first address that is no
 * trusted proxy is the client: what stands further left, anybody may have written. At an entry that is no
 * address the walk ends with the last trusted proxy. When the two headers name different clients, one of them
 * was sent by the client and passed on unread, so neither is believed.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Exchange } from '../transport/transport.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type AddressedRequest = Pick<Exchange, 'remoteAddress' | 'headerValues' | 'clientAddress'>;
type Range = readonly [Address, number];

const IPV4_MAPPED_BITS = 96;

export class ClientAddresses {
  readonly #trusted: readonly Range[];

  /** Ranges as `address/prefix`. */
  constructor(trustedProxies: readonly string[]) {
    this.#trusted = trustedProxies.map(parseRange);
  }

  /** To be asked before the head of the request is gone, and looked up once. */
  of(request: AddressedRequest): string {
    request.clientAddress ||= this.#lookUp(request);
    return request.clientAddress;
  }

  #lookUp(request: AddressedRequest): string {
    const peer = request.remoteAddress();
    if (!this.#isTrusted(peer)) return peer;
    const listed = request.headerValues('x-forwarded-for').join(',');
    const forwarded = request.headerValues('forwarded').join(',');
    if (forwarded === '') return this.#clientOf(peer, listed.split(','));
    const client = this.#clientOf(peer, forElements(forwarded));
    return listed === '' || client === this.#clientOf(peer, listed.split(',')) ? client : peer;
  }

  #clientOf(peer: string, hops: readonly string[]): string {
    let client = peer;
    for (let index = hops.length - 1; index >= 0; index -= 1) {
      const hop = addressOfNode(hops[index] ?? '');
      if (hop === undefined) break;
      client = hop;
      if (!this.#isTrusted(hop)) break;
    }
    return client;
  }

  #isTrusted(text: string): boolean {
    if (this.#trusted.length === 0 || isIP(text) === 0) return false;
    const address = ipaddr.process(text);
    return this.#trusted.some(
      ([range, bits]) => range.kind() === address.kind() && address.match(range, bits),
    );
  }
}

/** What limits count by: an IPv4 address, or the /64 around an IPv6 one. */
export function networkOf(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** IPv4-mapped ranges become IPv4 ranges, as addresses do. */
function parseRange(text: string): Range {
  const [address, bits] = ipaddr.parseCIDR(text);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= IPV4_MAPPED_BITS
    ? [address.toIPv4Address(), bits - IPV4_MAPPED_BITS]
    : [address, bits];
}

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`. */
function addressOfNode(text: string): string | undefined {
  const node = text.trim();
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(node) ?? [];
  const address = bracketed ?? plain ?? node;
  return isIP(address) === 0 ? undefined : ipaddr.process(address).toString();
}

const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const ELEMENT = new RegExp(`(?:[^,"]|${QUOTED})+`, 'g');
const FOR = new RegExp(`(?:^|;)\\s*for=(${QUOTED}|[^;\\s"]+)`, 'i');

/** The `for` of every element of a `Forwarded` header; empty where there is none. */
function forElements(header: string): string[] {
  const elements = header.match(ELEMENT) ?? [];
  return elements.map((element) => (FOR.exec(element.trim())?.[1] ?? '').replaceAll('"', ''));
}
