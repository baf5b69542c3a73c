/**
 * The address of a request's client: the connection's, unless a proxy that the operator trusts (`--trust-proxy`) says
 * for whom it speaks, in `X-Forwarded-For`.
 *
 * Every proxy appends whom it heard from, so the list is read from the right, and the first address that is no
 * trusted proxy is the client: what stands further left, anybody may have written. At an entry that is no
 * address the walk ends with the last trusted proxy. `Forwarded` (RFC 7239) is not read: proxies that pass on what a
 * client wrote there would let it choose its address.
 */
import ipaddr from 'ipaddr.js';
import type { Exchange } from '../transport/transport.ts';
import { type Address, listedHops, parseAddress } from './forwarded-hops.ts';
import { isInAny, type Network, parseNetwork } from './network.ts';

type AddressedRequest = Pick<Exchange, 'remoteAddress' | 'headerValues' | 'clientAddress'>;

export class ClientAddresses {
  readonly #trusted: readonly Network[];

  /** As `parseNetwork` reads them. */
  constructor(trustedProxies: readonly string[]) {
    this.#trusted = trustedProxies.map(parseNetwork).filter((network) => network !== undefined);
  }

  /** The client's address, looked up once. To be asked before the head of the request is gone. */
  of(request: AddressedRequest): string {
    request.clientAddress ||= this.#lookUp(request);
    return request.clientAddress;
  }

  #lookUp(request: AddressedRequest): string {
    const peer = request.remoteAddress();
    if (this.#trusted.length === 0 || !this.#isTrusted(parseAddress(peer))) return peer;
    return this.#clientOf(peer, listedHops(request.headerValues('x-forwarded-for').join(',')));
  }

  #clientOf(peer: string, hops: Iterable<Address | undefined>): string {
    let client = peer;
    for (const hop of hops) {
      if (hop === undefined) break;
      client = hop.toString();
      if (!this.#isTrusted(hop)) break;
    }
    return client;
  }

  #isTrusted(address: Address | undefined): boolean {
    return isInAny(this.#trusted, address);
  }
}

/** The network that limits count by: an IPv4 address, or the /64 around an IPv6 one. */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return text;
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
