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

/** The lists of accounts, which are replaced and never changed, so each is read once. */
export class AllowedNetworks {
  readonly #read = new WeakMap<readonly string[], readonly Network[]>();

  /** Whether an address, as a connection or a proxy names it, is in one of these. */
  allow(texts: readonly string[], address: string): boolean {
    let networks = this.#read.get(texts);
    if (networks === undefined) {
      networks = texts.map(parseNetwork).filter((network) => network !== undefined);
      this.#read.set(texts, networks);
    }
    return isInAny(networks, parseAddress(address));
  }
}
