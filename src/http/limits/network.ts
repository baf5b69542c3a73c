/**
 * Networks as operators write them, and whether an address is in one of them: for trusted proxies, and for accounts whose
 * keys work from some networks alone. An IPv4-mapped network is one of IPv4, as addresses are (`parseAddress`).
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Address, parseAddress } from './forwarded-hops.ts';

export type Network = readonly [Address, number];

const IPV4_MAPPED_BITS = 96;
const PREFIX = /^(?:0|[1-9]\d{0,2})$/;

/** A network as `address/prefix`, or an address alone; undefined when it is neither. */
export function parseNetwork(text: string): Network | undefined {
  const [written = '', prefix, ...rest] = text.split('/');
  if (rest.length > 0 || isIP(written) === 0 || written.includes('%')) return undefined;
  const address = ipaddr.parse(written);
  const most = address.kind() === 'ipv4' ? 32 : 128;
  if (prefix !== undefined && !PREFIX.test(prefix)) return undefined;
  const bits = prefix === undefined ? most : Number(prefix);
  if (bits > most) return undefined;
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= IPV4_MAPPED_BITS
    ? [address.toIPv4Address(), bits - IPV4_MAPPED_BITS]
    : [address, bits];
}

export function isInAny(networks: readonly Network[], address: Address | undefined): boolean {
  return (
    address !== undefined &&
    networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
  );
}

interface ReadList {
  readonly networks: readonly Network[];
  /** A program sends all its requests from one address, mostly. */
  allowedLast: string | undefined;
}

/** The lists of accounts, which are replaced and never changed, so each is read once. */
export class AllowedNetworks {
  readonly #read = new WeakMap<readonly string[], ReadList>();

  /** Whether an address, as a connection or a proxy names it, is in one of these. */
  allow(texts: readonly string[], address: string): boolean {
    const list = this.#listOf(texts);
    if (list.allowedLast === address) return true;
    const isAllowed = isInAny(list.networks, parseAddress(address));
    if (isAllowed) list.allowedLast = address;
    return isAllowed;
  }

  #listOf(texts: readonly string[]): ReadList {
    let list = this.#read.get(texts);
    if (list === undefined) {
      const networks = texts.map(parseNetwork).filter((network) => network !== undefined);
      list = { networks, allowedLast: undefined };
      this.#read.set(texts, list);
    }
    return list;
  }
}
